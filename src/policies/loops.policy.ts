// Loop detection over one key's requests, known only by their hashes: the same request over and over, or a few requests
// in a cycle. A loop holds until its pattern has stopped. Pure: what was seen comes in, what to remember goes out.

export type LoopThresholds = {
  /** The same request this often within `repeatWindowMs` is a loop. */
  repeats: number
  repeatWindowMs: number
  /** Two to `longestCycle` distinct requests, in turn and without another between, this often within `cycleWindowMs`. */
  cycleRepeats: number
  longestCycle: number
  cycleWindowMs: number
  /** A loop is over once none of its requests has come for this long. */
  quietMs: number
}

export const LOOP_DEFAULTS: LoopThresholds = {
  repeats: 5,
  repeatWindowMs: 60_000,
  cycleRepeats: 5,
  longestCycle: 4,
  cycleWindowMs: 300_000,
  quietMs: 60_000,
}

/** An organisation's own thresholds are within these. Longer windows and more repeats are more to remember of each key. */
export const LOOP_BOUNDS = {
  repeats: { least: 2, most: 20 },
  windowSeconds: { least: 10, most: 300 },
  cycleRounds: { least: 2, most: 20 },
  cycleWindowSeconds: { least: 10, most: 3600 },
} as const

/** What came longer ago is in no window that can be chosen. */
export const LONGEST_REPEAT_WINDOW_MS = LOOP_BOUNDS.windowSeconds.most * 1000

type LoopChoices = {
  loopRepeats: number
  loopWindowSeconds: number
  loopCycleRounds: number
  loopCycleWindowSeconds: number
}

/** The thresholds with what is the organisation's own. */
export const loopThresholds = (own: LoopChoices): LoopThresholds => ({
  ...LOOP_DEFAULTS,
  repeats: own.loopRepeats,
  repeatWindowMs: own.loopWindowSeconds * 1000,
  cycleRepeats: own.loopCycleRounds,
  cycleWindowMs: own.loopCycleWindowSeconds * 1000,
})

export type SeenRequest = { hash: string; at: number }

/** A pattern found, and when one of its requests last came. */
export type ActiveLoop = { hashes: readonly string[]; lastAt: number }

export type SeenRequests = {
  /** The key's latest requests whatever their hash, oldest first: one fewer than the longest cycle takes. */
  recent: readonly SeenRequest[]
  /** When this request's own hash was seen last, oldest first: one fewer than a loop takes. */
  sameAt: readonly number[]
  active: readonly ActiveLoop[]
}

export const NOTHING_SEEN: SeenRequests = { recent: [], sameAt: [], active: [] }

/** Patterns remembered for one key; the one that has been quiet longest gives way. */
const MOST_ACTIVE = 16

/**
 * Whether this request belongs to a loop, and what to remember of it. Suppressed requests are remembered like all
 * others, since a caller that goes on has not stopped. Times must not go backwards.
 */
export function watchRequest(
  thresholds: LoopThresholds,
  seen: SeenRequests,
  request: SeenRequest,
): { looping: boolean; seen: SeenRequests } {
  const patterns = [...findRepeat(thresholds, seen.sameAt, request), ...findCycles(thresholds, seen.recent, request)]
  const current = seen.active.filter(({ lastAt }) => request.at - lastAt < thresholds.quietMs)
  const others = current.filter(({ hashes }) => !hashes.includes(request.hash))
  const mine = [
    ...current.filter(({ hashes }) => hashes.includes(request.hash)).map(({ hashes }) => hashes),
    ...patterns,
  ]
  const active = [...others, ...distinctSets(mine).map((hashes) => ({ hashes, lastAt: request.at }))]
  return {
    looping: mine.length > 0,
    seen: {
      recent: lastOf([...seen.recent, request], thresholds.longestCycle * thresholds.cycleRepeats - 1),
      sameAt: lastOf([...seen.sameAt, request.at], thresholds.repeats - 1),
      active: lastOf(active, MOST_ACTIVE),
    },
  }
}

function findRepeat(
  { repeats, repeatWindowMs }: LoopThresholds,
  sameAt: readonly number[],
  { hash, at }: SeenRequest,
): string[][] {
  const inWindow = sameAt.filter((earlier) => earlier > at - repeatWindowMs).length + 1
  return inWindow >= repeats ? [[hash]] : []
}

function findCycles(
  { cycleRepeats, longestCycle, cycleWindowMs }: LoopThresholds,
  recent: readonly SeenRequest[],
  request: SeenRequest,
): string[][] {
  const cycles: string[][] = []
  for (let length = 2; length <= longestCycle; length++) {
    const needed = length * cycleRepeats
    const last = [...recent.slice(-(needed - 1)), request]
    const firstAt = last[0]?.at ?? request.at
    if (last.length < needed || firstAt <= request.at - cycleWindowMs) continue
    const turn = last.slice(0, length).map(({ hash }) => hash)
    if (new Set(turn).size !== length) continue
    if (last.every(({ hash }, index) => hash === turn[index % length])) cycles.push(turn.toSorted())
  }
  return cycles
}

/** Patterns hold hashes in order, so two of the same set read the same. */
function distinctSets(patterns: ReadonlyArray<readonly string[]>): ReadonlyArray<readonly string[]> {
  return [...new Map(patterns.map((hashes) => [hashes.join(), hashes])).values()]
}

const lastOf = <T>(items: readonly T[], most: number): readonly T[] => (most > 0 ? items.slice(-most) : [])
