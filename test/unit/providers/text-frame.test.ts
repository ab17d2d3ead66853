// Events read by their frame: whatever the events are, they mean what JSON and the schemas say they mean.
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { StreamEvent } from '../../../src/providers/chat-answer.ts'
import { endOfFramedText, learnFrame, type TextFrame } from '../../../src/providers/text-frame.ts'
import { decodeData } from './decoding.ts'
import { chatOf, EACH_PROVIDER } from '../../fixtures/providers/index.ts'
import type { ProviderId } from '../../../src/providers/provider-registry.ts'

const PROBE = '~ another text in the same place ~'

const chunkOf = (content: string, more: object = {}) =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null, ...more })

/** Stands in for a schema: returns the text, if the data is one piece of text and nothing else. */
function contentOf(data: string): string | null {
  const { choices } = JSON.parse(data) as { choices: { delta: { content: string } }[] }
  return choices[0]?.delta.content ?? null
}

const learnFrom = (data: string, text: string) => learnFrame(`data: ${data}\n\n`, text, contentOf)

function learn(data: string, text: string): TextFrame {
  const frame = learnFrom(data, text)
  if (frame === null) throw new Error('not learned')
  return frame
}

const encoder = new TextEncoder()
const utf8 = new TextDecoder()

/** The text of an event that fits the frame; null where it does not. */
function readFramed(frame: TextFrame, data: string, { before = 'data: ', behind = '\n\n' } = {}): string | null {
  const event = encoder.encode(before + data + behind)
  const end = endOfFramedText(frame, event)
  return end === -1 ? null : utf8.decode(event.subarray(frame.start.length, end))
}

describe('the frame of an event', () => {
  const frame = learn(chunkOf('Hello'), 'Hello')

  it('fits events that differ in nothing but the text', () => {
    for (const text of [' ', 'x', 'Grüße 👋', '漢字', '\u2028', '{}', 'usage']) {
      expect(readFramed(frame, chunkOf(text))).toBe(text)
    }
  })

  it.each([
    ['an empty text', chunkOf('')],
    ['a text with a quote', chunkOf('"')],
    ['a text with a backslash', chunkOf('\\')],
    ['a text with a line feed', chunkOf('\n')],
    ['a text with a control character that stands unescaped', chunkOf('a').replace('"a"', '"\u0001"')],
    ['another member', chunkOf('a', { x: 1 })],
    ['another finish reason', chunkOf('a').replace('"finish_reason":null', '"finish_reason":"stop"')],
    ['usage', chunkOf('a', { usage: { prompt_tokens: 1 } })],
    ['another choice', chunkOf('a').replace('"index":0', '"index":1')],
    ['something behind it', `${chunkOf('a')} `],
    ['something before it', ` ${chunkOf('a')}`],
    ['its end missing', chunkOf('a').slice(0, -1)],
    ['nothing at all', ''],
    ['no JSON', '[DONE]'],
  ])('does not fit an event with %s', (_, data) => expect(readFramed(frame, data)).toBeNull())

  it('fits an event of the same lines with the same ends, and no other', () => {
    expect(readFramed(frame, chunkOf('x'), { behind: '\r\n\r\n' })).toBeNull()
    expect(readFramed(frame, chunkOf('x'), { behind: '\n' })).toBeNull()
    expect(readFramed(frame, chunkOf('x'), { behind: '\n\n\n' })).toBeNull()
    expect(readFramed(frame, chunkOf('x'), { before: 'data:' })).toBeNull()
    expect(readFramed(frame, chunkOf('x'), { before: 'event: error\ndata: ' })).toBeNull()
    expect(readFramed(frame, chunkOf('x'), { before: ': ping\ndata: ' })).toBeNull()
    const named = learnFrame(`event: said\r\ndata: ${chunkOf('Hello')}\r\n\r\n`, 'Hello', contentOf)
    if (named === null) throw new Error('not learned')
    expect(readFramed(named, chunkOf('x'), { before: 'event: said\r\ndata: ', behind: '\r\n\r\n' })).toBe('x')
    expect(readFramed(named, chunkOf('x'), { before: 'event: error\r\ndata: ', behind: '\r\n\r\n' })).toBeNull()
    expect(readFramed(named, chunkOf('x'))).toBeNull()
  })

  it('fits events whose padding differs, in length as well', () => {
    const padded = learn(chunkOf('Hello', { obfuscation: 'aB3' }), 'Hello')
    expect(readFramed(padded, chunkOf('x', { obfuscation: 'r4nd0m' }))).toBe('x')
    expect(readFramed(padded, chunkOf('x', { obfuscation: '' }))).toBe('x')
    expect(readFramed(padded, chunkOf('x'))).toBeNull()
    expect(readFramed(padded, chunkOf('x', { obfuscation: 'a', usage: {} }))).toBeNull()
    expect(readFramed(padded, chunkOf('x', { obfuscation: '"' }))).toBeNull()
  })

  it('fits events with any number of spaces before their last brace, and nowhere else', () => {
    const spaced = (data: string, spaces: number) => `${data.slice(0, -1)}${' '.repeat(spaces)}}`
    for (const learnt of [frame, learn(spaced(chunkOf('Hello'), 3), 'Hello')]) {
      for (const spaces of [0, 1, 15]) expect(readFramed(learnt, spaced(chunkOf('x'), spaces))).toBe('x')
      expect(readFramed(learnt, chunkOf('x').replace('"usage"', ' "usage"'))).toBeNull()
      expect(readFramed(learnt, `${spaced(chunkOf('x'), 2)}}`)).toBeNull()
      expect(readFramed(learnt, spaced(chunkOf('x'), 2).slice(0, -1))).toBeNull()
    }
  })

  it('is not learned where the text cannot be told from what stands around it', () => {
    expect(learnFrom(chunkOf('c'), 'c')).toBeNull() // the id is the same, and comes first
    expect(learnFrom(chunkOf('a\nb'), 'a\nb')).toBeNull()
    expect(learnFrom(chunkOf('a', { x: PROBE }), 'a')).toBeNull()
    expect(learnFrom(chunkOf('a'), 'b')).toBeNull()
    const twice = '{"choices":[{"delta":{"content":"a","content":"a"}}]}'
    expect(learnFrom(twice, 'a')).toBeNull()
  })
})

type Events = readonly string[]

function decode(provider: ProviderId, events: Events): StreamEvent[] {
  const decoder = chatOf(provider).stream()
  return [...decodeData(decoder, events), ...decoder.close()]
}

/** The same events, each with another number of spaces before it: JSON does not mind them, and no frame fits them. */
const unframed = (events: Events): Events => events.map((data, at) => ' '.repeat(at) + data)

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 6 }) },
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n',
    '\u0000',
    '\ud800',
    'id',
    'text',
    'text_delta',
    'item_id',
    'msg_1',
    '0',
    PROBE,
    '"}',
  ),
)
const padding = fc.option(fc.string({ maxLength: 4 }), { nil: undefined })

/** With one character of it replaced or left out. */
function damaged(event: object, damage: { at: number; by: string }): string {
  const data = JSON.stringify(event)
  const at = damage.at % data.length
  return data.slice(0, at) + damage.by + data.slice(at + 1)
}

/** Some ids are made up anew each time. */
const withoutIds = (events: readonly StreamEvent[]) =>
  events.map((event) => (event.type === 'tool_call' ? { ...event, id: '' } : event))

describe.each(EACH_PROVIDER)('a stream of %s', (provider, { saying, events: sent, hasEnd }) => {
  const others = hasEnd ? sent.slice(0, -1) : sent

  it('means the same whether its events are read by frames or not', () => {
    const said = fc.tuple(texts, fc.nat(2), padding).map((parts) => saying(...parts))
    const other = fc.constantFrom(...others)
    const damage = fc.record({
      at: fc.nat(200),
      by: fc.constantFrom('', '"', '\\', 'x', '0', ',', '}', '\n', '\u0000', 'é'),
    })
    const event = fc.oneof(
      {
        weight: 20,
        arbitrary: fc
          .tuple(said, fc.nat(3))
          .map(([json, spaces]) => `${JSON.stringify(json).slice(0, -1)}${' '.repeat(spaces)}}`),
      },
      { weight: 2, arbitrary: other.map((json) => JSON.stringify(json)) },
      { weight: 1, arbitrary: fc.tuple(said, damage).map((parts) => damaged(...parts)) },
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 16 }), (events) => {
        expect(withoutIds(decode(provider, events))).toEqual(withoutIds(decode(provider, unframed(events))))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a stream', () => {
  it('is read without JSON where its texts are in a frame', () => {
    const events = Array.from({ length: 100 }, (_, at) => chunkOf(`word ${at}`))
    expect(parsesFor(events)).toBeLessThan(10)
  })

  it('is read without JSON where its events are padded with spaces, as Anthropic’s are', () => {
    const events = Array.from({ length: 100 }, (_, at) => `${chunkOf('a word').slice(0, -1)}${' '.repeat(at % 16)}}`)
    expect(parsesFor(events)).toBeLessThan(10)
  })

  it('of several choices has a frame for each', () => {
    const events = Array.from({ length: 100 }, (_, at) => chunkOf('a word').replace('"index":0', `"index":${at % 3}`))
    expect(parsesFor(events)).toBeLessThan(15)
  })

  it('whose every event is another, as where they are numbered, is not searched for frames on and on', () => {
    const events = Array.from({ length: 100 }, (_, at) => chunkOf('a word', { created: at }))
    expect(parsesFor(events)).toBeLessThan(110)
  })

  it('whose texts cannot be told from what stands before them is not searched for frames on and on', () => {
    const events = Array.from({ length: 100 }, (_, at) =>
      chunkOf(`word ${at}`).replace('{"content"', `{"refusal":null,"said":"word ${at}","content"`),
    )
    expect(parsesFor(events)).toBeLessThan(110)
  })
})

function parsesFor(events: Events): number {
  const parse = vi.spyOn(JSON, 'parse')
  try {
    decode('openai', events)
    return parse.mock.calls.length
  } finally {
    parse.mockRestore()
  }
}
