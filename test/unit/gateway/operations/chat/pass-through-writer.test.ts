// Standard chunks handed on: what changes, and that nothing else does.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerHasher } from '../../../../../src/evidence/records/answer-hasher.ts'
import type { EventWriter } from '../../../../../src/gateway/stream/event-writer.ts'
import { createPassThroughWriter } from '../../../../../src/gateway/operations/chat/pass-through-writer.ts'
import { modelNamed } from '../../../../fixtures/providers/models.ts'
import { AQTA, chunkOf, fail, finish, itemsOf, push, USAGE } from '../../stream/writing.ts'
import { openai } from '../../../../fixtures/providers/openai.ts'
import { dataStream } from '../../../../fixtures/providers/material.ts'

const model = modelNamed('gpt-4.1-mini')
const write = (options: { includeUsage?: boolean; choices?: number } = {}) =>
  createPassThroughWriter({ includeUsage: false, choices: 1, hasher: new AnswerHasher(), ...options })

const chunk = (choices: object[], more: object = {}) => ({ id: 'c', object: 'chat.completion.chunk', choices, ...more })
const delta = (content: object, reason: string | null = null, index = 0) => ({
  index,
  delta: content,
  finish_reason: reason,
})
const SOME_USAGE = { prompt_tokens: 1, completion_tokens: 1 }
const USAGE_CHUNK = chunk([], { usage: SOME_USAGE })

describe('usage that was not asked for', () => {
  it('is taken out, and every other byte is kept', async () => {
    const writer = write()
    const sent = [...push(writer, await itemsOf(model, openai.stream)), ...finish(writer)]
    const all = openai.events
      .slice(0, -2)
      .map((event) => `data: ${JSON.stringify(event)}\n\n`.replace(',"usage":null', ''))
    expect(sent.slice(0, -2)).toEqual(all.slice(0, -1))
    expect(sent.join('')).not.toContain('"usage"')
    expect(chunkOf(sent.at(-2))).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }], aqta: AQTA })
    expect(sent.at(-1)).toBe('data: [DONE]\n\n')
  })

  it('is taken out wherever it stands and however it is spaced', async () => {
    const body = [
      'data: { "usage" : null, "id": "c", "choices": [{"index":0,"delta":{"role":"assistant","content":"a"}}] }',
      'data: {"id":"c","choices":[{"index":0,"delta":{"content":"b"}}] , "usage" : null , "x": 1 }',
    ]
    const sent = push(write(), await itemsOf(model, `${body.join('\n\n')}\n\n`))
    for (const event of sent) expect(event).not.toContain('usage')
    expect(sent[0]).toContain('{  "id": "c"')
    expect(chunkOf(sent[1])).toMatchObject({ x: 1 })
  })

  it('is taken out of the bytes where it stands as usual, whatever stands around it', async () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', ',"usage":null}', '\\', ',', ''))
    const padding = fc.constantFrom<object>({}, { obfuscation: 'aB,3' }, { x: { y: null } })
    await fc.assert(
      fc.asyncProperty(text, padding, async (content, more) => {
        const usual = chunk([delta({ role: 'assistant', content })], { usage: null, ...more })
        const [sent] = push(write(), await itemsOf(model, dataStream([usual])))
        expect(sent).toBe(`data: ${JSON.stringify({ ...usual, usage: undefined })}\n\n`)
      }),
      { numRuns: 50 },
    )
  })

  it('does not take the word out of a text', async () => {
    const content = 'say "usage":null, and ,"usage":null'
    const sent = push(write(), await itemsOf(model, dataStream([chunk([delta({ role: 'assistant', content })])])))
    expect(chunkOf(sent[0]).choices[0]?.delta.content).toBe(content)
  })

  it('is taken out of a finish chunk that carries it', async () => {
    const writer = write()
    const events = [
      chunk([delta({ role: 'assistant', content: 'a' })]),
      chunk([delta({}, 'stop')], { usage: SOME_USAGE }),
      '[DONE]',
    ]
    const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
    expect(chunkOf(sent.at(-2))).toMatchObject({ choices: [{ finish_reason: 'stop' }], aqta: AQTA })
    expect(sent.join('')).not.toContain('prompt_tokens')
  })
})

describe('usage that was asked for', () => {
  it('keeps its chunk, which gets aqta; nothing else changes', async () => {
    const writer = write({ includeUsage: true })
    const sent = [...push(writer, await itemsOf(model, openai.stream)), ...finish(writer)]
    const last = openai.events.at(-2)
    expect(sent.join('')).toBe(
      openai.stream.replace(JSON.stringify(last), JSON.stringify({ ...Object(last), aqta: AQTA })),
    )
  })

  it('is made up where its provider sent none', async () => {
    const writer = write({ includeUsage: true })
    const events = [chunk([delta({ role: 'assistant' })]), chunk([delta({}, 'stop')]), '[DONE]']
    const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
    expect(chunkOf(sent.at(-2))).toEqual({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [],
      usage: USAGE,
      aqta: AQTA,
    })
  })

  it.each([{ prompt_tokens: 5, completion_tokens: 'few' }, 'some', { prompt_tokens: [] }])(
    'is a guess in the place of one that cannot be read: %j',
    async (usage) => {
      const writer = write({ includeUsage: true })
      const events = [chunk([delta({ role: 'assistant' })]), chunk([delta({}, 'stop')]), chunk([], { usage }), '[DONE]']
      const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
      expect(chunkOf(sent.at(-2))).toMatchObject({ choices: [], usage: USAGE, aqta: AQTA })
      expect(sent.join('').match(/"usage":[^n]/g)).toHaveLength(1)
    },
  )

  it('is passed on where only what it cost cannot be read', async () => {
    const writer = write({ includeUsage: true })
    const usage = { ...SOME_USAGE, cost: 0.0021 }
    const events = [chunk([delta({ role: 'assistant' }, 'stop')]), chunk([], { usage }), '[DONE]']
    const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
    expect(chunkOf(sent.at(-2))).toMatchObject({ usage, aqta: AQTA })
  })

  it('sent twice is passed on once, the last', async () => {
    const writer = write({ includeUsage: true })
    const events = [chunk([delta({ role: 'assistant' }, 'stop')]), USAGE_CHUNK, USAGE_CHUNK, '[DONE]']
    const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
    expect(sent.filter((event) => event.includes('prompt_tokens'))).toHaveLength(1)
  })
})

describe('usage that came in parts', () => {
  const lastUsage = async (...reports: object[]) => {
    const writer = write({ includeUsage: true })
    const usages = reports.map((usage) => chunk([], { usage }))
    const events = [chunk([delta({ role: 'assistant' }, 'stop')]), ...usages, '[DONE]']
    return chunkOf([...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)].at(-2)).usage
  }

  it('is passed on as one, with the last value of each count', async () => {
    const parts = [
      { prompt_tokens: 5, completion_tokens: 1 },
      { prompt_tokens: null, completion_tokens: 3 },
    ]
    expect(await lastUsage(...parts)).toEqual({ prompt_tokens: 5, completion_tokens: 3 })
  })

  it.each([{ prompt_tokens: 5 }, { completion_tokens: 3 }])('is a guess where a part never came: %j', async (part) =>
    expect(await lastUsage(part)).toEqual(USAGE),
  )
})

describe('what is put right', () => {
  it('an id that a call lacks, and no other', async () => {
    const events = [
      chunk([delta({ role: 'assistant', content: null })]),
      chunk([
        delta({
          tool_calls: [
            { index: 0, function: { name: 'look', arguments: '' } },
            { index: 1, id: 'given', function: { name: 'go', arguments: '{}' } },
          ],
        }),
      ]),
      chunk([delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] })]),
    ]
    const sent = push(write(), await itemsOf(model, dataStream(events)))
    const calls = sent.flatMap((event) => chunkOf(event).choices[0]?.delta.tool_calls ?? [])
    expect(calls).toMatchObject([{ id: 'call_c_0_0' }, { id: 'given' }, { index: 0 }])
    expect(calls).not.toMatchObject([{}, {}, { id: 'call_c_0_0' }])
  })

  it('a role that is missing, for each choice', async () => {
    const events = [
      chunk([delta({ content: 'a' })]),
      chunk([delta({ content: 'b' }, null, 1)]),
      chunk([delta({ content: 'c' })]),
    ]
    const sent = push(write({ choices: 2 }), await itemsOf(model, dataStream(events)))
    expect(sent.map((event) => chunkOf(event).choices[0]?.delta.role)).toEqual(['assistant', 'assistant', undefined])
  })

  it('arguments that a call lacks, with its finish', async () => {
    const call = (index: number, more: object = {}) => ({ index, id: `c${index}`, function: { name: 'look', ...more } })
    const events = [
      chunk([delta({ role: 'assistant', tool_calls: [call(0)] })]),
      chunk([delta({ tool_calls: [call(1, { arguments: '{"a":1}' })] })]),
      chunk([delta({}, 'tool_calls')]),
      '[DONE]',
    ]
    const writer = write()
    const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
    expect(chunkOf(sent.at(-2)).choices[0]).toEqual({
      index: 0,
      delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      finish_reason: 'tool_calls',
    })
  })

  it('a finish reason the standard does not have', async () => {
    const writer = write()
    const events = [chunk([delta({ role: 'assistant' })]), chunk([delta({}, 'eos')]), '[DONE]']
    const sent = [...push(writer, await itemsOf(model, dataStream(events))), ...finish(writer)]
    expect(chunkOf(sent.at(-2)).choices[0]?.finish_reason).toBe('content_filter')
  })
})

describe('an answer is complete', () => {
  const asked = async (writer: EventWriter, events: readonly object[]): Promise<boolean> => {
    push(writer, await itemsOf(model, dataStream(events.map((event) => JSON.stringify(event)))))
    return writer.isComplete()
  }
  const start = chunk([delta({ role: 'assistant', content: 'a' })])
  const end = chunk([delta({}, 'stop')])

  it('once the usage chunk has come behind the finish', async () => {
    expect(await asked(write(), [start, end, USAGE_CHUNK])).toBe(true)
    expect(await asked(write({ includeUsage: true }), [start, end, USAGE_CHUNK])).toBe(true)
  })

  it.each<[string, readonly object[], number]>([
    ['nothing has come', [], 1],
    ['there is no usage yet', [start, end], 1],
    [
      'the usage is on the finish chunk, where it may not be the last',
      [start, chunk([delta({}, 'stop')], { usage: SOME_USAGE })],
      1,
    ],
    ['the usage came before the finish', [start, chunk([delta({ content: 'b' })], { usage: SOME_USAGE }), end], 1],
    ['nothing has finished', [start, USAGE_CHUNK], 1],
    ['the usage chunk came before the finish', [start, USAGE_CHUNK, end], 1],
    ['another choice has not finished', [start, chunk([delta({ content: 'b' }, null, 1)]), end, USAGE_CHUNK], 2],
    ['another choice has not begun', [start, end, USAGE_CHUNK], 2],
  ])('not while %s', async (_, events, choices) => expect(await asked(write({ choices }), events)).toBe(false))

  it('and then nothing is held back any more: what comes all the same is passed on', async () => {
    const writer = write()
    await asked(writer, [start, end, USAGE_CHUNK])
    finish(writer)
    const late = chunk([delta({ content: 'late' }, null, 1)])
    const sent = push(writer, await itemsOf(model, dataStream([late, chunk([delta({}, 'stop', 1)])])))
    expect(sent).toHaveLength(2)
    expect(fail(writer)).toHaveLength(1)
  })
})

describe('what is held back', () => {
  it('is the latest chunk from the first finish on, so that aqta is on the last', async () => {
    const writer = write({ choices: 2 })
    const events = [
      chunk([delta({ role: 'assistant' })]),
      chunk([delta({ role: 'assistant' }, null, 1)]),
      chunk([delta({}, 'stop')]),
      chunk([delta({ content: 'late' }, null, 1)]),
      chunk([delta({}, 'stop', 1)]),
      '[DONE]',
    ]
    const before = push(writer, await itemsOf(model, dataStream(events)))
    expect(before).toHaveLength(4)
    expect(before.join('')).not.toContain('aqta')
    expect(chunkOf(finish(writer)[0])).toMatchObject({ choices: [{ index: 1, finish_reason: 'stop' }], aqta: AQTA })
  })

  it('comes out before the error where the stream fails after it', async () => {
    const writer = write()
    const sent = push(writer, await itemsOf(model, dataStream([chunk([delta({ role: 'assistant' }, 'stop')])])))
    expect(sent).toEqual([])
    expect(fail(writer).map((event) => JSON.parse(event.slice(6)) as object)).toEqual([
      chunk([delta({ role: 'assistant' }, 'stop')]),
      { error: { code: 'provider_error' } },
    ])
  })
})

describe('what is passed on as it is', () => {
  it('comments, and line ends of every kind', async () => {
    const body = `: ping\r\n\r\n${dataStream([chunk([delta({ role: 'assistant', content: 'ü' })])], '\r\n')}`
    expect(push(write(), await itemsOf(model, body)).join('')).toBe(body)
  })

  it('an event without its closing blank line gets one, or the next would become part of it', async () => {
    const event = `data: ${JSON.stringify(chunk([delta({ role: 'assistant', content: 'a' })]))}`
    for (const end of ['', '\n', '\r\n']) {
      const writer = write()
      const sent = [...push(writer, await itemsOf(model, event + end)), ...fail(writer)].join('')
      expect(sent).toMatch(/\n\n(\n)?data: \{"error"/)
    }
  })

  it('but never an error a provider wrote', async () => {
    const body = dataStream([chunk([delta({ role: 'assistant' })]), { error: { message: 'zebra' } }])
    expect(push(write(), await itemsOf(model, body)).join('')).not.toContain('zebra')
  })
})
