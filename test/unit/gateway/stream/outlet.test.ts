// The caller's end of a stream, under time that passes when told to.
import { describe, expect, it } from 'vitest'
import { createOutlet, type Outlet } from '../../../../src/gateway/stream/outlet.ts'

const STALL_MS = 1000

function open() {
  const leaving = new AbortController()
  let waiting: { ms: number; action: () => void } | undefined
  const outlet = createOutlet({
    stallMs: STALL_MS,
    signal: leaving.signal,
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
      next.action()
      await drainMicrotasks()
    }
  }
  return { outlet, leaving, pass, isTimed: () => waiting !== undefined }
}

/** Whether there is room, once that is known. */
function ask(outlet: Outlet): () => boolean | undefined {
  let answer: boolean | undefined
  void Promise.resolve(outlet.hasRoom()).then((room) => (answer = room))
  return () => answer
}

const MEBIBYTE = new Uint8Array(1024 * 1024)
const drainMicrotasks = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('an outlet', () => {
  it('has room while less than 1 MiB waits, says so at once, and sets no timer for it', () => {
    const { outlet, isTimed } = open()
    outlet.send([MEBIBYTE.subarray(1)])
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

  it('hands over one event at a time, whole and in order', async () => {
    const { outlet } = open()
    const events = ['a', 'bc', 'def'].map((text) => new TextEncoder().encode(text))
    outlet.send(events)
    outlet.close()
    expect(await Array.fromAsync(outlet.body)).toEqual(events)
  })
})
