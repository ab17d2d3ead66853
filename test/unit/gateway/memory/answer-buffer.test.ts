import { describe, expect, it } from 'vitest'
import { openAnswerBuffer } from '../../../../src/gateway/memory/answer-memory.ts'
import { createMemoryPool, type PoolLimits } from '../../../../src/gateway/memory/memory-pool.ts'
import { LIMITS } from './opened-pool.ts'

const KIB = 1024

function openPool(more: Partial<PoolLimits> = {}) {
  const limits = { ...LIMITS, totalBytes: 128 * KIB, ownerBytes: 128 * KIB, ...more }
  return createMemoryPool({ limits, now: () => 0, after: () => () => undefined })
}

const bytesOf = (length: number, fill: number) => new Uint8Array(length).fill(fill)

describe('the copy of an answer', () => {
  it('is all that was added, in order, whatever becomes of the pieces', () => {
    const copy = openAnswerBuffer(openPool(), 'a')
    expect(copy.bytes()).toEqual(new Uint8Array(0))
    const piece = bytesOf(3, 1)
    copy.add([piece, bytesOf(20 * KIB, 2)])
    piece.fill(9)
    copy.add([bytesOf(1, 3)])
    const bytes = copy.bytes()
    expect(bytes?.length).toBe(20 * KIB + 4)
    expect([...(bytes ?? []).slice(0, 4), bytes?.at(-1)]).toEqual([1, 1, 1, 2, 3])
  })

  it('is given up where it is longer than what is kept, to the byte', () => {
    const pool = openPool()
    const [whole, long] = [openAnswerBuffer(pool, 'a', 100), openAnswerBuffer(pool, 'a', 100)]
    whole.add([bytesOf(60, 1), bytesOf(40, 1)])
    long.add([bytesOf(60, 1), bytesOf(41, 1)])
    expect(whole.bytes()).toHaveLength(100)
    expect(long.bytes()).toBeNull()
    long.add([bytesOf(1, 1)])
    expect(long.bytes()).toBeNull()
  })

  it('counts twice in the memory of its owner, and is given up where there is no room for it', () => {
    const pool = openPool({ ownerBytes: 64 * KIB })
    const [first, second] = [openAnswerBuffer(pool, 'a'), openAnswerBuffer(pool, 'a')]
    first.add([bytesOf(20 * KIB, 1)])
    expect(first.bytes()).not.toBeNull()
    second.add([bytesOf(20 * KIB, 1)])
    expect(second.bytes()).toBeNull()
    const other = openAnswerBuffer(pool, 'b')
    other.add([bytesOf(20 * KIB, 1)])
    expect(other.bytes()).not.toBeNull()
  })

  it('gives its room back when it is released, and when it is given up', () => {
    const pool = openPool({ totalBytes: 64 * KIB })
    const first = openAnswerBuffer(pool, 'a')
    first.add([bytesOf(20 * KIB, 1)])
    first.release()
    const long = openAnswerBuffer(pool, 'b', 32 * KIB)
    long.add([bytesOf(20 * KIB, 1)])
    long.add([bytesOf(20 * KIB, 1)])
    const next = openAnswerBuffer(pool, 'c', 32 * KIB)
    next.add([bytesOf(20 * KIB, 1)])
    expect([first.bytes(), long.bytes(), next.bytes()?.length]).toEqual([null, null, 20 * KIB])
  })

  it('takes no room from an answer that its caller is slow to read, and gives way to one at once', () => {
    const pool = openPool({ totalBytes: 64 * KIB, stalledMs: 0 })
    const slow = pool.enter('a', { bytes: 40 * KIB, answers: 1 })
    let isDropped = false
    slow?.watch({ waitsSince: () => 0, drop: () => void (isDropped = true) })
    const refused = openAnswerBuffer(pool, 'b')
    refused.add([bytesOf(20 * KIB, 1)])
    expect([refused.bytes(), isDropped]).toEqual([null, false])
    slow?.leave()

    const [copy, taken] = [openAnswerBuffer(pool, 'b'), openAnswerBuffer(pool, 'b')]
    for (const one of [copy, taken]) one.add([bytesOf(10, 1)])
    expect(taken.bytes()).toHaveLength(10)
    expect(pool.enter('a', { bytes: 32 * KIB, answers: 1 })).not.toBeNull()
    expect([copy.bytes(), taken.bytes()?.length]).toEqual([null, 10])
  })
})
