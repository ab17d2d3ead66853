// The caller's end of a stream, under time that passes when told to.
import { describe, expect, it } from 'vitest'
import type { StalledCaller } from '../../../../src/gateway/memory/memory-pool.ts'
import {
  createResponseStream,
  FLUSH_BYTES,
  type ResponseStream,
} from '../../../../src/gateway/stream/response-stream.ts'

const STALL_MS = 1000

/** @param mayHold how many bytes its place lets it hold */
function open(mayHold = Infinity) {
  const leaving = new AbortController()
  let waiting: { ms: number; action: () => void } | undefined
  let now = 0
  const place = { held: 0, mayHold, isReleased: false, caller: undefined as StalledCaller | undefined }
  const stream = createResponseStream({
    stallMs: STALL_MS,
    signal: leaving.signal,
    now: () => now,
    memory: {
      resize(bytes) {
        place.held = bytes
        return bytes <= place.mayHold
      },
      grow: () => true,
      keep: () => true,
      watch: (caller) => void (place.caller = caller),
      release: () => void (place.isReleased = true),
    },
    after: (ms, action) => {
      waiting = { ms, action }
      return () => {
        waiting = undefined
      }
    },
  })
  /** Lets time pass up to a limit, as long as anything waits for it. */
  async function pass(limitMs: number): Promise<void> {
    let passedMs = 0
    for (let next = waiting; next !== undefined && passedMs + next.ms <= limitMs; next = waiting) {
      passedMs += next.ms
      now += next.ms
      next.action()
      await drainMicrotasks()
    }
  }
  return { stream, leaving, pass, place, isTimed: () => waiting !== undefined }
}

/** Returns a function: it says whether there is room, or undefined while that is unknown. */
function ask(stream: ResponseStream): () => boolean | undefined {
  let answer: boolean | undefined
  void Promise.resolve(stream.hasRoom()).then((room) => (answer = room))
  return () => answer
}

const MEBIBYTE = new Uint8Array(1024 * 1024)
const kibibytes = (count: number) => Array.from({ length: count }, () => new Uint8Array(1024))
const drainMicrotasks = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('a response stream', () => {
  it('has room while less than 1 MiB waits, says so at once, and sets no timer for it', () => {
    const { stream, isTimed } = open()
    stream.send([MEBIBYTE.subarray(1024)])
    expect(stream.hasRoom()).toBe(true)
    expect(isTimed()).toBe(false)
    stream.close()
  })

  it('makes its sender wait while 1 MiB waits, and go on once it is read', async () => {
    const { stream, isTimed, pass } = open()
    stream.send([MEBIBYTE])
    const answer = ask(stream)
    await pass(STALL_MS / 2)
    expect([answer(), isTimed()]).toEqual([undefined, true])
    const reader = stream.body.getReader()
    expect((await reader.read()).value?.byteLength).toBe(MEBIBYTE.length)
    await drainMicrotasks()
    await pass(STALL_MS / 2)
    expect([answer(), isTimed()]).toEqual([true, false])
    stream.close()
    expect((await reader.read()).done).toBe(true)
  })

  it('has none once nothing was read for as long as the stall limit, and not before', async () => {
    const { stream, pass, isTimed } = open()
    stream.send([MEBIBYTE])
    const answer = ask(stream)
    await drainMicrotasks()
    await pass(STALL_MS - 1)
    expect(answer()).toBe(undefined)
    await pass(STALL_MS)
    expect([answer(), isTimed()]).toEqual([false, false])
  })

  it('has none as soon as its caller has left', async () => {
    const before = open()
    before.stream.send([MEBIBYTE])
    before.leaving.abort()
    expect(await before.stream.hasRoom()).toBe(false)

    const meanwhile = open()
    meanwhile.stream.send([MEBIBYTE])
    const answer = ask(meanwhile.stream)
    await drainMicrotasks()
    meanwhile.leaving.abort()
    await drainMicrotasks()
    expect([answer(), meanwhile.isTimed()]).toEqual([false, false])
  })

  it('waits on for a slow caller: the stall limit counts from what was last read', async () => {
    const { stream, pass } = open()
    stream.send([MEBIBYTE.subarray(1), MEBIBYTE, MEBIBYTE])
    const answer = ask(stream)
    const reader = stream.body.getReader()
    await drainMicrotasks()
    await pass(STALL_MS - 1)
    await reader.read()
    await pass(STALL_MS - 1)
    expect(answer()).toBe(undefined)
    await pass(2 * STALL_MS)
    expect(answer()).toBe(false)
  })

  it('takes no more after its reader has cancelled, and does not mind', async () => {
    const { stream } = open()
    await stream.body.cancel()
    stream.send([MEBIBYTE])
    expect(await stream.hasRoom()).toBe(false)
    stream.close()
  })

  it('hands over what waits in one piece, whole and in order', async () => {
    const { stream } = open()
    const events = ['a', 'bc', 'def'].map((text) => new TextEncoder().encode(text))
    stream.send(events)
    stream.close()
    expect(await Array.fromAsync(stream.body)).toEqual([new TextEncoder().encode('abcdef')])
  })

  it('hands over a little at a time, so that what waits is known and can be dropped', async () => {
    const { stream, place } = open()
    stream.send(kibibytes(64))
    const reader = stream.body.getReader()
    await reader.read()
    expect(place.held).toBeLessThan(64 * 1224 - FLUSH_BYTES)
    expect(place.held).toBeGreaterThan(48 * 1024 - 1)
    reader.releaseLock()
    stream.close()
    const rest = await Array.fromAsync(stream.body)
    expect(rest.map(({ byteLength }) => byteLength)).toEqual(Array<number>(3).fill(FLUSH_BYTES))
    expect([place.held, place.isReleased]).toEqual([0, true])
  })

  it('counts what small pieces take beside their bytes', () => {
    const { stream, place } = open()
    stream.send(Array.from({ length: 1000 }, () => new Uint8Array(3)))
    expect(place.held).toBeGreaterThan(100_000)
    stream.close()
  })

  it('makes its sender wait where its place has no room, and go on once it is read', async () => {
    const { stream, pass, place } = open(20_000)
    stream.send(kibibytes(40))
    const answer = ask(stream)
    await pass(STALL_MS / 2)
    expect(answer()).toBeUndefined()
    const reader = stream.body.getReader()
    for (let n = 0; n < 2; n++) await reader.read()
    await drainMicrotasks()
    await pass(100)
    expect(answer()).toBe(true)
    expect(place.held).toBeLessThan(20_000)
    stream.close()
  })

  it('goes on as well once there is room though nothing was read', async () => {
    const { stream, pass, place } = open(20_000)
    stream.send(kibibytes(40))
    const answer = ask(stream)
    await pass(100)
    place.mayHold = Infinity
    await pass(100)
    expect(answer()).toBe(true)
    stream.close()
  })

  it('says since when it waits to be read, and that it does not where nothing waits', async () => {
    const { stream, pass, place } = open()
    expect(place.caller?.waitsSince()).toBeNull()
    const reading = stream.body.getReader().read()
    stream.send([MEBIBYTE.subarray(0, 10)])
    await reading
    expect(place.caller?.waitsSince()).toBeNull()
    stream.send([MEBIBYTE])
    ask(stream)
    await pass(STALL_MS / 2)
    expect(place.caller?.waitsSince()).toBe(0)
    stream.close()
  })

  it('that lost its place holds nothing, takes no more, and ends with what tells why', async () => {
    const { stream, place } = open()
    stream.send(kibibytes(40))
    place.caller?.drop()
    expect(await stream.hasRoom()).toBe(false)
    stream.send([new Uint8Array(7)])
    stream.close([new Uint8Array(9)])
    const read = await Array.fromAsync(stream.body)
    expect(read.map(({ byteLength }) => byteLength)).toEqual([9])
    expect(place.isReleased).toBe(true)
  })

  it('lets go of what nobody has read for the stall limit', async () => {
    const { stream, pass, place } = open()
    stream.send([MEBIBYTE])
    const answer = ask(stream)
    await pass(2 * STALL_MS)
    expect([answer(), place.caller?.waitsSince()]).toEqual([false, null])
    stream.close([new Uint8Array(9)])
    expect((await Array.fromAsync(stream.body)).map(({ byteLength }) => byteLength)).toEqual([9])
  })
})

describe('a response stream that is over', () => {
  const gone = [new Uint8Array(5)]

  it('gives its place back at once where little waits', () => {
    const { stream, place, isTimed } = open()
    stream.send(kibibytes(4))
    stream.close([new Uint8Array(1)], () => gone)
    expect([place.isReleased, isTimed()]).toEqual([true, false])
  })

  it('keeps its place until the rest is read', async () => {
    const { stream, place, pass } = open()
    stream.send(kibibytes(64))
    stream.close([new Uint8Array(1)], () => gone)
    await pass(STALL_MS / 2)
    expect(place.isReleased).toBe(false)
    const read = await Array.fromAsync(stream.body)
    expect(read.map(({ byteLength }) => byteLength)).toEqual([...Array<number>(4).fill(FLUSH_BYTES), 1])
    await stream.over
    expect(place.isReleased).toBe(true)
  })

  it.each([
    ['the stall limit has passed', (opened: ReturnType<typeof open>) => opened.pass(2 * STALL_MS)],
    [
      'its place went to others',
      async ({ place, pass }: ReturnType<typeof open>) => {
        place.caller?.drop()
        await pass(100)
      },
    ],
    [
      'its caller has left',
      async ({ leaving, pass }: ReturnType<typeof open>) => {
        leaving.abort()
        await pass(100)
      },
    ],
  ])('lets go of what is not read, and tells so, when %s', async (_, happens) => {
    const opened = open()
    const { stream, place, isTimed } = opened
    stream.send(kibibytes(64))
    stream.close([new Uint8Array(1)], () => gone)
    await drainMicrotasks()
    await happens(opened)
    await drainMicrotasks()
    expect([place.isReleased, isTimed()]).toEqual([true, false])
    expect((await Array.fromAsync(stream.body)).map(({ byteLength }) => byteLength)).toEqual([5])
  })
})
