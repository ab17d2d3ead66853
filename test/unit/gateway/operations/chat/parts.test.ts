// Tests the parts that a message may have, and the marks for caching a prompt.
import { describe, expect, it } from 'vitest'
import { catalogueModels } from '../../../../../src/providers/model-catalogue.ts'
import { accepted, look, messages, mini, refused, user } from './reading.ts'

const PNG = 'data:image/png;base64,aGk='
const PDF = 'data:application/pdf;base64,aGk='
const mark = { cache_control: { type: 'ephemeral' } }
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const text = { type: 'text', text: 'See' }
const image = { type: 'image_url', image_url: { url: PNG } }
const said = (...content: object[]) => mini({ messages: [{ role: 'user', content }] })

describe('a file', () => {
  it.each([
    [{ file_id: 'file-1' }, 'file.file_id: no file is kept here; send file_data, a base64 data URL, in its place.'],
    [{}, 'file.file_data: missing; expected a string.'],
    [{ file_data: 'aGk=' }, 'file.file_data: A file must be a base64 data URL.'],
    [
      { file_data: 'data:text/plain;base64,aGk=' },
      'file.file_data: gpt-4.1-mini does not support files of other types than application/pdf.',
    ],
  ])('%o is refused by name', (file, words) => {
    expect(refused(said(text, { type: 'file', file })).message).toMatch(`messages[0].content[1].${words}`)
  })

  it('goes to a model that takes files, with its name', () => {
    const content = [{ type: 'file', file: { file_data: PDF, filename: 'letter.pdf', file_id: null } }]
    const { request } = accepted({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content }] })
    expect(request.messages).toMatchObject([{ content: [{ type: 'file', url: PDF, name: 'letter.pdf' }] }])
  })
})

it('the type of a picture, which its data say too, is taken and not passed on', () => {
  const { request } = accepted(said({ type: 'image_url', image_url: { url: PNG, format: 'image/png' } }))
  expect(request.messages).toEqual(accepted(said(image)).request.messages)
})

it('what an agent notes with a function for itself is taken and not passed on', () => {
  const notes = { requires_confirmation: true, external_execution: false, approval_type: 'required' }
  const noted = { ...look, function: { ...look.function, ...notes } }
  expect(accepted(mini({ tools: [noted] })).request.tools).toEqual(accepted(mini({ tools: [look] })).request.tools)
})

it('audio is refused in words that say what is taken', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } }
  expect(refused(said(text, audio)).message).toBe(
    'messages[0].content[1].type: no model here takes audio; expected one of text, image_url, file.',
  )
})

it('a tool’s result may hold pictures where the model takes them, and is refused by name where it does not', () => {
  const call = { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'look' } }] }
  const result = { role: 'tool', tool_call_id: 'c', content: [text, image] }
  for (const { id, gateway, capabilities: can } of catalogueModels()) {
    if (!gateway) continue
    const body = { model: id, messages: [user, call, result] }
    if (can.toolResultMedia) expect(accepted(body).request.messages[2]).toMatchObject({ content: [text, { url: PNG }] })
    else expect(refused(body).details.param).toBe('messages[2].content[1]')
  }
})

const called = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }
const answerTo = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })

describe('cache_control', () => {
  const CACHED = { cache: { ttl: '5m' } }

  it('marks parts and tools, for five minutes where it does not say', () => {
    const { request } = accepted({
      ...said({ ...text, ...mark }, { ...image, ...hour }),
      tools: [{ ...look, ...mark }],
    })
    expect(request.messages).toMatchObject([{ content: [CACHED, { cache: { ttl: '1h' } }] }])
    expect(request.tools).toMatchObject([CACHED])
  })

  it('marks a call, and so the end of its message', () => {
    const marked = [called, { ...called, id: 'd', ...hour }]
    const [, calls] = accepted(
      messages({ role: 'assistant', tool_calls: marked, ...mark }, answerTo('c'), answerTo('d')),
    ).request.messages
    expect(calls).toMatchObject({ toolCalls: [{ id: 'c' }, { id: 'd', cache: { ttl: '1h' } }], cache: undefined })
    expect(calls).not.toHaveProperty('toolCalls[0].cache.ttl')
  })

  it('of a message marks its end, unless the part there has a mark', () => {
    const { request } = accepted(
      mini({
        messages: [
          { role: 'system', content: 'Be brief.', ...mark },
          { role: 'user', content: [text, { ...text, ...hour }], ...mark },
          { role: 'assistant', content: [{ ...text, ...hour }], tool_calls: [called], ...mark },
          { ...answerTo('c'), ...mark },
        ],
      }),
    )
    const marks = request.messages.map(({ cache, content }) => [cache?.ttl, content.map((part) => part.cache?.ttl)])
    expect(marks).toEqual([
      ['5m', [undefined]],
      [undefined, [undefined, '1h']],
      ['5m', ['1h']],
      ['5m', [undefined]],
    ])
  })

  it('is taken by every model, whether or not it has a use for it', () => {
    for (const { id, gateway } of catalogueModels()) {
      if (gateway) accepted({ ...said({ ...text, ...mark }), model: id })
    }
  })

  it('that cannot be had is refused by the name that the caller gave it', () => {
    const early = { role: 'user', content: [{ ...text, ...mark }] }
    const after = (message: object) => ({ model: 'claude-opus-5', messages: [early, message, user] })
    const refusedIn = (message: object) => refused(after(message)).details.param
    expect(refusedIn({ ...user, ...hour })).toBe('messages[1].cache_control')
    expect(refusedIn({ role: 'user', content: [text, image], ...hour })).toBe('messages[1].cache_control')
    expect(refusedIn({ role: 'assistant', content: 'I', refusal: 'will', ...hour })).toBe('messages[1].cache_control')
    const part = 'messages[1].content[0].cache_control'
    expect(refusedIn({ role: 'user', content: [{ ...text, ...hour }, image] })).toBe(part)
    expect(refusedIn({ role: 'user', content: [{ ...text, ...hour }], ...mark })).toBe(part)
    expect(refusedIn({ role: 'assistant', content: [{ ...text, ...hour }], ...mark })).toBe(part)
  })

  it.each([
    [{ type: 'persistent' }, 'type: expected ephemeral.'],
    [{ type: 'ephemeral', ttl: '1d' }, 'ttl: expected one of 5m, 1h.'],
  ])('%o is refused by name', (cache_control, words) => {
    expect(refused(said({ ...text, cache_control })).message).toBe(`messages[0].content[0].cache_control.${words}`)
    expect(refused(messages({ ...user, cache_control })).message).toBe(`messages[1].cache_control.${words}`)
  })
})
