// The guard over the example letters: those to be read hold no identifier shape, and each of the others exactly its own.
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../../scripts/example-letters.ts'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/identifier-shapes.ts'

const shapesIn = (text: string): string[] => findIdentifiers(text).map(({ shape }) => shape)

describe('the example letters under the identifier guard', () => {
  it('hold no identifier shape, but for those made to be refused', () => {
    const letters = EXAMPLES.list.filter(({ expected }) => expected.code !== 'identifier_found')
    expect(letters.filter(({ text }) => shapesIn(text).length > 0).map(({ id }) => id)).toEqual([])
  })

  it.each(IDENTIFIER_SHAPES)('have one in which a %s is found, once, and nothing else', (shape) => {
    const example = EXAMPLES.list.find(({ id }) => id === `identifier-${shape.replaceAll('_', '-')}`)
    expect(shapesIn(example?.text ?? '')).toEqual([shape])
  })
})
