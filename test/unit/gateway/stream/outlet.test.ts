// The caller's end of a stream, under time that passes when told to.
import { describe, expect, it } from 'vitest'
import { createOutlet } from '../../../../src/gateway/stream/outlet.ts'

function open() {
  const leaving = new AbortController()
  let stall: (() => void) | undefined
  const outlet = createOutlet({
    stallMs: 1000,
    signal: leaving.signal,
    after: (_, action) => {
      stall = action
      return () => {
        stall = undefined
      }
    },
  })
  return { outlet, leaving, stall: () => stall?.(), isTimed: () => stall !== undefined }
}

const MEBIBYTE = new Uint8Array(1024 * 1024)
const drainMicrotasks = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('an outlet', () => {
  it('has room while less than 1 MiB waits, and sets no timer for it', async () => {
    const { outlet, isTimed } = open()
    outlet.send([MEBIBYTE.subarray(1)])
    expect(await outlet.hasRoom()).toBe(true)
    expect(isTimed()).toBe(false)
    outlet.close()
  })

  it('makes its sender wait while 1 MiB waits, and go on once it is read', async () => {
    const { outlet, isTimed } = open()
    outlet.send([MEBIBYTE])
    let answered: boolean | undefined
    const asking = outlet.hasRoom().then((room) => (answered = room))
    await drainMicrotasks()
    expect([answered, isTimed()]).toEqual([undefined, true])
    const reader = outlet.body.getReader()
    expect((await reader.read()).value?.byteLength).toBe(MEBIBYTE.length)
    const reading = reader.read()
    expect(await asking).toBe(true)
    expect(isTimed()).toBe(false)
    outlet.close()
    expect((await reading).done).toBe(true)
  })

  it('has none once it has stalled, or its caller has left', async () => {
    const stalled = open()
    stalled.outlet.send([MEBIBYTE])
    const asking = stalled.outlet.hasRoom()
    await drainMicrotasks()
    stalled.stall()
    expect(await asking).toBe(false)

    const left = open()
    left.outlet.send([MEBIBYTE])
    left.leaving.abort()
    expect(await left.outlet.hasRoom()).toBe(false)
  })

  it('waits on for a slow caller who has read something since', async () => {
    const { outlet, stall, isTimed } = open()
    outlet.send([MEBIBYTE.subarray(1), MEBIBYTE])
    let answered: boolean | undefined
    const asking = outlet.hasRoom().then((room) => (answered = room))
    await outlet.body.getReader().read()
    stall()
    await drainMicrotasks()
    expect([answered, isTimed()]).toEqual([undefined, true])
    stall()
    expect(await asking).toBe(false)
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
