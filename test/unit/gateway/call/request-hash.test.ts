// The hashes by which a request is known.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../../../src/attestation/canonical-json.ts'
import { hashRequest } from '../../../../src/gateway/call/request-hash.ts'

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

  const asked = { model: 'a', messages: [{ role: 'user', content: 'b' }] }
  const loopHash = (more: object) => hashRequest({ ...asked, ...more })?.loopHash

  it.each<[string, unknown, unknown]>([
    ['seed', 1, 2],
    ['temperature', 0.1, 0.2],
    ['top_p', 0.1, 0.2],
    ['tools', [{ type: 'function', function: { name: 'a' } }], [{ type: 'function', function: { name: 'b' } }]],
    ['tool_choice', 'auto', 'none'],
    ['parallel_tool_calls', true, false],
    ['response_format', { type: 'text' }, { type: 'json_object' }],
    ['n', 1, 2],
    ['stop', 'A', 'B'],
    ['max_tokens', 1, 2],
    ['max_completion_tokens', 1, 2],
    ['frequency_penalty', 0, 1],
    ['presence_penalty', 0, 1],
    ['logit_bias', { 1: 1 }, { 1: 2 }],
    ['reasoning_effort', 'low', 'high'],
    ['verbosity', 'low', 'high'],
  ])('by which loops are found differs with %s', (name, one, other) => {
    const hashes = [loopHash({}), loopHash({ [name]: one }), loopHash({ [name]: other })]
    expect(new Set(hashes).size).toBe(3)
    expect(loopHash({ [name]: one })).toBe(sha256(canonicalJson({ ...asked, [name]: one })))
    expect(loopHash({ [name]: null })).toBe(loopHash({}))
  })

  it.each<[string, unknown]>([
    ['stream', true],
    ['stream_options', { include_usage: true }],
    ['user', 'somebody'],
    ['store', false],
    ['logprobs', true],
    ['top_logprobs', 2],
  ])('by which loops are found is the same whatever %s says', (name, value) => {
    expect(loopHash({ [name]: value })).toBe(loopHash({}))
    expect(hashRequest({ ...asked, [name]: value })?.requestHash).not.toBe(hashRequest(asked)?.requestHash)
  })

  it.each([
    ['half of a surrogate pair', '\ud800'],
    ['no number', NaN],
  ])('is not made of %s', (_, value) => {
    expect(hashRequest({ messages: [value] })).toBeNull()
    expect(hashRequest({ ['\udc00']: 1 })).toBeNull()
  })
})
