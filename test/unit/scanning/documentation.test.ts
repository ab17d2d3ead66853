// The documents on identifiers and on the rule pii_scan state what the code does, with true examples and figures.
import identifiers from '../../../docs/identifiers.md?raw'
import guide from '../../../docs/block-personal-data.md?raw'
import rules from '../../../docs/rules.md?raw'
import { expect, it } from 'vitest'
import { findIdentifiers } from '../../../src/scanning/identifiers/find-identifiers.ts'
import { ACCOUNTS, SHAPES } from '../../../src/scanning/identifiers/shapes/index.ts'
import { TOKENS } from '../../../src/scanning/identifiers/shapes/service-token.ts'
import { IDENTIFIER_SHAPES } from '../../../src/scanning/identifiers/shapes/identifiers.ts'
import { PII_ACTIONS } from '../../../src/policies/rules/pii-scan.rule.ts'

const table = identifiers.slice(identifiers.indexOf('## Shapes'), identifiers.indexOf('## How it decides'))

const shapes = [...table.matchAll(/^\| `(\w+)` *\|([^|]*)\|([^|]*)\|/gm)].map(
  ([, shape, refused = '', passed = '']) => ({
    shape,
    refused: examples(refused),
    passed: examples(passed),
  }),
)

function examples(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, example = '']) => example)
}

it('describes each shape', () => {
  expect(shapes.map(({ shape }) => shape)).toEqual([...IDENTIFIER_SHAPES])
})

it.each(shapes)('refuses and passes what it says of $shape', ({ shape, refused, passed }) => {
  const named = refused.map((example) => ({ example, found: findIdentifiers(example).map((each) => each.shape) }))
  expect(named).toEqual(refused.map((example) => ({ example, found: [shape] })))
  expect(passed.filter((example) => findIdentifiers(example).length > 0)).toEqual([])
})

const section = rules.slice(rules.indexOf('## Accounts and tokens'), rules.indexOf('## Where text is read'))

it.each([...ACCOUNTS, ...TOKENS])('$id is in the list of accounts and tokens', ({ id }) => {
  expect(section).toContain(`\`${id}\``)
})

it.each(PII_ACTIONS)('the guide says what %s does', (name) => {
  expect(guide).toMatch(new RegExp(`^\\| \`${name}\` `, 'm'))
})

it('has a measured precision for every shape', () => {
  const measured = identifiers.slice(identifiers.indexOf('## How much is found'))
  expect(Array.from(measured.matchAll(/^\| `(\w+)` /gm), ([, shape]) => shape)).toEqual([...SHAPES])
})
