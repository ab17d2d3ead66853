import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseParser, readEvent, type SseEvent } from '../../../src/providers/sse.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function parse(chunks: readonly Uint8Array[]): (SseEvent & { raw: Uint8Array })[] {
  const parser = createSseParser({ maxEventBytes: 10_000 })
  const events = [...chunks.flatMap((chunk) => parser.push(chunk) ?? []), ...parser.end()]
  return events.map((raw) => {
    const { event, data } = readEvent(raw)
    return { raw, event, data }
  })
}

const dataOf = (text: string) => parse([encoder.encode(text)]).flatMap(({ data }) => (data === null ? [] : [data]))

/** Cuts bytes at the given places, so that pieces may be empty or a single byte. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end))
}

describe('reading server-sent events', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('reads %s line ends', (_, end) => {
    expect(dataOf(`event: a${end}data: one${end}${end}data: two${end}${end}`)).toEqual(['one', 'two'])
  })

  it('joins several data lines by a line feed, whatever their ends', () => {
    for (const end of ['\n', '\r', '\r\n']) expect(dataOf(`data: a${end}data:b\n\n`)).toEqual(['a\nb'])
  })
  it('keeps an empty data line', () => expect(dataOf('data\n\n')).toEqual(['']))
  it('ignores comments, blank lines, ids and unknown fields', () =>
    expect(dataOf(': ping\n\n\n\nid: 1\nretry: 5\ncolour: red\ndata: x\n\n')).toEqual(['x']))
  it('counts a last event without its blank line', () => {
    expect(dataOf('data: a\n\ndata: b\n')).toEqual(['a', 'b'])
    expect(dataOf('data: a\n\ndata: b')).toEqual(['a', 'b'])
    expect(dataOf('data: b\r')).toEqual(['b'])
  })
  it('ignores a byte order mark', () => expect(dataOf('\uFEFFdata: a\n\n')).toEqual(['a']))
  it('names the event', () => {
    expect(parse([encoder.encode('event: error\ndata: {}\n\n')])).toMatchObject([{ event: 'error', data: '{}' }])
  })
  it('does not split at line separators that are no line ends', () =>
    expect(dataOf('data: a\u2028b\u0085c\n\n')).toEqual(['a\u2028b\u0085c']))

  it('gives an event out as soon as its blank line is there', () => {
    const parser = createSseParser({ maxEventBytes: 100 })
    expect(parser.push(encoder.encode('data: a\n'))).toEqual([])
    expect(parser.push(encoder.encode('\n'))).toHaveLength(1)
  })

  it('refuses an event above the limit, in one piece or byte by byte', () => {
    const long = encoder.encode(`data: ${'x'.repeat(40)}\n\n`)
    expect(createSseParser({ maxEventBytes: 20 }).push(long)).toBeNull()
    const parser = createSseParser({ maxEventBytes: 20 })
    expect([...long].map((byte) => parser.push(Uint8Array.of(byte)))).toContain(null)
  })

  it('does not count events of a permitted size together', () => {
    const parser = createSseParser({ maxEventBytes: 20 })
    expect(parser.push(encoder.encode('data: 12345\n\n'.repeat(50)))).toHaveLength(50)
  })

  it('reads the same events however the bytes are cut, multi-byte characters included (cut emoji became U+FFFD)', () => {
    const lines = fc.constantFrom('data: Grüße 👋', 'data:漢字', 'event: x', ': 💬', '', 'data', 'id: 7')
    const texts = fc.array(fc.tuple(lines, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
        const bytes = encoder.encode(parts.map(([line, end]) => line + end).join(''))
        const whole = parse([bytes])
        expect(parse(cut(bytes, places))).toEqual(whole)
        expect(JSON.stringify(whole.map(({ data }) => data))).not.toContain('\uFFFD')
      }),
    )
  })

  it('gives the same events wherever the bytes are cut in two, and byte by byte', () => {
    const text = 'event: a\ndata: Grüße 👋\n\n: ping\n\ndata: x\r\n\r\ndata:y\rdata: z\r\rdata: {"a":1}\n\ndata: rest'
    const bytes = encoder.encode(text)
    const whole = parse([bytes])
    expect(whole).toHaveLength(6)
    for (let at = 0; at <= bytes.length; at++) expect(parse([bytes.slice(0, at), bytes.slice(at)])).toEqual(whole)
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
  })

  it('reads an event of one line as it reads every other: with LF as with CRLF', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('', ' ', '\uFEFF', ':', ' x ', '\0', '\u2028', 'error', '[DONE]', '"', '\\n'),
    )
    const name = fc.constantFrom(
      'data: ',
      'data:',
      'data',
      'data:  ',
      'event: ',
      'event:',
      'id: ',
      ': ',
      '\uFEFFdata: ',
      '',
    )
    const lines = fc.array(
      fc.tuple(name, value).map((parts) => parts.join('').replace(/[\r\n]/g, '')),
      { minLength: 1, maxLength: 3 },
    )
    const read = (all: readonly string[], end: string) =>
      parse([encoder.encode(all.map((line) => line + end).join('') + end)]).map(({ event, data }) => ({ event, data }))
    fc.assert(
      fc.property(lines, (all) => {
        expect(read(all, '\n')).toEqual(read(all, '\r\n'))
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['data: a\n\n', 'data: b\n\n'],
    ['data: a\n\ndata: ', 'b\n\n'],
  ])('does not hand out bytes that a later read overwrites: %j', (read, rest) => {
    const parser = createSseParser({ maxEventBytes: 100 })
    const chunk = encoder.encode(read)
    const [first] = parser.push(chunk) ?? []
    chunk.fill(0)
    const [second] = parser.push(encoder.encode(rest)) ?? []
    expect([first, second].map((event) => decoder.decode(event))).toEqual(['data: a\n\n', 'data: b\n\n'])
  })

  it('keeps every byte: the raw events in a row are the stream, even where it is no valid UTF-8', () => {
    const bytes = fc
      .uint8Array({ maxLength: 60 })
      .map((some) => some.map((byte) => (byte < 40 ? 10 + (byte % 4) : byte)))
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 5 }), (some, places) => {
        const raw = parse(cut(some, places)).flatMap((event) => Array.from(event.raw))
        expect(raw).toEqual(Array.from(some))
      }),
    )
    expect(decoder.decode(parse([encoder.encode('data: x\n\n')])[0]?.raw)).toBe('data: x\n\n')
  })
})
