// Tests which events go at once and which go together, with a clock that the test moves.
import { describe, expect, it } from 'vitest'
import { createResponseStream, GATHER_MS, FLUSH_BYTES } from '../../../../src/gateway/stream/response-stream.ts'
import { createTime, drainMicrotasks } from './time.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const event = (number: number | string): Uint8Array => encoder.encode(`data: ${number}\n\n`)

/** A response stream whose caller reads on and on; `reads` are the events and when they came. */
function open({ clock = (now: number) => now } = {}) {
  const time = createTime()
  const stream = createResponseStream({
    stallMs: 30_000,
    signal: new AbortController().signal,
    now: () => clock(time.now()),
    after: time.after,
    memory: {
      resize: () => true,
      grow: () => true,
      keep: () => true,
      watch: () => undefined,
      release: () => undefined,
    },
  })
  const reads: [number, string][] = []
  const reading = async () => {
    for await (const piece of stream.body) reads.push([time.now(), decoder.decode(piece)])
  }
  const read = reading()
  return { time, stream, reads, read }
}

/** One read of all of these. */
const told = (at: number, ...numbers: (number | string)[]) => [
  [at, numbers.map((number) => decoder.decode(event(number))).join('')],
]

describe('a piece', () => {
  it('goes at once where nothing went a moment before, the first one always', async () => {
    const { time, stream, reads } = open()
    await drainMicrotasks()
    for (let number = 0; number < 4; number++) {
      stream.send([event(number)])
      await drainMicrotasks()
      expect(reads.at(-1)).toEqual([time.now(), decoder.decode(event(number))])
      expect(time.pending()).toBe(0)
      await time.pass(GATHER_MS)
    }
    stream.close()
  })

  it('that follows one closely waits a moment for more, and all of it goes then, in one', async () => {
    const { time, stream, reads } = open()
    for (let number = 0; number < 4; number++) {
      stream.send([event(number)])
      await drainMicrotasks()
    }
    expect(reads).toEqual(told(0, 0))
    await time.pass(GATHER_MS)
    expect(reads).toEqual([...told(0, 0), ...told(GATHER_MS, 1, 2, 3)])
    expect(time.pending()).toBe(0)
    stream.close()
  })

  it('waits no longer though the clock is put back an hour', async () => {
    let backMs = 0
    const { time, stream, reads } = open({ clock: (now) => now + 3_600_000 - backMs })
    await drainMicrotasks()
    stream.send([event(0)])
    await drainMicrotasks()
    backMs = 3_600_000
    stream.send([event(1)])
    await time.pass(GATHER_MS)
    expect(reads).toEqual([...told(0, 0), ...told(GATHER_MS, 1)])
    stream.close()
  })

  it('does not wait where as much has gathered as goes at once', async () => {
    const { time, stream, reads } = open()
    stream.send([event(0)])
    await drainMicrotasks()
    const large = event('x'.repeat(FLUSH_BYTES - 1_000))
    stream.send([large])
    await drainMicrotasks()
    expect(reads).toHaveLength(1)
    stream.send([large])
    await drainMicrotasks()
    expect([time.now(), reads.length, time.pending()]).toEqual([0, 2, 0])
    stream.close()
  })
})

describe('what has gathered', () => {
  it('goes with the end, which waits for nothing', async () => {
    const { time, stream, reads, read } = open()
    stream.send([event(0)])
    await drainMicrotasks()
    stream.send([event(1)])
    await drainMicrotasks()
    stream.close([event(2)])
    await read
    expect(reads).toEqual([...told(0, 0), ...told(0, 1, 2)])
    expect(time.pending()).toBe(0)
  })
})
