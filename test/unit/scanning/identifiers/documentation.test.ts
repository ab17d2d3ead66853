// The public description of the shapes tells the truth: each of its examples is refused, or passes, as it says.
import { expect, it } from 'vitest'
import description from '../../../../docs/identifiers.md?raw'
import { findIdentifiers } from '../../../../src/scanning/identifiers/identifiers.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/identifier-shapes.ts'

const rows = [...description.matchAll(/^\| `(\w+)` *\|([^|]*)\|([^|]*)\|/gm)].map(
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
  expect(rows.map(({ shape }) => shape)).toEqual([...IDENTIFIER_SHAPES])
})

it.each(rows)('refuses and passes what it says of $shape', ({ shape, refused, passed }) => {
  const named = refused.map((example) => ({ example, found: findIdentifiers(example).map((each) => each.shape) }))
  expect(named).toEqual(refused.map((example) => ({ example, found: [shape] })))
  expect(passed.filter((example) => findIdentifiers(example).length > 0)).toEqual([])
})
