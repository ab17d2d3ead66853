// The pool that large bodies and answers are held in: how much there is, who is refused, and that it always comes back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { POOL_LIMITS } from '../../../../src/gateway/memory/memory-pool.ts'
import { LIMITS, openPool } from './opened-pool.ts'

const never = new Promise<never>(() => undefined)

describe('the pool', () => {
  it('takes large bodies up to its bytes and not one more', () => {
    const { open } = openPool()
    expect(open().reserve(60)).toBe(true)
    expect(open().reserve(41)).toBe(false)
    expect(open().reserve(40)).toBe(true)
    expect(open().reserve(11)).toBe(false)
  })

  it('is never asked of by a small body, full or not', () => {
    const { open, released } = openPool()
    open().reserve(100)
    for (let n = 0; n < 50; n++) expect(open().reserve(10)).toBe(true)
    expect(released).toHaveLength(1)
  })

  it('counts a body that grows once, at its last size', () => {
    const { open } = openPool()
    const growing = open()
    for (const bytes of [8, 11, 30, 50]) expect(growing.reserve(bytes)).toBe(true)
    expect(open().reserve(51)).toBe(false)
    expect(open().reserve(50)).toBe(true)
  })

  it('is given back by a body that outgrows it, which then gets none', () => {
    const { open } = openPool()
    open().reserve(50)
    const growing = open()
    expect(growing.reserve(50)).toBe(true)
    expect(growing.reserve(51)).toBe(false)
    expect(open().reserve(50)).toBe(true)
    expect(growing.reserve(5)).toBe(false)
  })

  it('is given back once, whoever says so how often', () => {
    const { open } = openPool()
    const place = open()
    place.reserve(100)
    place.release()
    place.release()
    expect(open().reserve(100)).toBe(true)
    expect(open().reserve(11)).toBe(false)
  })

  it('goes to nobody whose call is over, so that a late reader cannot take it for good', () => {
    const { open } = openPool()
    const left = open()
    left.release()
    expect(left.reserve(50)).toBe(false)
    expect(open().reserve(100)).toBe(true)
  })

  it('says when it is taken, once, and when it is given back', async () => {
    const { open, released } = openPool()
    const place = open()
    place.reserve(20)
    place.reserve(30)
    expect(released).toHaveLength(1)
    place.release()
    await expect(released[0]).resolves.toBeUndefined()
  })

  it('counts as free soon after a call was ended by force', () => {
    const { open, pass, killCall } = openPool()
    open().reserve(100)
    killCall()
    pass(LIMITS.leaseMs - 1)
    expect(open().reserve(11)).toBe(false)
    pass(1)
    expect(open().reserve(100)).toBe(true)
  })

  it('is kept by a call for as long as it lasts', () => {
    const { open, pass, pendingTimers } = openPool()
    const place = open()
    place.reserve(50)
    place.reserve(100)
    for (let half = 0; half < 30; half++) pass(LIMITS.leaseMs / 2)
    const another = open()
    expect(another.reserve(11)).toBe(false)
    place.release()
    another.release()
    expect(pendingTimers()).toBe(0)
    expect(open().reserve(100)).toBe(true)
  })

  it('is never all one owner’s', () => {
    const { open } = openPool({ ...LIMITS, ownerBytes: 60 })
    expect(open('a').reserve(40)).toBe(true)
    expect(open('a').reserve(21)).toBe(false)
    const second = open('a')
    expect(second.reserve(20)).toBe(true)
    expect(open('b').reserve(40)).toBe(true)
    expect(open('c').reserve(11)).toBe(false)
    second.release()
    expect(open('a').reserve(20)).toBe(true)
  })

  it('is never overdrawn, and is whole again when all are done, in whatever order', () => {
    const step = fc.record({ who: fc.nat({ max: 9 }), bytes: fc.nat({ max: 60 }), leaves: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { open } = openPool()
        const places = Array.from({ length: 10 }, open)
        const held = new Map<number, number>()
        const over = new Set<number>()
        for (const { who, bytes, leaves } of steps) {
          const others = [...held].reduce((sum, [each, size]) => (each === who ? sum : sum + size), 0)
          const size = Math.max(bytes, held.get(who) ?? 0)
          if (leaves) places[who]?.release()
          else {
            const fits = !over.has(who) && (size <= LIMITS.largeBytes || others + size <= LIMITS.totalBytes)
            expect(places[who]?.reserve(size)).toBe(fits)
            if (fits && size > LIMITS.largeBytes) held.set(who, size)
            if (fits) continue
          }
          held.delete(who)
          over.add(who)
        }
        for (const place of places) place.release()
        expect(open().reserve(LIMITS.totalBytes)).toBe(true)
      }),
    )
  })
})

describe('a large body that is on its way', () => {
  it('is handed on when it has arrived, and no timer is left', async () => {
    const { open, pendingTimers } = openPool()
    const place = open()
    place.reserve(20)
    expect(await place.waitFor(Promise.resolve('body'))).toBe('body')
    place.release()
    expect(pendingTimers()).toBe(0)
  })

  it('is given up when it has not arrived in time', async () => {
    const { open, pass } = openPool()
    const place = open()
    place.reserve(20)
    const arriving = place.waitFor(never)
    pass(LIMITS.arrivalMs)
    expect(await arriving).toBe('too_slow')
  })

  it('is given up as well where it has no room and is only read to be thrown away', async () => {
    const { open, pass } = openPool()
    const place = open()
    expect(place.reserve(101)).toBe(false)
    const arriving = place.waitFor(never)
    pass(LIMITS.arrivalMs)
    expect(await arriving).toBe('too_slow')
  })

  it('gets no more time by growing', async () => {
    const { open, pass } = openPool()
    const place = open()
    place.reserve(20)
    const arriving = place.waitFor(never)
    pass(LIMITS.arrivalMs - 1)
    place.reserve(30)
    pass(1)
    expect(await arriving).toBe('too_slow')
  })

  it('fails as its reading fails, and no timer is left', async () => {
    const { open, pendingTimers } = openPool()
    const place = open()
    place.reserve(20)
    await expect(place.waitFor(Promise.reject(new Error('cut')))).rejects.toThrow('cut')
    place.release()
    expect(pendingTimers()).toBe(0)
  })
})

describe('a large body that arrives slowly', () => {
  const SLOW = { ...LIMITS, slowMs: 200, arrivalMs: 1_000 }

  it('gives way to whoever needs its room, the slowest first, and is refused for want of room', async () => {
    const { open, openAnswer, pass, pendingTimers } = openPool(SLOW)
    const [slowest, slow] = [open(), open()]
    slowest.reserve(50)
    const arriving = slowest.waitFor(never)
    pass(1)
    slow.reserve(50)
    const stillArriving = slow.waitFor(never)
    pass(SLOW.slowMs - 2)
    const [early, late] = [open(), open()]
    expect(early.reserve(20)).toBe(false)
    pass(1)
    const answer = openAnswer()
    expect(answer?.resize(40)).toBe(true)
    expect(slowest.reserve(51)).toBe(false)
    pass(50)
    expect(await arriving).toBe('no_room')
    expect(late.reserve(60)).toBe(true)
    pass(50)
    expect(await stillArriving).toBe('no_room')
    for (const place of [slowest, slow, early, late, answer]) place?.release()
    expect(pendingTimers()).toBe(0)
  })

  it('keeps its room for as long as nobody needs it, and for good once it is there', async () => {
    const { open, pass } = openPool(SLOW)
    const place = open()
    place.reserve(100)
    const { promise, resolve } = Promise.withResolvers<string>()
    const arriving = place.waitFor(promise)
    pass(SLOW.slowMs * 2)
    resolve('body')
    expect(await arriving).toBe('body')
    pass(SLOW.slowMs * 2)
    expect(open().reserve(11)).toBe(false)
  })

  it('is not read on where it was all there only after its room was given to others', async () => {
    const { open, pass } = openPool(SLOW)
    const place = open()
    place.reserve(100)
    const { promise, resolve } = Promise.withResolvers<string>()
    const arriving = place.waitFor(promise)
    pass(SLOW.slowMs)
    expect(open().reserve(100)).toBe(true)
    resolve('body')
    expect(await arriving).toBe('no_room')
  })

  it('takes its room from nobody itself', () => {
    const { open, pass } = openPool(SLOW)
    const [growing, other] = [open(), open()]
    growing.reserve(50)
    other.reserve(50)
    for (const place of [growing, other]) void place.waitFor(never)
    pass(SLOW.slowMs)
    expect(growing.reserve(51)).toBe(false)
    expect(other.reserve(50)).toBe(true)
  })
})

describe('a small body', () => {
  it('may take its time', async () => {
    const { open, pass, pendingTimers } = openPool()
    const place = open()
    place.reserve(10)
    expect(pendingTimers()).toBe(0)
    const { promise, resolve } = Promise.withResolvers<string>()
    const arriving = place.waitFor(promise)
    pass(LIMITS.arrivalMs * 10)
    resolve('body')
    expect(await arriving).toBe('body')
  })
})

describe('the limits', () => {
  it('give room to eight of the largest bodies, four of one owner', () => {
    expect(POOL_LIMITS.totalBytes).toBe(8 * 4 * 1024 * 1024)
    expect(POOL_LIMITS.ownerBytes).toBe(4 * 4 * 1024 * 1024)
  })

  it('leave what answers have of their own within 32 MiB more', () => {
    expect(POOL_LIMITS.totalAnswers * POOL_LIMITS.answerBytes).toBe(32 * 1024 * 1024)
    expect(POOL_LIMITS.ownerAnswers).toBeLessThan(POOL_LIMITS.totalAnswers)
  })
})
