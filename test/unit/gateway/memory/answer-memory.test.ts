// The places of answers in the isolate's memory: how many there are, how they grow, and which of them give way.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openAnswerMemory, type AnswerMemory, openAnswerBuffer } from '../../../../src/gateway/memory/answer-memory.ts'
import { openBodyMemory } from '../../../../src/gateway/memory/body-memory.ts'
import { createMemoryPool, POOL_LIMITS, type PoolLimits } from '../../../../src/gateway/memory/memory-pool.ts'
import { LIMITS, openPool } from './opened-pool.ts'

/** An answer that waits to be read, and whether it was dropped. */
function unread(place: AnswerMemory | null, since: number | null) {
  const answer = { since, isDropped: false }
  place?.watch({ waitsSince: () => (answer.isDropped ? null : answer.since), drop: () => (answer.isDropped = true) })
  return answer
}

describe('the place of an answer', () => {
  it('is refused where there are as many as there may be, of one owner or of all', () => {
    const { openAnswer } = openPool()
    for (let n = 0; n < LIMITS.ownerAnswers; n++) expect(openAnswer('a')).not.toBeNull()
    expect(openAnswer('a')).toBeNull()
    const others = [openAnswer('b'), openAnswer('c')]
    expect(others).not.toContain(null)
    expect(openAnswer('d')).toBeNull()
    others[0]?.release()
    expect(openAnswer('a')).toBeNull()
    expect(openAnswer('d')).not.toBeNull()
  })

  it('has a little of its own, full or not; what is more is of the same room as large bodies', () => {
    const { open, openAnswer } = openPool()
    expect(open().reserve(90)).toBe(true)
    const [answer, small] = [openAnswer(), openAnswer()]
    expect(answer?.resize(15)).toBe(true)
    expect(answer?.resize(16)).toBe(false)
    expect(small?.resize(5)).toBe(true)
    expect(open().reserve(11)).toBe(false)
    expect(answer?.resize(5)).toBe(true)
    expect(open().reserve(10)).toBe(true)
  })

  it('counts what is kept until its end with what waits, and waits a little for room for it', async () => {
    const { open, openAnswer, pass } = openPool()
    const body = open()
    expect(body.reserve(90)).toBe(true)
    const answer = openAnswer()
    expect([answer?.keep(10), answer?.resize(5), answer?.resize(6)]).toEqual([true, true, false])
    expect(answer?.resize(0)).toBe(true)
    const later = answer?.keep(30)
    body.release()
    pass(50)
    expect(await later).toBe(true)
    expect(open().reserve(76)).toBe(false)
    expect(answer?.keep(0)).toBe(true)
    expect(open().reserve(76)).toBe(true)
  })

  it('is told that there is no room for what is kept, after a while', async () => {
    const { open, openAnswer, pass } = openPool()
    expect(open().reserve(90)).toBe(true)
    const kept = openAnswer()?.keep(30)
    for (let waited = 0; waited < 5_000; waited += 50) {
      pass(50)
      await Promise.resolve()
      await Promise.resolve()
    }
    expect(await kept).toBe(false)
  })

  it('holds what cannot be helped, and others wait until it is less', () => {
    const { open, openAnswer } = openPool()
    const answer = openAnswer()
    expect(answer?.resize(300)).toBe(false)
    expect(open().reserve(11)).toBe(false)
    expect(openAnswer()).toBeNull()
    answer?.release()
    expect(open().reserve(100)).toBe(true)
  })

  it('that nobody reads gives way to a body, the longest unread first and no more than needed', () => {
    const { open, openAnswer, pass } = openPool()
    const places = [openAnswer(), openAnswer(), openAnswer()]
    for (const place of places) expect(place?.resize(35)).toBe(true)
    pass(1_000)
    const [read, longest, long] = [
      unread(places[0] ?? null, 900),
      unread(places[1] ?? null, 1),
      unread(places[2] ?? null, 2),
    ]
    expect(open().reserve(30)).toBe(true)
    expect([read.isDropped, longest.isDropped, long.isDropped]).toEqual([false, true, false])
    expect(open().reserve(30)).toBe(true)
    expect([read.isDropped, long.isDropped]).toEqual([false, true])
    expect(open().reserve(30)).toBe(false)
    expect(read.isDropped).toBe(false)
  })

  it('that nobody reads gives way to another answer, in number too', () => {
    const { openAnswer, pass } = openPool()
    const first = openAnswer('a')
    const answer = unread(first, 0)
    for (let n = 1; n < LIMITS.ownerAnswers; n++) openAnswer('a')
    pass(LIMITS.stalledMs - 1)
    expect(openAnswer('a')).toBeNull()
    pass(1)
    expect(openAnswer('a')).not.toBeNull()
    expect(answer.isDropped).toBe(true)
    expect(openAnswer('a')).toBeNull()
  })

  it('of another owner gives way only where the room of all is wanting', () => {
    const { open, openAnswer, pass } = openPool({ ...LIMITS, ownerBytes: 60 })
    const place = openAnswer('a')
    place?.resize(45)
    pass(500)
    const answer = unread(place, 0)
    expect(open('b').reserve(60)).toBe(true)
    expect(open('b').reserve(11)).toBe(false)
    expect(answer.isDropped).toBe(false)
    expect(open('c').reserve(20)).toBe(true)
    expect(answer.isDropped).toBe(true)
  })

  it('gives no way to one that is too large to fit anyhow', async () => {
    const { openAnswer, pass } = openPool()
    const place = openAnswer('a')
    place?.resize(45)
    pass(1_000)
    const answer = unread(place, 0)
    expect(await openAnswer('a')?.grow(LIMITS.ownerBytes)).toBe(false)
    expect(answer.isDropped).toBe(false)
  })

  it('that is itself unread takes from nobody', () => {
    const { openAnswer, pass } = openPool()
    const [older, newer] = [openAnswer(), openAnswer()]
    older?.resize(65)
    newer?.resize(45)
    pass(1_000)
    const answers = [unread(older, 0), unread(newer, 1)]
    expect(newer?.resize(60)).toBe(false)
    expect(answers.map(({ isDropped }) => isDropped)).toEqual([false, false])
  })

  it('that gave way stays out, however often its call looks after it', () => {
    const { open, openAnswer, pass, pendingTimers } = openPool()
    const place = openAnswer()
    place?.resize(105)
    pass(LIMITS.stalledMs)
    unread(place, 0)
    const body = open()
    expect(body.reserve(100)).toBe(true)
    for (let half = 0; half < 4; half++) pass(LIMITS.leaseMs / 2)
    place?.resize(50)
    const another = open()
    expect(another.reserve(11)).toBe(false)
    for (const each of [place, body, another]) each?.release()
    expect(pendingTimers()).toBe(0)
    expect(open().reserve(100)).toBe(true)
  })

  it('counts as free soon after its call was ended by force', () => {
    const { openAnswer, pass, killCall } = openPool()
    for (let n = 0; n < LIMITS.ownerAnswers; n++) openAnswer('a')
    killCall()
    pass(LIMITS.leaseMs - 1)
    expect(openAnswer('a')).toBeNull()
    pass(1)
    expect(openAnswer('a')).not.toBeNull()
  })

  it('grows with a whole answer four times its bytes, and waits for room a while', async () => {
    const { open, openAnswer, pass } = openPool()
    const body = open()
    body.reserve(50)
    const place = openAnswer()
    expect(place?.grow(10)).toBe(true)
    const later = place?.grow(20)
    body.release()
    pass(50)
    expect(await later).toBe(true)
    expect(await place?.grow(30)).toBe(false)
  })

  it('does not let a whole answer wait for ever', async () => {
    const { open, openAnswer, pass } = openPool()
    open().reserve(100)
    const growing = openAnswer()?.grow(20)
    for (let look = 0; look < 200; look++) {
      pass(50)
      await Promise.resolve()
    }
    expect(await growing).toBe(false)
  })

  it('is there for 500 quick answers of one owner at once, large bodies or not', () => {
    const pool = createMemoryPool({ now: () => 0, after: () => () => undefined })
    const bodies = Array.from({ length: 4 }, () => openBodyMemory(pool, 'a', () => undefined))
    for (const body of bodies) expect(body.reserve(4 * 1024 * 1024)).toBe(true)
    const answers = Array.from({ length: 500 }, () => openAnswerMemory(pool, 'a'))
    expect(answers).not.toContain(null)
    for (const answer of answers) expect(answer?.resize(POOL_LIMITS.answerBytes)).toBe(true)
  })

  it('is never overdrawn by more than what came at once, whoever reads or does not', () => {
    const step = fc.record({
      who: fc.nat({ max: 11 }),
      does: fc.constantFrom('grows', 'is read', 'ends', 'time passes'),
      bytes: fc.integer({ min: 1, max: 30 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { openAnswer, pass, now } = openPool()
        const held = new Map<number, { place: AnswerMemory; bytes: number; since: number; isDropped: boolean }>()
        for (const { who, does, bytes } of steps) {
          const mine = held.get(who)
          if (does === 'time passes') pass(150)
          else if (mine === undefined) {
            const place = openAnswer(who < 6 ? 'a' : 'b')
            if (place === null) continue
            const answer = { place, bytes: 0, since: now(), isDropped: false }
            const drop = () => void Object.assign(answer, { isDropped: true, bytes: 0 })
            place.watch({ waitsSince: () => (answer.bytes > 0 ? answer.since : null), drop })
            held.set(who, answer)
          } else if (does === 'ends' || mine.isDropped) {
            mine.place.release()
            held.delete(who)
          } else if (does === 'is read') {
            Object.assign(mine, { bytes: 0, since: now() })
            mine.place.resize(0)
          } else if (mine.place.resize(mine.bytes + bytes)) mine.bytes += bytes
          else mine.place.resize(mine.bytes) // a sender that is told to wait
          const counted = [...held.values()].reduce(
            (sum, each) => sum + Math.max(0, each.bytes - LIMITS.answerBytes),
            0,
          )
          expect(counted).toBeLessThanOrEqual(LIMITS.totalBytes)
          expect([...held.values()].filter(({ isDropped }) => !isDropped).length).toBeLessThanOrEqual(
            LIMITS.totalAnswers,
          )
        }
        for (const { place } of held.values()) place.release()
        expect(openAnswer('c')?.resize(LIMITS.totalBytes)).toBe(true)
      }),
      { seed: 20_261_120 },
    )
  })
})

const KIB = 1024

function openSmallPool(more: Partial<PoolLimits> = {}) {
  const limits = { ...LIMITS, totalBytes: 128 * KIB, ownerBytes: 128 * KIB, ...more }
  return createMemoryPool({ limits, now: () => 0, after: () => () => undefined })
}

const bytesOf = (length: number, fill: number) => new Uint8Array(length).fill(fill)

describe('the copy of an answer', () => {
  it('is all that was added, in order, whatever becomes of the pieces', () => {
    const copy = openAnswerBuffer(openSmallPool(), 'a')
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
    const pool = openSmallPool()
    const [whole, long] = [openAnswerBuffer(pool, 'a', 100), openAnswerBuffer(pool, 'a', 100)]
    whole.add([bytesOf(60, 1), bytesOf(40, 1)])
    long.add([bytesOf(60, 1), bytesOf(41, 1)])
    expect(whole.bytes()).toHaveLength(100)
    expect(long.bytes()).toBeNull()
    long.add([bytesOf(1, 1)])
    expect(long.bytes()).toBeNull()
  })

  it('counts twice in the memory of its owner, and is given up where there is no room for it', () => {
    const pool = openSmallPool({ ownerBytes: 64 * KIB })
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
    const pool = openSmallPool({ totalBytes: 64 * KIB })
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
    const pool = openSmallPool({ totalBytes: 64 * KIB, stalledMs: 0 })
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
