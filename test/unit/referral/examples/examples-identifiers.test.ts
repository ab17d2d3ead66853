// The guard over the example letters: those to be read hold no identifier shape, and each of the others exactly its own.
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../../scripts/example-letters.ts'
import { findIdentifiers } from '../../../../src/scanning/identifiers/find-identifiers.ts'
import { interpretReferralRequest } from '../../../../src/referral/referral-request.policy.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'

const shapesIn = (text: string): string[] => findIdentifiers(text).map(({ shape }) => shape)

const readAsSandbox = (text: string) =>
  interpretReferralRequest(
    new Headers({ 'content-type': 'application/json' }),
    new TextEncoder().encode(JSON.stringify({ text })),
    EXAMPLES.match,
  )

describe('a letter of a sandbox key', () => {
  const known = EXAMPLES.list.filter(({ text }) => EXAMPLES.match(text) !== null)

  it('that is an example is not searched, but one with an identifier beside it is', () => {
    expect(known.length).toBeGreaterThan(5)
    for (const { text } of known) {
      expect(readAsSandbox(text)).toMatchObject({ kind: 'read', example: { example: { text } } })
      expect(readAsSandbox(`${text} MRN: 1234567`)).toMatchObject({ error: { code: 'identifier_found' } })
    }
  })

  it('that is refused for its identifier is no example with a reading', () => {
    const refused = EXAMPLES.list.filter(({ expected }) => expected.code === 'identifier_found')
    for (const { text } of refused) {
      expect(EXAMPLES.match(text)).toBeNull()
      expect(readAsSandbox(text)).toMatchObject({ error: { code: 'identifier_found' } })
    }
  })
})

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
