// Loop detection step by step must say what a reader of the rule would say with the whole history before him.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findLoops,
  LOOP_DEFAULTS,
  NOTHING_SEEN,
  renewLoops,
  type LoopThresholds,
  type SeenRequest,
  type SeenRequests,
} from '../../../src/policies/loops.policy.ts'

/** Stands in for the store between calls: the latest requests and loops of the key, the times of each hash. */
function createWatcher(thresholds: LoopThresholds = LOOP_DEFAULTS) {
  let kept: SeenRequests = NOTHING_SEEN
  const sameAt = new Map<string, readonly number[]>()
  return {
    watch(request: SeenRequest): boolean {
      const seen = { ...kept, sameAt: sameAt.get(request.hash) ?? [] }
      const matched = findLoops(thresholds, seen, request)
      const { longestCycle, cycleRepeats, repeats } = thresholds
      kept = {
        recent: [...seen.recent, request].slice(1 - longestCycle * cycleRepeats),
        sameAt: [...seen.sameAt, request.at].slice(1 - repeats),
        active: renewLoops(thresholds, seen.active, matched, request),
      }
      sameAt.set(request.hash, kept.sameAt)
      return matched.length > 0
    },
    kept: () => kept,
  }
}

/** The rule itself, from the whole history: a pattern found at j still holds at i if it has never been quiet since. */
function isLooping(history: readonly SeenRequest[], i: number): boolean {
  const { hash = '' } = history[i] ?? {}
  for (let j = 0; j <= i; j++) {
    for (const pattern of patternsAt(history, j)) {
      if (pattern.has(hash) && neverQuiet(history.slice(j, i + 1), pattern)) return true
    }
  }
  return false
}

function patternsAt(history: readonly SeenRequest[], j: number): Set<string>[] {
  const past = history.slice(0, j + 1)
  const last = past.at(-1)
  if (last === undefined) return []
  const found: Set<string>[] = []
  if (past.filter(({ hash, at }) => hash === last.hash && last.at - at < 60_000).length >= 5) {
    found.push(new Set([last.hash]))
  }
  for (const length of [2, 3, 4]) {
    const rounds = past.slice(-5 * length)
    const round = rounds.slice(0, length).map(({ hash }) => hash)
    const isCycle = rounds.length === 5 * length && rounds.every(({ hash }, n) => hash === round[n % length])
    const isDistinct = new Set(round).size === length
    if (isCycle && isDistinct && last.at - (rounds[0]?.at ?? 0) < 300_000) found.push(new Set(round))
  }
  return found
}

function neverQuiet(history: readonly SeenRequest[], pattern: ReadonlySet<string>): boolean {
  const times = history.filter(({ hash }) => pattern.has(hash)).map(({ at }) => at)
  return times.every((at, n) => n === 0 || at - (times[n - 1] ?? 0) < 60_000)
}

const gap = fc.constantFrom(0, 1, 900, 11_000, 14_999, 15_000, 15_001, 29_000, 59_999, 60_000, 61_000)

/** Runs of a few requests in turn, with single ones between them. */
const history = fc
  .array(
    fc.record({
      round: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }),
      times: fc.integer({ min: 1, max: 7 }),
      gap,
    }),
    { maxLength: 6 },
  )
  .map((runs) =>
    runs.flatMap(({ round, times, gap: apart }) =>
      Array(times)
        .fill(round)
        .flat()
        .map((hash) => ({ hash: String(hash), apart })),
    ),
  )
  .map((steps) => {
    let at = 0
    return steps.map(({ hash, apart }): SeenRequest => ({ hash, at: (at += apart) }))
  })

describe('findLoops and renewLoops', () => {
  it('finds exactly the loops that the whole history holds', () => {
    fc.assert(
      fc.property(history, (requests) => {
        const watcher = createWatcher()
        expect(requests.map((request) => watcher.watch(request))).toEqual(
          requests.map((_, index) => isLooping(requests, index)),
        )
      }),
      { numRuns: 400 },
    )
  })

  it('remembers a bounded number of loops, whatever is sent', () => {
    const request = fc.record({ hash: fc.integer({ min: 0, max: 30 }).map(String), apart: gap })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 200 }), (steps) => {
        const watcher = createWatcher({ ...LOOP_DEFAULTS, repeats: 2, cycleRepeats: 2 })
        let at = 0
        for (const { hash, apart } of steps) watcher.watch({ hash, at: (at += apart) })
        expect(watcher.kept().active.length).toBeLessThanOrEqual(16)
      }),
    )
  })

  it('suppresses the fifth of the same request within 60 seconds, whatever comes between', () => {
    const watcher = createWatcher()
    const looping = [0, 1, 2, 3, 4].map((n) => {
      for (let other = 0; other < 30; other++) watcher.watch({ hash: `other ${n} ${other}`, at: n * 14_000 })
      return watcher.watch({ hash: 'same', at: n * 14_000 })
    })
    expect(looping).toEqual([false, false, false, false, true])
  })

  it('lets a request through that comes every 15 seconds: five of them take 60', () => {
    const watcher = createWatcher()
    const looping = Array.from({ length: 20 }, (_, n) => watcher.watch({ hash: 'poll', at: n * 15_000 }))
    expect(looping).not.toContain(true)
  })

  it.each([2, 3, 4])(
    'suppresses a cycle of %i at the end of its fifth round, and each request of it after',
    (length) => {
      const watcher = createWatcher()
      const needed = 5 * length
      const looping = Array.from({ length: needed + length }, (_, n) =>
        watcher.watch({ hash: `step ${n % length}`, at: n * 14_000 }),
      )
      expect(looping.indexOf(true)).toBe(needed - 1)
      expect(looping.slice(needed)).toEqual(Array(length).fill(true))
    },
  )

  it.each([
    [299_999, true],
    [300_000, false],
  ])('takes five rounds within %i ms for a loop: %s', (lastAt, expected) => {
    const watcher = createWatcher()
    for (let n = 0; n < 9; n++) watcher.watch({ hash: `step ${n % 2}`, at: n * 30_000 })
    expect(watcher.watch({ hash: 'step 1', at: lastAt })).toBe(expected)
  })

  it('does not take five distinct requests in turn for a loop', () => {
    const watcher = createWatcher()
    const looping = Array.from({ length: 60 }, (_, n) => watcher.watch({ hash: `step ${n % 5}`, at: n * 13_000 }))
    expect(looping).not.toContain(true)
  })

  it('does not see a cycle once another request has come between', () => {
    const watcher = createWatcher()
    for (let n = 0; n < 9; n++) watcher.watch({ hash: `step ${n % 2}`, at: n * 20_000 })
    watcher.watch({ hash: 'another', at: 170_000 })
    expect(watcher.watch({ hash: 'step 1', at: 180_000 })).toBe(false)
  })

  it('leaves other requests of the key alone while a loop is suppressed', () => {
    const watcher = createWatcher()
    for (let n = 0; n < 6; n++) watcher.watch({ hash: 'same', at: n })
    expect(watcher.watch({ hash: 'other', at: 10 })).toBe(false)
    expect(watcher.watch({ hash: 'same', at: 11 })).toBe(true)
  })

  it('holds until the pattern has stopped for 60 seconds, counted from its last attempt', () => {
    const watcher = createWatcher()
    for (let n = 0; n < 5; n++) watcher.watch({ hash: 'same', at: n })
    expect(watcher.watch({ hash: 'same', at: 60_003 })).toBe(true)
    expect(watcher.watch({ hash: 'same', at: 120_002 })).toBe(true)
    expect(watcher.watch({ hash: 'same', at: 180_002 })).toBe(false)
  })
})
