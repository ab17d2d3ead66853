// Tests Gemini's requests: strict tools, schemas, signatures and files, and what of them is refused.
import { describe, expect, it } from 'vitest'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import type { ChatRequest } from '../../../src/providers/chat-request.ts'
import { encode, loop, pdf, pngOf, refusedParam, textOf } from './encoding.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const MODEL = 'gemini-3.8-flash'
const parameters = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } }

describe('tools at Gemini', () => {
  it.each<[string, ChatRequest['toolChoice'], boolean, object]>([
    ['are held to their schemas where one is strict', 'auto', true, { mode: 'VALIDATED' }],
    ['are not where none is', undefined, false, { mode: 'AUTO' }],
    ['always are where one is forced', 'required', false, { mode: 'ANY' }],
    ['by name, too', { name: 'a' }, true, { mode: 'ANY', allowedFunctionNames: ['a'] }],
    ['and are not called at all where none may be', 'none', true, { mode: 'NONE' }],
  ])('%s', (_, toolChoice, strict, functionCallingConfig) => {
    const tools = [{ name: 'a', strict }, { name: 'b' }]
    expect(encode({ tools, toolChoice }, MODEL).body).toMatchObject({ toolConfig: { functionCallingConfig } })
  })

  it('tell the model what Gemini does not read of a schema', () => {
    expect(encode({ tools: [{ name: 'a', parameters }] }, MODEL).body).toMatchObject({
      tools: [
        { functionDeclarations: [{ parametersJsonSchema: { properties: { a: { description: '{"minLength":2}' } } } }] },
      ],
    })
  })

  it.each<[string, Partial<ChatRequest>, string]>([
    ['a name that begins with a digit', { tools: [{ name: 'b' }, { name: '1a' }] }, 'tools[1].function.name'],
    [
      'a reference to nothing',
      { tools: [{ name: 'a', parameters: { properties: { a: { $ref: '#/$defs/A' } } } }] },
      'tools[0].function.parameters',
    ],
    [
      'the same in an answer',
      { responseFormat: { type: 'json_schema', name: 'a', schema: { items: { $ref: 'b.json' } } } },
      'response_format.json_schema.schema',
    ],
  ])('are refused by their place: %s', (_, request, param) => expect(refusedParam(request, MODEL)).toBe(param))
})

describe('the caller’s user', () => {
  it('is taken and stays here: Google has no member for it', () => {
    expect(JSON.stringify(encode({ user: 'user-7' }, MODEL).body)).not.toContain('user-7')
  })
})

describe('what a function answers at Gemini', () => {
  const sent = (result: string) => {
    const encoded = encodeRequest(loop({}, [textOf(result)]), modelNamed(MODEL))
    return encoded.ok ? JSON.stringify(encoded.body) : null
  }

  it('is its object, with every digit of its numbers', () => {
    const result = '{"id":12345678901234567891,"far":1e400,"$defs":["$ref"]}'
    expect(sent(result)).toContain(`"response":${result}`)
  })

  it.each([
    '{"a":1,"a":2}',
    `{"a":${'['.repeat(9_999)}${']'.repeat(9_999)}}`,
    '[1]',
    '12345678901234567891',
    'Nothing.',
    '{"$ref":"#/$defs/A"}',
    '{"id": 12345678901234567891, "schema": [ {"items": {"\\u0024ref": "#/a"}} ]}',
  ])('is text where it could not be the same as an object: %.20s', (result) =>
    expect(sent(result)).toContain(`"response":${JSON.stringify({ result })}`),
  )
})

describe('a thought signature', () => {
  it('goes back on the last text of the answer', () => {
    const request = loop({ signature: 'c2ln', content: [textOf('First'), textOf('Second')], toolCalls: undefined })
    expect(
      encode({ messages: request.messages.slice(0, 2).concat({ role: 'user', content: [textOf('b')] }) }, MODEL).body,
    ).toMatchObject({
      contents: [{}, { parts: [{ text: 'First' }, { text: 'Second', thoughtSignature: 'c2ln' }] }, {}],
    })
  })

  it('goes back on an empty text where it came alone, before the calls and theirs', () => {
    expect(encode(loop({ signature: 'c2ln' }), MODEL).body).toMatchObject({
      contents: [{}, { parts: [{ text: '', thoughtSignature: 'c2ln' }, { functionCall: { name: 'look' } }] }, {}],
    })
  })

  it('goes to no other provider', () => {
    for (const model of ['claude-opus-5', 'gpt-5.6-sol']) {
      expect(JSON.stringify(encode(loop({ signature: 'c2ln', content: [textOf('a')] }), model).body)).not.toContain(
        'c2ln',
      )
    }
  })
})

describe('files and pictures at Gemini', () => {
  it('are data beside the text; a text of any kind is plain text', () => {
    const content = [
      pdf,
      { type: 'file' as const, url: 'data:text/x-anything;base64,aGk=' },
      { type: 'file' as const, url: 'data:text/csv;charset=utf-8;name=a%20b.csv;base64,aGk=' },
    ]
    expect(encode({ messages: [{ role: 'user', content }] }, MODEL).body).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'application/pdf', data: 'aGk=' } },
            { inlineData: { mimeType: 'text/plain', data: 'aGk=' } },
            { inlineData: { mimeType: 'text/plain', data: 'aGk=' } },
          ],
        },
      ],
    })
  })

  it.each([
    ['data:image/jpg;base64,aGk=', 'image/jpeg'],
    ['data:Image/JPEG;base64,aGk=', 'image/jpeg'],
  ])('are of the type that is meant: %s', (url, mimeType) => {
    expect(encode({ messages: [{ role: 'user', content: [{ type: 'image', url }] }] }, MODEL).body).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType, data: 'aGk=' } }] }],
    })
  })

  it('can be what a function answers with, beside its JSON or alone', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }]
    const answer = (response: object) => ({
      contents: [{}, {}, { parts: [{ functionResponse: { response, parts } }] }],
    })
    expect(encode(loop({}, [textOf('Seen'), pngOf()]), MODEL).body).toMatchObject(answer({ result: 'Seen' }))
    expect(encode(loop({}, [pngOf()]), MODEL).body).toMatchObject(answer({}))
  })

  it('are sent as text where their JSON is nested so deep that it could not be written out again', () => {
    const nested = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const response = { result: nested }
    const contents = [{}, {}, { parts: [{ functionResponse: { response } }] }]
    expect(encode(loop({}, [textOf(nested)]), MODEL).body).toMatchObject({ contents })
  })

  it('are refused by their place where a function cannot answer with them', () => {
    const heic = { type: 'image' as const, url: 'data:image/heic;base64,aGk=' }
    expect(refusedParam(loop({}, [textOf('Seen'), heic]), MODEL)).toBe('messages[2].content[1].image_url')
    expect(refusedParam({ messages: [{ role: 'user', content: [heic] }] }, MODEL)).toBeNull()
  })
})
