// The caller's end of a stream, under time that passes when told to.
import { describe, expect, it } from 'vitest'
import type { Unread } from '../../../../src/gateway/memory/memory-pool.ts'
import { createOutlet, HANDED_BYTES, type Outlet } from '../../../../src/gateway/stream/outlet.ts'

const STALL_MS = 1000

/** @param mayHold how many bytes its place lets it hold */
function open(mayHold = Infinity) {
  const leaving = new AbortController()
  let waiting: { ms: number; action: () => void } | undefined
  let now = 0
  const place = { held: 0, mayHold, isReleased: false, unread: undefined as Unread | undefined }
  const outlet = createOutlet({
    stallMs: STALL_MS,
    signal: leaving.signal,
    now: () => now,
    place: {
      resize(bytes) {
        place.held = bytes
        return bytes <= place.mayHold
      },
      grow: () => true,
      keep: () => true,
      watch: (unread) => void (place.unread = unread),
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
  return { outlet, leaving, pass, place, isTimed: () => waiting !== undefined }
}

/** Whether there is room, once that is known. */
function ask(outlet: Outlet): () => boolean | undefined {
  let answer: boolean | undefined
  void Promise.resolve(outlet.hasRoom()).then((room) => (answer = room))
  return () => answer
}

const MEBIBYTE = new Uint8Array(1024 * 1024)
const kibibytes = (count: number) => Array.from({ length: count }, () => new Uint8Array(1024))
const drainMicrotasks = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('an outlet', () => {
  it('has room while less than 1 MiB waits, says so at once, and sets no timer for it', () => {
    const { outlet, isTimed } = open()
    outlet.send([MEBIBYTE.subarray(1024)])
    expect(outlet.hasRoom()).toBe(true)
    expect(isTimed()).toBe(false)
    outlet.close()
  })

  it('makes its sender wait while 1 MiB waits, and go on once it is read', async () => {
    const { outlet, isTimed, pass } = open()
    outlet.send([MEBIBYTE])
    const answer = ask(outlet)
    await pass(STALL_MS / 2)
    expect([answer(), isTimed()]).toEqual([undefined, true])
    const reader = outlet.body.getReader()
    expect((await reader.read()).value?.byteLength).toBe(MEBIBYTE.length)
    await drainMicrotasks()
    await pass(STALL_MS / 2)
    expect([answer(), isTimed()]).toEqual([true, false])
    outlet.close()
    expect((await reader.read()).done).toBe(true)
  })

  it('has none once nothing was read for as long as the stall limit, and not before', async () => {
    const { outlet, pass, isTimed } = open()
    outlet.send([MEBIBYTE])
    const answer = ask(outlet)
    await drainMicrotasks()
    await pass(STALL_MS - 1)
    expect(answer()).toBe(undefined)
    await pass(STALL_MS)
    expect([answer(), isTimed()]).toEqual([false, false])
  })

  it('has none as soon as its caller has left', async () => {
    const before = open()
    before.outlet.send([MEBIBYTE])
    before.leaving.abort()
    expect(await before.outlet.hasRoom()).toBe(false)

    const meanwhile = open()
    meanwhile.outlet.send([MEBIBYTE])
    const answer = ask(meanwhile.outlet)
    await drainMicrotasks()
    meanwhile.leaving.abort()
    await drainMicrotasks()
    expect([answer(), meanwhile.isTimed()]).toEqual([false, false])
  })

  it('waits on for a slow caller: the stall limit counts from what was last read', async () => {
    const { outlet, pass } = open()
    outlet.send([MEBIBYTE.subarray(1), MEBIBYTE, MEBIBYTE])
    const answer = ask(outlet)
    const reader = outlet.body.getReader()
    await drainMicrotasks()
    await pass(STALL_MS - 1)
    await reader.read()
    await pass(STALL_MS - 1)
    expect(answer()).toBe(undefined)
    await pass(2 * STALL_MS)
    expect(answer()).toBe(false)
  })

  it('takes no more after its reader has cancelled, and does not mind', async () => {
    const { outlet } = open()
    await outlet.body.cancel()
    outlet.send([MEBIBYTE])
    expect(await outlet.hasRoom()).toBe(false)
    outlet.close()
  })

  it('hands over what waits in one piece, whole and in order', async () => {
    const { outlet } = open()
    const events = ['a', 'bc', 'def'].map((text) => new TextEncoder().encode(text))
    outlet.send(events)
    outlet.close()
    expect(await Array.fromAsync(outlet.body)).toEqual([new TextEncoder().encode('abcdef')])
  })

  it('hands over a little at a time, so that what waits is known and can be dropped', async () => {
    const { outlet, place } = open()
    outlet.send(kibibytes(64))
    const reader = outlet.body.getReader()
    await reader.read()
    expect(place.held).toBeLessThan(64 * 1224 - HANDED_BYTES)
    expect(place.held).toBeGreaterThan(48 * 1024 - 1)
    reader.releaseLock()
    outlet.close()
    const rest = await Array.fromAsync(outlet.body)
    expect(rest.map(({ byteLength }) => byteLength)).toEqual(Array<number>(3).fill(HANDED_BYTES))
    expect([place.held, place.isReleased]).toEqual([0, true])
  })

  it('counts what small pieces take beside their bytes', () => {
    const { outlet, place } = open()
    outlet.send(Array.from({ length: 1000 }, () => new Uint8Array(3)))
    expect(place.held).toBeGreaterThan(100_000)
    outlet.close()
  })

  it('makes its sender wait where its place has no room, and go on once it is read', async () => {
    const { outlet, pass, place } = open(20_000)
    outlet.send(kibibytes(40))
    const answer = ask(outlet)
    await pass(STALL_MS / 2)
    expect(answer()).toBeUndefined()
    const reader = outlet.body.getReader()
    for (let n = 0; n < 2; n++) await reader.read()
    await drainMicrotasks()
    await pass(100)
    expect(answer()).toBe(true)
    expect(place.held).toBeLessThan(20_000)
    outlet.close()
  })

  it('goes on as well once there is room though nothing was read', async () => {
    const { outlet, pass, place } = open(20_000)
    outlet.send(kibibytes(40))
    const answer = ask(outlet)
    await pass(100)
    place.mayHold = Infinity
    await pass(100)
    expect(answer()).toBe(true)
    outlet.close()
  })

  it('says since when it waits to be read, and that it does not where nothing waits', async () => {
    const { outlet, pass, place } = open()
    expect(place.unread?.waitsSince()).toBeNull()
    const reading = outlet.body.getReader().read()
    outlet.send([MEBIBYTE.subarray(0, 10)])
    await reading
    expect(place.unread?.waitsSince()).toBeNull()
    outlet.send([MEBIBYTE])
    ask(outlet)
    await pass(STALL_MS / 2)
    expect(place.unread?.waitsSince()).toBe(0)
    outlet.close()
  })

  it('that lost its place holds nothing, takes no more, and ends with what tells why', async () => {
    const { outlet, place } = open()
    outlet.send(kibibytes(40))
    place.unread?.drop()
    expect(await outlet.hasRoom()).toBe(false)
    outlet.send([new Uint8Array(7)])
    outlet.close([new Uint8Array(9)])
    const read = await Array.fromAsync(outlet.body)
    expect(read.map(({ byteLength }) => byteLength)).toEqual([9])
    expect(place.isReleased).toBe(true)
  })

  it('lets go of what nobody has read for the stall limit', async () => {
    const { outlet, pass, place } = open()
    outlet.send([MEBIBYTE])
    const answer = ask(outlet)
    await pass(2 * STALL_MS)
    expect([answer(), place.unread?.waitsSince()]).toEqual([false, null])
    outlet.close([new Uint8Array(9)])
    expect((await Array.fromAsync(outlet.body)).map(({ byteLength }) => byteLength)).toEqual([9])
  })
})

describe('an outlet that is over', () => {
  const gone = [new Uint8Array(5)]

  it('gives its place back at once where little waits', () => {
    const { outlet, place, isTimed } = open()
    outlet.send(kibibytes(4))
    outlet.close([new Uint8Array(1)], gone)
    expect([place.isReleased, isTimed()]).toEqual([true, false])
  })

  it('keeps its place until the rest is read', async () => {
    const { outlet, place, pass } = open()
    outlet.send(kibibytes(64))
    outlet.close([new Uint8Array(1)], gone)
    await pass(STALL_MS / 2)
    expect(place.isReleased).toBe(false)
    const read = await Array.fromAsync(outlet.body)
    expect(read.map(({ byteLength }) => byteLength)).toEqual([...Array<number>(4).fill(HANDED_BYTES), 1])
    await outlet.over
    expect(place.isReleased).toBe(true)
  })

  it.each([
    ['the stall limit has passed', (opened: ReturnType<typeof open>) => opened.pass(2 * STALL_MS)],
    [
      'its place went to others',
      async ({ place, pass }: ReturnType<typeof open>) => {
        place.unread?.drop()
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
    const { outlet, place, isTimed } = opened
    outlet.send(kibibytes(64))
    outlet.close([new Uint8Array(1)], gone)
    await drainMicrotasks()
    await happens(opened)
    await drainMicrotasks()
    expect([place.isReleased, isTimed()]).toEqual([true, false])
    expect((await Array.fromAsync(outlet.body)).map(({ byteLength }) => byteLength)).toEqual([5])
  })
})
