// The pool that large bodies and answers are held in: how much there is, who is refused, and that it always comes back.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryPool, POOL_LIMITS, type ReservedMemory } from '../../../../src/gateway/memory/memory-pool.ts'
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
})

describe('the sums of the pool', () => {
  type Timer = { at: number; action: () => void }
  type Holding = { owner: string; answers: number; memory: ReservedMemory; until: number; timer: Timer | null }

  /** Opens a pool together with a list of its holdings, which is summed up anew each time. */
  function openCheckedPool() {
    const limits = { ...LIMITS, ownerBytes: 60, totalAnswers: 5, ownerAnswers: 3 }
    let now = 0
    let started: Timer | null = null
    let stalled: Holding | null = null
    const all: Holding[] = []
    const pool = createMemoryPool({
      limits,
      now: () => now,
      after(delayMs, action) {
        started = { at: now + delayMs, action }
        return () => undefined
      },
    })

    function roomOf(isOf: (holding: Holding) => boolean, bytes: number, answers: number): [number, number] {
      const counted = all.filter((holding) => holding.until > now && isOf(holding))
      return counted.reduce(
        ([left, rest], { memory, answers: held }) => [left - memory.bytes(), rest - held],
        [bytes, answers],
      )
    }

    /** Returns the bytes and answers that the owner can still have. */
    function roomFor(owner: string): [number, number] {
      const own = roomOf((holding) => holding.owner === owner, limits.ownerBytes, limits.ownerAnswers)
      const whole = roomOf(() => true, limits.totalBytes, limits.totalAnswers)
      return [Math.min(own[0], whole[0]), Math.min(own[1], whole[1])]
    }

    function enter(owner: string, bytes: number, answers: number): void {
      const memory = pool.enter(owner, { bytes, answers })
      // Every holding that was dropped for this one has ended by now.
      const [mostBytes, mostAnswers] = roomFor(owner)
      expect(memory !== null).toBe(bytes <= mostBytes && answers <= mostAnswers)
      if (memory === null) return
      const holding: Holding = { owner, answers, memory, until: now + limits.leaseMs, timer: started }
      const waitsSince = (): number | null => (stalled === holding ? -limits.stalledMs : null)
      memory.watch({ waitsSince, drop: () => end(holding) })
      all.push(holding)
    }

    const end = (holding: Holding): void => void Object.assign(holding, { until: now, timer: null })

    const changes = {
      resize: ({ memory }: Holding, bytes: number) => void memory.resize(bytes),
      forceResize: ({ memory }: Holding, bytes: number) => memory.forceResize(bytes),
      killCall: (holding: Holding) => void (holding.timer = null),
      leave(holding: Holding) {
        holding.memory.leave()
        end(holding)
      },
      stall(holding: Holding, bytes: number) {
        stalled = holding
        enter(holding.owner, bytes, 1)
        stalled = null
      },
    }

    /** @param isLate if the timers that are due fire only when more time passes */
    function pass(ms: number, isLate: boolean): void {
      now += ms
      for (const holding of isLate ? [] : all) {
        if (holding.timer === null || holding.timer.at > now) continue
        holding.timer.action()
        Object.assign(holding, { timer: started, until: now + limits.leaseMs })
      }
    }

    /** Expects the pool to give an owner all that is left, and not one byte or answer more. */
    function expectRoom(owner: string): void {
      const [bytes, answers] = roomFor(owner)
      expect(pool.enter(owner, { bytes: bytes + 1, answers: 0 })).toBeNull()
      expect(pool.enter(owner, { bytes: 0, answers: answers + 1 })).toBeNull()
      const rest = pool.enter(owner, { bytes: Math.max(0, bytes), answers })
      expect(rest !== null).toBe(bytes >= 0)
      rest?.leave()
    }

    return { all, enter, changes, pass, expectRoom }
  }

  const [bytes, who, owner] = [fc.nat({ max: 40 }), fc.nat({ max: 20 }), fc.constantFrom('a', 'b', 'c')]
  const steps = fc.array(
    fc.oneof(
      fc.record({ what: fc.constant('enter' as const), owner, bytes, answers: fc.nat({ max: 1 }) }),
      fc.record({ what: fc.constantFrom('resize' as const, 'forceResize', 'killCall', 'leave', 'stall'), who, bytes }),
      fc.record({ what: fc.constant('pass' as const), ms: fc.constantFrom(1, 500, 999, 1_000), isLate: fc.boolean() }),
    ),
    { maxLength: 40 },
  )

  it('equal a walk over all holdings, however calls come, grow, leave, end by force and are dropped', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const { all, enter, changes, pass, expectRoom } = openCheckedPool()
        for (const step of taken) {
          if (step.what === 'enter') enter(step.owner, step.bytes, step.answers)
          else if (step.what === 'pass') pass(step.ms, step.isLate)
          else if (all.length > 0)
            for (const holding of all.slice(step.who % all.length).slice(0, 1)) changes[step.what](holding, step.bytes)
          for (const each of ['a', 'b', 'c']) expectRoom(each)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('are known without a walk: a call enters beside 1,000 others with the work of one that is alone', () => {
    const visits = vi.spyOn(Object.getPrototypeOf(new Set().values()), 'next')
    const now = vi.fn(() => 0)
    const pool = createMemoryPool({ now, after: () => () => undefined })
    const workOf = (): number[] => {
      visits.mockClear()
      now.mockClear()
      pool.enter('a', { bytes: 1, answers: 0 })?.leave()
      return [visits.mock.calls.length, now.mock.calls.length]
    }
    const alone = workOf()
    for (let n = 0; n < 1_000; n++) pool.enter(`owner ${n % 4}`, { bytes: 1, answers: 0 })
    expect(workOf()).toEqual(alone)
    visits.mockRestore()
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
