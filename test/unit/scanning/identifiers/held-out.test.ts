// Generated identifiers in the company of words that are units, sections and doses elsewhere; clinical texts that hold none.
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { heldOutControls, heldOutIdentifiers } from './held-out/cases.ts'

/** Not the seed that the figures of the documents are taken with. */
const SEED = 20_261
const CASES = 1000

describe.each(IDENTIFIER_SHAPES)('a %s', (shape) => {
  it('is refused whatever word stands before and after it', () => {
    const cases = heldOutIdentifiers(shape, CASES, SEED)
    expect(cases.filter(({ text }) => findIdentifiers(text).length === 0)).toEqual([])
  })
})

it('no clinical text is refused', () => {
  const controls = heldOutControls(4 * CASES, SEED)
  expect(controls.filter((text) => findIdentifiers(text).length > 0)).toEqual([])
})
