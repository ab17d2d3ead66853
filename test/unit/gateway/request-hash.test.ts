// The hashes by which a request is known.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../../src/attestation/canonical-json.ts'
import { hashRequest } from '../../../src/gateway/request-hash.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const jsonObject = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 8 })

describe('the hash of a request', () => {
  it('is that of its canonical JSON, whatever the order of its members', () => {
    fc.assert(
      fc.property(jsonObject, (body) => {
        const turned = Object.fromEntries(Object.entries(body).toReversed())
        expect(hashRequest(body)?.requestHash).toBe(sha256(canonicalJson(body as Json)))
        expect(hashRequest(turned)).toEqual(hashRequest(body))
      }),
    )
  })

  it('by which loops are found is that of model and messages alone', () => {
    const asked = { model: 'a', messages: [{ role: 'user', content: 'b' }] }
    expect(hashRequest({ ...asked, temperature: 1 })?.loopHash).toBe(sha256(canonicalJson(asked)))
    expect(hashRequest({ ...asked, temperature: 1 })?.requestHash).not.toBe(hashRequest(asked)?.requestHash)
  })

  it.each([
    ['half of a surrogate pair', '\ud800'],
    ['no number', NaN],
  ])('is not made of %s', (_, value) => {
    expect(hashRequest({ messages: [value] })).toBeNull()
    expect(hashRequest({ ['\udc00']: 1 })).toBeNull()
  })
})
