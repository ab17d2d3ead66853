// Detects loops in a key's requests, known only by hash: an equal request repeated, or a few requests in a cycle. A loop stays
// active until its requests stop. Pure: takes what was seen, returns what to remember.

export type LoopThresholds = {
  /** This many equal requests within `repeatWindowMs` are a loop. */
  repeats: number
  repeatWindowMs: number
  /** This many rounds of the same 2 to `longestCycle` distinct requests, without another between, within `cycleWindowMs`. */
  cycleRepeats: number
  longestCycle: number
  cycleWindowMs: number
  /** A loop ends when none of its requests has come for this long. */
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

/** The allowed range of an organisation's own thresholds, which bounds how much is remembered for each key. */
export const LOOP_BOUNDS = {
  repeats: { least: 2, most: 20 },
  windowSeconds: { least: 10, most: 300 },
  cycleRounds: { least: 2, most: 20 },
  cycleWindowSeconds: { least: 10, most: 3600 },
} as const

/** The most of a key's latest requests, and of the times of one request, that any allowed thresholds need. */
export const MOST_RECENT = LOOP_DEFAULTS.longestCycle * LOOP_BOUNDS.cycleRounds.most - 1
export const MOST_TIMES = LOOP_BOUNDS.repeats.most - 1

export type LoopSettings = {
  loopRepeats: number
  loopWindowSeconds: number
  loopCycleRounds: number
  loopCycleWindowSeconds: number
}

/** Returns the default thresholds with the organisation's own in their place. */
export const loopThresholds = (own: LoopSettings): LoopThresholds => ({
  ...LOOP_DEFAULTS,
  repeats: own.loopRepeats,
  repeatWindowMs: own.loopWindowSeconds * 1000,
  cycleRepeats: own.loopCycleRounds,
  cycleWindowMs: own.loopCycleWindowSeconds * 1000,
})

export type SeenRequest = { hash: string; at: number }

/** A pattern that was found, and when one of its requests last came. */
export type ActiveLoop = { hashes: readonly string[]; lastAt: number }

export type SeenRequests = {
  /** The key's latest requests, whatever their hash, oldest first. With the new request they cover the longest loop. */
  recent: readonly SeenRequest[]
  /** When this request's own hash came before, oldest first: at least one fewer than a loop takes. */
  sameAt: readonly number[]
  active: readonly ActiveLoop[]
}

export const NOTHING_SEEN: SeenRequests = { recent: [], sameAt: [], active: [] }

/** The most patterns remembered for one key; the one that has been quiet longest is dropped. */
const MOST_ACTIVE = 16

/** The hashes of a loop, sorted, so that equal sets are equal. */
type Pattern = readonly string[]

/**
 * Returns the loops that this request belongs to: active ones, and those that it completes. `seen` may contain more than these
 * thresholds need. Times must not go backwards.
 */
export function findLoops(thresholds: LoopThresholds, seen: SeenRequests, request: SeenRequest): readonly Pattern[] {
  const loopsOfRequest = seen.active.filter(
    (loop) => loop.hashes.includes(request.hash) && holds(thresholds, loop, request.at),
  )
  const patterns = loopsOfRequest.map(({ hashes }) => hashes)
  if (isRepeated(thresholds, seen.sameAt, request)) patterns.push([request.hash])
  for (let length = 2; length <= thresholds.longestCycle; length++) {
    const cycle = findCycle(thresholds, seen.recent, request, length)
    if (cycle !== null) patterns.push(cycle)
  }
  return patterns.length > 1 ? distinctSets(patterns) : patterns
}

/** Returns the active loops after a request that belongs to the loops `matched`. */
export function renewLoops(
  thresholds: LoopThresholds,
  active: readonly ActiveLoop[],
  matched: readonly Pattern[],
  { hash, at }: SeenRequest,
): readonly ActiveLoop[] {
  if (active.length === 0 && matched.length === 0) return active
  const others = active.filter((loop) => holds(thresholds, loop, at) && !loop.hashes.includes(hash))
  return [...others, ...matched.map((hashes) => ({ hashes, lastAt: at }))].slice(-MOST_ACTIVE)
}

/** Returns true if a loop is not over at that time. */
export const holds = ({ quietMs }: LoopThresholds, { lastAt }: ActiveLoop, at: number): boolean => at - lastAt < quietMs

function isRepeated(
  { repeats, repeatWindowMs }: LoopThresholds,
  sameAt: readonly number[],
  { at }: SeenRequest,
): boolean {
  const last = sameAt[sameAt.length - (repeats - 1)]
  return last !== undefined && last > at - repeatWindowMs
}

/** Returns the hashes of the cycle that this request completes, sorted, or null. One comparison rules out most requests. */
function findCycle(
  { cycleRepeats, cycleWindowMs }: LoopThresholds,
  recent: readonly SeenRequest[],
  request: SeenRequest,
  length: number,
): Pattern | null {
  const first = recent.length + 1 - length * cycleRepeats
  const firstAt = recent[first]?.at
  if (firstAt === undefined || firstAt <= request.at - cycleWindowMs) return null
  for (let index = recent.length; index >= first + length; index--) {
    if ((recent[index] ?? request).hash !== recent[index - length]?.hash) return null
  }
  const turn = recent.slice(first, first + length).map(({ hash }) => hash)
  return new Set(turn).size === length ? turn.toSorted() : null
}

const distinctSets = (patterns: readonly Pattern[]): readonly Pattern[] => [
  ...new Map(patterns.map((hashes) => [hashes.join(), hashes])).values(),
]
