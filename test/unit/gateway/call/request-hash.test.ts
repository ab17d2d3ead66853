// The hashes by which a request is known.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../../../src/evidence/records/canonical-json.ts'
import { hashRequest } from '../../../../src/gateway/call/request-hash.ts'
import * as chat from '../operations/chat/reading.ts'
import * as responses from '../operations/responses/reading.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const jsonObject = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 8 })

describe('the hash of a request', () => {
  it('is that of its canonical JSON, whatever the order of its members', () => {
    fc.assert(
      fc.property(jsonObject, (body) => {
        const turned = Object.fromEntries(Object.entries(body).toReversed())
        expect(hashRequest(body)).toBe(sha256(canonicalJson(body as Json)))
        expect(hashRequest(turned)).toEqual(hashRequest(body))
      }),
    )
  })

  it.each([
    ['half of a surrogate pair', '\ud800'],
    ['no number', NaN],
  ])('is not made of %s', (_, value) => {
    expect(hashRequest({ messages: [value] })).toBeNull()
    expect(hashRequest({ ['\udc00']: 1 })).toBeNull()
  })
})

describe('the hash by which loops are found', () => {
  const loopHash = (more: object, model = 'gpt-4.1-mini') =>
    chat.accepted({ ...chat.mini(more), model }).outline.hashes.loopHash
  const requestHash = (more: object) => chat.accepted(chat.mini(more)).outline.hashes.requestHash
  const { look, user } = chat
  const image = (more: object) => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', ...more } })
  const file = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }

  it.each<[string, unknown, unknown]>([
    ['seed', 1, 2],
    ['temperature', 0.1, 0.2],
    ['top_p', 0.1, 0.2],
    ['tools', [look], [{ ...look, function: { ...look.function, name: 'see' } }]],
    ['response_format', file, { type: 'json_object' }],
    ['n', 2, 3],
    ['stop', 'A', 'B'],
    ['max_tokens', 1, 2],
    ['frequency_penalty', 0.5, 1],
    ['presence_penalty', 0.5, 1],
    ['logit_bias', { 1: 1 }, { 1: 2 }],
  ])('differs with %s', (name, one, other) => {
    expect(new Set([loopHash({}), loopHash({ [name]: one }), loopHash({ [name]: other })]).size).toBe(3)
    expect(loopHash({ [name]: null })).toBe(loopHash({}))
  })

  it.each([
    ['tool_choice', 'none'],
    ['parallel_tool_calls', false],
  ])('differs with %s, where there are tools', (name, value) => {
    expect(loopHash({ tools: [look], [name]: value })).not.toBe(loopHash({ tools: [look] }))
  })

  it.each([
    { reasoning_effort: 'low' },
    { verbosity: 'high' },
    { messages: [{ role: 'user', content: 'Hello ' }] },
    { messages: [user, { role: 'assistant', content: '' }] },
    { messages: [{ role: 'system', content: 'Hello' }, user] },
  ])('differs with %j', (more) => {
    expect(loopHash(more, 'gpt-5.6-luna')).not.toBe(loopHash({}, 'gpt-5.6-luna'))
    expect(loopHash({}, 'gpt-5.6-luna')).not.toBe(loopHash({}))
  })

  it.each<[string, unknown]>([
    ['stream', true],
    ['stream_options', null],
    ['user', 'somebody'],
    ['metadata', { a: 'b' }],
    ['store', false],
    ['logprobs', true],
    ['temperature', 1],
    ['top_p', 1],
    ['n', 1],
    ['frequency_penalty', 0],
    ['presence_penalty', 0],
    ['logit_bias', {}],
    ['stop', []],
    ['tools', []],
    ['tool_choice', 'none'],
    ['response_format', { type: 'text' }],
    ['prompt_cache_key', 'k'],
    ['service_tier', 'auto'],
    ['modalities', ['text']],
  ])('is the same whatever %s says of it, and the request’s own hash is not', (name, value) => {
    expect(loopHash({ [name]: value })).toBe(loopHash({}))
    expect(requestHash({ [name]: value })).not.toBe(requestHash({}))
  })

  it.each<[string, object, object]>([
    ['a limit by its older name', { max_tokens: 5 }, { max_completion_tokens: 5 }],
    ['one stop sequence', { stop: 'A' }, { stop: ['A'] }],
    ['tools that may be called in parallel', { tools: [look] }, { tools: [look], parallel_tool_calls: true }],
    ['tools that the model chooses', { tools: [look] }, { tools: [look], tool_choice: 'auto' }],
    [
      'tools that are not strict',
      { tools: [look] },
      { tools: [{ ...look, function: { ...look.function, strict: false } }] },
    ],
    ['tools that take nothing', { tools: [bare({})] }, { tools: [bare({ description: '', parameters: {} })] }],
    [
      'tools that take nothing, by a schema',
      { tools: [bare({})] },
      { tools: [bare({ parameters: { type: 'object', properties: {}, required: [] } })] },
    ],
    [
      'a schema that is not strict',
      { response_format: file },
      { response_format: { ...file, json_schema: { ...file.json_schema, strict: false } } },
    ],
    [
      'pictures in the usual detail',
      chat.messages({ role: 'user', content: [image({})] }),
      chat.messages({ role: 'user', content: [image({ detail: 'auto' })] }),
    ],
    [
      'content as one part',
      { messages: [user] },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
    ],
    ['a part to be cached', { messages: [user] }, { messages: [{ ...user, cache_control: { type: 'ephemeral' } }] }],
    [
      'calls beside an empty text',
      chat.messages({ role: 'assistant', content: '', tool_calls: [called()] }, answer()),
      chat.messages({ role: 'assistant', content: null, tool_calls: [called()] }, answer()),
    ],
  ])('is the same for two spellings of %s', (_, one, other) => {
    expect(loopHash(one)).toBe(loopHash(other))
  })

  it('differs with what a tool takes', () => {
    const schemas = [{}, { additionalProperties: false }, { properties: { a: {} } }, { type: 'string' }]
    const hashes = schemas.map((parameters) => loopHash({ tools: [bare({ parameters })] }))
    expect(new Set(hashes).size).toBe(schemas.length)
  })

  it('is the same for parameters that are not sent, whatever they say', () => {
    for (const more of [{ temperature: 0.2 }, { temperature: 0.7, top_p: 0.5 }, { seed: 7 }, { presence_penalty: 1 }]) {
      expect(loopHash(more, 'claude-sonnet-5')).toBe(loopHash({}, 'claude-sonnet-5'))
    }
  })

  it('is the same in both wire formats', () => {
    const asked = responses.accepted({
      instructions: 'Be brief.',
      tools: [responses.look],
      temperature: 0,
      max_output_tokens: 9,
    })
    const messages = [{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }, user]
    expect(asked.outline.hashes.loopHash).toBe(
      loopHash({ messages, tools: [look], temperature: 0, max_completion_tokens: 9 }),
    )
  })
})

function bare(more: object) {
  return { type: 'function', function: { name: 'look', ...more } }
}

function called() {
  return { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }
}

function answer() {
  return { role: 'tool', tool_call_id: 'c', content: 'ok' }
}
