// Tests what a caller receives while its provider is silent, with a clock that the test moves.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StalledCaller } from '../../../../src/gateway/memory/memory-pool.ts'
import { createResponseStream } from '../../../../src/gateway/stream/response-stream.ts'
import { createTime, drainMicrotasks } from './time.ts'

const EVERY_MS = 15_000
const COMMENT = new TextEncoder().encode(': keep-alive\n\n')
const joined = (pieces: readonly Uint8Array[]): string =>
  pieces.map((piece) => new TextDecoder().decode(piece)).join('')
const isComment = (piece: Uint8Array): boolean => piece.length === COMMENT.length && piece[0] === COMMENT[0]

function open() {
  const time = createTime()
  const place = { held: 0, isReleased: false, caller: undefined as StalledCaller | undefined }
  const stream = createResponseStream({
    stallMs: 30_000,
    signal: new AbortController().signal,
    now: time.now,
    after: time.after,
    memory: {
      resize: (bytes) => {
        place.held = bytes
        return true
      },
      grow: () => true,
      keep: () => true,
      watch: (caller) => void (place.caller = caller),
      release: () => void (place.isReleased = true),
    },
  })
  return { time, place, stream }
}

type Opened = ReturnType<typeof open>
type Read = { at: number; piece: Uint8Array }

/** Reads on and on, as a runtime does whose client takes everything. */
function readAll({ time, stream }: Opened): Read[] {
  const reads: Read[] = []
  const reading = async () => {
    for await (const piece of stream.body) reads.push({ at: time.now(), piece })
  }
  void reading()
  return reads
}

/** A hop on the way to the caller that closes what it has heard nothing of for 60 seconds. */
function readBehindProxy({ time, stream }: Opened) {
  const proxy = { passed: [] as Uint8Array[], isClosed: false }
  const reader = stream.body.getReader()
  const close = () => {
    proxy.isClosed = true
  }
  const carry = async () => {
    for (;;) {
      const cancel = time.after(60_000, close)
      const { value } = await reader.read()
      cancel()
      if (value === undefined || proxy.isClosed) return
      proxy.passed.push(value)
    }
  }
  void carry()
  return proxy
}

const event = (number: number): Uint8Array => new TextEncoder().encode(`data: ${number}\n\n`)

describe('a caller whose provider is silent', () => {
  it('gets a comment every 15 seconds, counted from what came last', async () => {
    const opened = open()
    void opened.stream.keepAlive(COMMENT, EVERY_MS)
    const reads = readAll(opened)
    await opened.time.pass(40_000)
    opened.stream.send([event(1)])
    await opened.time.pass(40_000)
    opened.stream.close()
    expect(reads.map(({ at, piece }) => [at, isComment(piece)])).toEqual([
      [15_000, true],
      [30_000, true],
      [40_000, false],
      [55_000, true],
      [70_000, true],
    ])
  })

  it('gets none while something comes', async () => {
    const opened = open()
    void opened.stream.keepAlive(COMMENT, EVERY_MS)
    const reads = readAll(opened)
    for (let number = 0; number < 12; number++) {
      await opened.time.pass(14_999)
      opened.stream.send([event(number)])
    }
    await drainMicrotasks()
    expect(reads.map(({ piece }) => isComment(piece))).toEqual(Array<boolean>(12).fill(false))
    opened.stream.close()
  })

  it.each([
    ['stays connected for ten minutes behind a proxy that closes after 60 seconds of nothing', true],
    ['would lose its answer there without the comments', false],
  ])('%s', async (_, isKept) => {
    const opened = open()
    if (isKept) void opened.stream.keepAlive(COMMENT, EVERY_MS)
    const proxy = readBehindProxy(opened)
    await opened.time.pass(600_000)
    opened.stream.send([event(1)])
    await drainMicrotasks()
    expect(proxy.isClosed).toBe(!isKept)
    expect(proxy.passed.filter((piece) => !isComment(piece))).toHaveLength(isKept ? 1 : 0)
    opened.stream.close()
  })

  it('is told of the first comment when it is due, though it reads nothing yet', async () => {
    const { stream, time } = open()
    let at: number | null = null
    void stream.keepAlive(COMMENT, EVERY_MS).then(() => (at = time.now()))
    await time.pass(14_999)
    expect(at).toBeNull()
    await time.pass(1)
    await drainMicrotasks()
    expect(at).toBe(15_000)
    const reader = stream.body.getReader()
    expect((await reader.read()).value).toEqual(COMMENT)
    stream.close()
  })
})

describe('a caller who reads nothing', () => {
  it('has one comment at most before it, which takes no memory and is not held against it', async () => {
    const { stream, time, place } = open()
    void stream.keepAlive(COMMENT, EVERY_MS)
    await time.pass(600_000)
    expect([place.held, place.caller?.waitsSince()]).toEqual([0, null])
    stream.send([event(1), event(2)])
    stream.close()
    const read = await Array.fromAsync(stream.body)
    expect(joined(read)).toEqual(joined([event(1), event(2)]))
  })

  it('is not taken to have read because a comment was due', async () => {
    const { stream, time, place } = open()
    void stream.keepAlive(COMMENT, EVERY_MS)
    stream.send([event(1)])
    await time.pass(100_000)
    expect(place.caller?.waitsSince()).toBe(0)
    stream.close()
  })
})

describe('an answer that is over', () => {
  it('has no comment after its end, and leaves no timer', async () => {
    const opened = open()
    void opened.stream.keepAlive(COMMENT, EVERY_MS)
    const reads = readAll(opened)
    await opened.time.pass(15_000)
    opened.stream.close([event(1)])
    await opened.time.pass(100_000)
    expect(reads.map(({ piece }) => isComment(piece))).toEqual([true, false])
    expect(opened.time.pending()).toBe(0)
  })

  it('has none while its end waits to be read', async () => {
    const { stream, time } = open()
    void stream.keepAlive(COMMENT, EVERY_MS)
    stream.send(Array.from({ length: 40 }, () => new Uint8Array(1024)))
    stream.close([event(1)])
    await time.pass(29_000)
    const read = await Array.fromAsync(stream.body)
    expect(read.some(isComment)).toBe(false)
    expect(time.pending()).toBe(0)
  })

  it('leaves no timer where its reader cancels', async () => {
    const { stream, time } = open()
    void stream.keepAlive(COMMENT, EVERY_MS)
    await stream.body.cancel()
    await time.pass(EVERY_MS)
    expect(time.pending()).toBe(0)
  })
})

describe('whatever comes, and whenever it is read', () => {
  it('every event comes whole and in order, and of comments no two without 15 seconds between', async () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 50_000 }) }),
      fc.record({ does: fc.constant('send' as const), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ does: fc.constant('read' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { stream, time } = open()
        void stream.keepAlive(COMMENT, EVERY_MS)
        const reader = stream.body.getReader()
        const reads: Read[] = []
        const note = ({ value }: { value?: Uint8Array | undefined }) => {
          if (value !== undefined) reads.push({ at: time.now(), piece: value })
        }
        let sent = 0
        let asked = 0
        for (const next of steps) {
          if (next.does === 'pass') await time.pass(next.ms)
          if (next.does === 'send') stream.send(Array.from({ length: next.count }, () => event((sent += 1))))
          if (next.does !== 'read' || asked > reads.length) continue
          asked += 1
          void reader.read().then(note)
          await drainMicrotasks()
        }
        stream.close()
        if (asked > reads.length) await drainMicrotasks()
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          note({ value })
        }
        const said = reads.map(({ piece }) => piece).filter((piece) => !isComment(piece))
        expect(joined(said)).toBe(joined(Array.from({ length: sent }, (_, number) => event(number + 1))))
        const comments = reads.filter(({ piece }) => isComment(piece)).map(({ at }) => at)
        for (const [number, at] of comments.entries()) {
          if (number > 0) expect(at - (comments[number - 1] ?? 0)).toBeGreaterThanOrEqual(EVERY_MS)
        }
        expect(time.pending()).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})
