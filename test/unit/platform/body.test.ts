// Reading a body as far as there is room for it, its size told beforehand or not.
import { describe, expect, it } from 'vitest'
import { readWithRoom } from '../../../src/platform/body.ts'

const MIB = 1024 * 1024

/** A request whose body comes in these pieces, and how many of them were taken. */
function arriving(pieces: readonly Uint8Array[], headers: Record<string, string> = {}) {
  let taken = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[taken++]
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  return { request: new Request('http://countersign.test/', { method: 'POST', headers, body }), taken: () => taken }
}

const pieces = (count: number, bytes: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => new Uint8Array(bytes).fill(index))

/** Room up to a size, and every size it was asked for. */
function roomOf(bytes: number) {
  const asked: number[] = []
  return { asked, reserve: (size: number) => asked.push(size) > 0 && size <= bytes }
}

describe('a body of a size told beforehand', () => {
  const told = (bytes: number) => arriving(pieces(bytes / 10, 10), { 'content-length': String(bytes) })

  it('is read whole where there is room, asked for once and before anything is read', async () => {
    const { request } = told(30)
    const { asked, reserve } = roomOf(30)
    const read = await readWithRoom(request, 100, reserve)
    expect(read).toEqual(Uint8Array.from({ length: 30 }, (_, index) => Math.floor(index / 10)))
    expect(asked).toEqual([30])
  })

  it('is thrown away where there is none, so that its sender can hear of it', async () => {
    const { request, taken } = told(30)
    expect(await readWithRoom(request, 100, () => false)).toBe('no_room')
    expect(taken()).toBe(4)
  })

  it('over the limit is too large: no room is asked for, and it is not read', async () => {
    const { request } = told(110)
    const { asked, reserve } = roomOf(1_000)
    expect(await readWithRoom(request, 100, reserve)).toBe('too_large')
    expect(asked).toEqual([])
    expect(request.bodyUsed).toBe(false)
  })
})

describe('a body of unknown size', () => {
  it.each(['', 'x', '-1', '1e1'])('is what comes with the length %o', async (length) => {
    const { request } = arriving(pieces(2, 10), { 'content-length': length })
    const { asked, reserve } = roomOf(100)
    await readWithRoom(request, 100, reserve)
    expect(asked).toEqual([10, 20])
  })

  it('asks for room as it grows', async () => {
    const { request } = arriving(pieces(3, 10))
    const { asked, reserve } = roomOf(100)
    const read = await readWithRoom(request, 100, reserve)
    expect(read).toHaveLength(30)
    expect(asked).toEqual([10, 20, 30])
  })

  it('is thrown away from where there is none, and room is not asked for again', async () => {
    const { request, taken } = arriving(pieces(5, 10))
    const { asked, reserve } = roomOf(20)
    expect(await readWithRoom(request, 100, reserve)).toBe('no_room')
    expect(asked).toEqual([10, 20, 30])
    expect(taken()).toBe(6)
  })

  it('over the limit is too large, whether or not there was room', async () => {
    for (const room of [20, 1_000]) {
      const { request } = arriving(pieces(11, 10))
      const { asked, reserve } = roomOf(room)
      expect(await readWithRoom(request, 100, reserve)).toBe('too_large')
      expect(Math.max(...asked)).toBeLessThanOrEqual(100)
    }
  })

  it('is read no further than 1 MiB over the limit', async () => {
    const { request, taken } = arriving(pieces(40, MIB / 8))
    expect(await readWithRoom(request, 100, () => true)).toBe('too_large')
    expect(taken()).toBeLessThan(12)
  })

  it('and of nothing is empty', async () => {
    const request = new Request('http://countersign.test/', { method: 'POST' })
    expect(await readWithRoom(request, 100, () => true)).toEqual(new Uint8Array(0))
  })
})

describe('a body that is cut off', () => {
  it.each([{}, { 'content-length': '30' }])('is its sender’s fault, not ours (%o)', async (headers) => {
    for (const hasRoom of [true, false]) {
      const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) })
      const request = new Request('http://countersign.test/', { method: 'POST', headers, body })
      const reading = readWithRoom(request, 100, () => hasRoom)
      await expect(reading).rejects.toMatchObject({ name: 'AppError', code: 'invalid_request' })
    }
  })
})
