// Documents, files and media in what a request says, and in what its tools answered: what each emulated provider takes of
// them, and the place that it names when it does not.

import { describe, expect, it } from 'vitest'
import type { Body, Dialect } from './emulator-client.ts'
import { readAs } from './emulator-reading.ts'

const PDF = 'JVBERi0xLjQK'
const pdf = { type: 'base64', media_type: 'application/pdf', data: PDF }
const url = { type: 'url', url: 'https://example.invalid/a.pdf' }
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }
const user = (...content: Body[]): Body => ({ messages: [{ role: 'user', content }] })
const toolTurn = (content: unknown): Body => ({
  messages: [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
  ],
})
const file = (members: Body): Body => user({ type: 'text', text: 'Read.' }, { type: 'file', file: members })
const dataUrl = (type: string): string => `data:${type};base64,${PDF}`
const part = (...parts: Body[]): Body => ({ contents: [{ role: 'user', parts }] })
const inline = (mimeType: string): Body => ({ inlineData: { mimeType, data: PDF } })
const functionTurn = (...parts: Body[]): Body => ({
  contents: [
    { role: 'user', parts: [{ text: 'Look.' }] },
    {
      role: 'model',
      parts: [{ functionCall: { name: 'look', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'look', response: {}, parts } }] },
  ],
})
const output = (value: unknown): Body => ({
  input: [
    { type: 'message', role: 'user', content: 'Look.' },
    { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: value },
  ],
})
const said = (content: unknown): Body => ({ input: [{ type: 'message', role: 'user', content }] })

it.each<[Dialect, string, Body]>([
  ['anthropic', 'a PDF as data', user({ type: 'document', source: pdf, title: 'A' })],
  ['anthropic', 'a document by address', user({ type: 'document', source: url })],
  [
    'anthropic',
    'plain text as a document',
    user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }),
  ],
  ['anthropic', 'an image and a document in a tool result', toolTurn([png, { type: 'document', source: pdf }])],
  ['anthropic', 'a tool result without content', toolTurn(undefined)],
  ['openai', 'a named PDF in a data URL', file({ filename: 'a.pdf', file_data: dataUrl('application/pdf') })],
  ['google', 'a PDF and an image as data', part({ text: 'Read.' }, inline('application/pdf'), inline('image/webp'))],
  ['google', 'an image and a PDF in a function response', functionTurn(inline('image/png'), inline('application/pdf'))],
  [
    'agent',
    'an image in a message and in a function output',
    {
      input: [
        ...(said([{ type: 'input_image', image_url: dataUrl('image/png') }])['input'] as Body[]),
        ...(output([
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: dataUrl('image/png') },
        ])['input'] as Body[]),
      ],
    },
  ],
])('%s: takes %s', (dialect, _case, more) => {
  expect(readAs(dialect, more)).toMatchObject({ message: '', taken: true })
})

it.each<[Dialect, string, Body, string]>([
  [
    'anthropic',
    'a document of another type',
    user({ type: 'document', source: { ...pdf, media_type: 'text/csv' } }),
    'messages.0.content.0.document.source.base64.media_type: ',
  ],
  [
    'anthropic',
    'an image of another type',
    user({ ...png, source: { ...png.source, media_type: 'image/tiff' } }),
    'messages.0.content.0.image.source.base64.media_type: ',
  ],
  [
    'anthropic',
    'data that is not base64',
    user({ type: 'document', source: { ...pdf, data: '@@' } }),
    'messages.0.content.0.document.source.base64.data: ',
  ],
  ['anthropic', 'an unknown kind of block', user({ type: 'input_audio' }), 'messages.0.content.0: '],
  [
    'anthropic',
    'an unknown kind of source',
    user({ type: 'document', source: { type: 'ftp' } }),
    'messages.0.content.0.document.source: ',
  ],
  [
    'anthropic',
    'a file in a tool result',
    toolTurn([{ type: 'input_audio' }]),
    'messages.2.content.0.tool_result.content.0: ',
  ],
  [
    'anthropic',
    'a call in a turn of the user',
    user({ type: 'tool_use', id: 't', name: 'look', input: {} }),
    'messages.0.content.0: ',
  ],
  ['anthropic', 'more images than a model sees', user(...Array.from({ length: 101 }, () => png)), 'messages: '],
  [
    'anthropic',
    'citations beside an output format',
    {
      ...user({ type: 'document', source: pdf, citations: { enabled: true } }),
      output_config: { format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } } },
    },
    '`citations`',
  ],
])('%s: refuses %s', (dialect, _case, more, place) => {
  const { status, message } = readAs(dialect, more)
  expect(status).toBe(400)
  expect(message.startsWith(place), message).toBe(true)
})

it.each<[string, Body, string, string]>([
  ['a file of another type', { filename: 'a.md', file_data: dataUrl('text/markdown') }, 'file_data', 'invalid_value'],
  [
    'a file by address',
    { filename: 'a.pdf', file_data: 'https://example.invalid/a.pdf' },
    'file_data',
    'invalid_value',
  ],
  ['a file without a name', { file_data: dataUrl('application/pdf') }, 'file_id', 'missing_required_parameter'],
  ['a file that it does not have', { file_id: 'file-1' }, 'file_id', 'invalid_value'],
])('openai: refuses %s, by the member', (_case, members, member, code) => {
  const param = `messages[0].content[1].file.${member}`
  expect(readAs('openai', file(members)).error).toMatchObject({ error: { param, code } })
})

describe('refusals by place', () => {
  it('openai: names an unknown kind of part, and a media part in a tool message', () => {
    expect(readAs('openai', user({ type: 'input_audio', input_audio: {} })).error).toMatchObject({
      error: { param: 'messages[0].content[0]' },
    })
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const image = { type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } }
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: [image] },
    ]
    expect(readAs('openai', { messages }).error).toMatchObject({ error: { param: 'messages[2].content[0]' } })
  })

  it('google: refuses media that no model takes, and media in the responses of older models', () => {
    expect(readAs('google', part(inline('application/zip'))).message).toContain('application/zip')
    expect(readAs('google', functionTurn(inline('audio/mp3'))).message).toContain('contents[2].parts')
    expect(readAs('google', functionTurn(inline('image/png')), 'gemini-2.5-flash').message).toContain(
      'function responses',
    )
  })

  it('agent: refuses kinds of content that its API does not name', () => {
    expect(readAs('agent', said([{ type: 'input_file', file_data: PDF }])).message).toContain('input.0.content.0')
    expect(readAs('agent', output([{ type: 'input_file', file_data: PDF }])).message).toContain('input.2.output.0')
  })
})
