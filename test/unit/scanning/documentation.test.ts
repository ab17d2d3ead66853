// The documents on identifiers, policies and prompt injection state what the code does, with true examples and figures.
import identifiers from '../../../docs/identifiers.md?raw'
import policies from '../../../docs/policies.md?raw'
import injections from '../../../docs/prompt-injection.md?raw'
import { expect, it } from 'vitest'
import { findIdentifiers } from '../../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES, ACCOUNT_SHAPES, TOKEN_SHAPES } from '../../../src/scanning/identifiers/identifier-shapes.ts'
import { PII_ACTIONS } from '../../../src/policies/document/pii-scan.policy.ts'
import { TEXT_PLACES } from '../../../src/scanning/texts/request-texts.ts'
import { INJECTION_RULE_IDS } from '../../../src/scanning/injection/rule-ids.ts'
import { INJECTION_RULES } from '../../../src/scanning/injection/find-injections.ts'

const shapes = [...identifiers.matchAll(/^\| `(\w+)` *\|([^|]*)\|([^|]*)\|/gm)].map(
  ([, shape, refused = '', passed = '']) => ({
    shape,
    refused: examples(refused),
    passed: examples(passed),
  }),
)

function examples(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, example = '']) => example)
}

it('describes the eleven shapes', () => {
  expect(shapes.map(({ shape }) => shape)).toEqual([...IDENTIFIER_SHAPES])
})

it.each(shapes)('refuses and passes what it says of $shape', ({ shape, refused, passed }) => {
  const named = refused.map((example) => ({ example, found: findIdentifiers(example).map((each) => each.shape) }))
  expect(named).toEqual(refused.map((example) => ({ example, found: [shape] })))
  expect(passed.filter((example) => findIdentifiers(example).length > 0)).toEqual([])
})

const CELLS = {
  replace: 'replaced',
  leave_out: 'the message goes without its thoughts',
  refuse: 'the request is refused',
  said: 'by role',
  definition: 'as definition',
}

it('every place of text is told, with what is done there', () => {
  const rows = [...policies.matchAll(/^\| `(\w+)` +\|[^|]*\| ([^|]+?) *\| ([^|]+?) *\| (yes|no) +\|$/gm)]
  const told = rows.map((row) => row.slice(1))
  const listed = Object.entries(TEXT_PLACES).map(([place, { redaction, injection, counted }]) => [
    place,
    CELLS[redaction],
    injection === null ? 'not read' : CELLS[injection],
    counted ? 'yes' : 'no',
  ])
  expect(told).toEqual(listed)
})

const section = policies.slice(
  policies.indexOf('## What pii_scan looks for'),
  policies.indexOf('### How much it finds'),
)

it.each([...ACCOUNT_SHAPES, ...TOKEN_SHAPES, ...PII_ACTIONS])('%s is told', (name) => {
  expect(section).toContain(`\`${name}\``)
})

const rows = injections
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )

it('states each rule as the code does', () => {
  expect(rows).toEqual(expect.arrayContaining(INJECTION_RULE_IDS.map((id) => [`\`${id}\``, INJECTION_RULES[id].says])))
})
