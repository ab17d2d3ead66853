// Reads the figures of each key over a range of days: its calls, their cost, its last use, what stopped its calls, and the same
// counts of as many days before. The caller's turn must first have counted every entry.
import { DAY_MS } from '../../platform/time.ts'
import { lastUseOf } from '../journal/state/calls.ts'
import type { Stores } from '../organisation-stores.ts'
import { CallIndexStore, type StopCount } from './call-index.store.ts'
import { ENDING_NAMES, NO_ENDINGS, outcomeOf, type Endings } from '../../evidence/records/call-endings.ts'
import { NO_SUMS, type Sums } from './tally.ts'
import type { Days, UsageSum, UsageSumsStore } from './usage-sums.store.ts'

type Counts = Sums & Endings

/**
 * `lastUsedAt`: milliseconds; null if the key is unknown or was never used. `busiestHour`: null unless one key was asked for, or if no call
 * of it has ended in the hours that are still counted.
 */
export type KeyFigure = {
  keyId: string
  now: Counts
  before: Counts
  lastUsedAt: number | null
  busiestHour: { at: number; requests: number } | null
  stops: StopCount[]
}

/** `before`: the days that are compared with. */
export type KeyFigures = { before: Days; keys: KeyFigure[] }

type Parts = { sql: SqlStorage; stores: Pick<Stores, 'journal' | 'keys'>; counted: UsageSumsStore }

const STOPPING = ENDING_NAMES.filter((ending) => outcomeOf(ending) !== 'passed')

/** `only`: the key to read; null for all. */
export type KeyFiguresQuery = { days: Days; only: string | null }

/** Returns the keys that have calls in either range, the one with the most calls first. */
export function readKeyFigures(
  { sql, stores: { journal, keys }, counted }: Parts,
  { days, only }: KeyFiguresQuery,
  nowMs: number,
): KeyFigures {
  // As many days, just before these.
  const before = { first: 2 * days.first - days.last - 1, last: days.first - 1 }
  const [current, earlier] = [days, before].map((range) =>
    byKey(counted.sums({ days: range, bucket: 'total', by: 'key', ...(only !== null && { filter: { key: only } }) })),
  )
  const period = { from: days.first * DAY_MS, until: (days.last + 1) * DAY_MS }
  const stops = new CallIndexStore(sql).count(
    period,
    { endings: STOPPING, rule: null, reason: null, ...(only !== null && { key: only }) },
    { isByKey: true, nowMs },
  )
  const stopsOf = Map.groupBy(stops, ({ keyId }) => keyId)
  const ids = new Set([...(current?.keys() ?? []), ...(earlier?.keys() ?? [])])
  const figures = Array.from(ids, (keyId): KeyFigure => {
    const known = keys.findKey(keyId)
    return {
      keyId,
      now: current?.get(keyId) ?? NO_CALLS,
      before: earlier?.get(keyId) ?? NO_CALLS,
      lastUsedAt: lastUseOf(journal.state.calls, keyId) ?? known?.lastUsedAt ?? null,
      busiestHour: only === null ? null : counted.busiestHour(only, days),
      stops: stopsOf.get(keyId) ?? [],
    }
  })
  return { before, keys: figures.toSorted((one, other) => other.now.requests - one.now.requests) }
}

const NO_CALLS: Counts = { ...NO_SUMS, ...NO_ENDINGS }

const byKey = (sums: readonly UsageSum[]): Map<string, UsageSum> =>
  new Map(sums.flatMap((sum) => (sum.value === null ? [] : [[sum.value, sum] as const])))
