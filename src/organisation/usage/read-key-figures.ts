// Reads the figures of each key over a range of days: its calls, their cost, its last use, what stopped its calls, and the same
// counts of as many days before. The caller's turn must first have counted every entry.
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { lastUseOf } from '../journal/state/calls.ts'
import type { Stores } from '../organisation-stores.ts'
import { CallIndexStore, type StopCount } from './call-index.store.ts'
import { ENDINGS, NO_ENDINGS, NO_SUMS, outcomeOf, type Endings, type Sums } from './tally.ts'
import type { Days, UsageSum, UsageSumsStore } from './usage-sums.store.ts'

type Counts = Sums & Endings

/** The hour with the most calls. `at`: its beginning in milliseconds. */
export type BusiestHour = { at: number; requests: number }

/**
 * `lastUsedAt`: milliseconds; null if the key is unknown or was never used. `busiestHour`: null if there was no call, or if hours of these
 * days are no longer counted.
 */
export type KeyFigure = {
  keyId: string
  now: Counts
  before: Counts
  lastUsedAt: number | null
  busiestHour: BusiestHour | null
  stops: StopCount[]
}

/** `before`: the days that are compared with. */
export type KeyFigures = { before: Days; keys: KeyFigure[] }

type Parts = { sql: SqlStorage; stores: Pick<Stores, 'journal' | 'keys'>; counted: UsageSumsStore }

const STOPPING = ENDINGS.filter((ending) => outcomeOf(ending) !== 'passed')

/** Returns the keys that have calls in either range, the one with the most calls first. */
export function readKeyFigures({ sql, stores: { journal, keys }, counted }: Parts, days: Days, at: number): KeyFigures {
  const before = { first: 2 * days.first - days.last - 1, last: days.first - 1 }
  const [now, then] = [days, before].map((range) => byKey(counted.sums({ days: range, bucket: 'total', by: 'key' })))
  const period = { from: days.first * DAY_MS, until: (days.last + 1) * DAY_MS }
  const stops = new CallIndexStore(sql).count(period, { endings: STOPPING, rule: null, reason: null }, true, at)
  const hours = busiestHours(counted, days)
  const stopsOf = Map.groupBy(stops, ({ keyId }) => keyId)
  const ids = new Set([...(now?.keys() ?? []), ...(then?.keys() ?? [])])
  const figures = Array.from(ids, (keyId): KeyFigure => {
    const known = keys.findKey(keyId)
    return {
      keyId,
      now: now?.get(keyId) ?? NO_CALLS,
      before: then?.get(keyId) ?? NO_CALLS,
      lastUsedAt: lastUseOf(journal.state.calls, keyId) ?? known?.lastUsedAt ?? null,
      busiestHour: hours.get(keyId) ?? null,
      stops: stopsOf.get(keyId) ?? [],
    }
  })
  return { before, keys: figures.toSorted((one, other) => other.now.requests - one.now.requests) }
}

const NO_CALLS: Counts = { ...NO_SUMS, ...NO_ENDINGS }

const byKey = (sums: readonly UsageSum[]): Map<string, UsageSum> =>
  new Map(sums.flatMap((sum) => (sum.value === null ? [] : [[sum.value, sum] as const])))

/** The first hour with the most calls of each key. */
function busiestHours(counted: UsageSumsStore, { first, last }: Days): Map<string, BusiestHour> {
  const busiest = new Map<string, BusiestHour>()
  const hours = counted.hours({ first: first * HOURS_A_DAY, last: (last + 1) * HOURS_A_DAY - 1 }, 'key')
  for (const { hour, value, endings } of hours) {
    if (value === null) continue
    const requests = Object.values(endings).reduce((sum, one) => sum + one, 0)
    if (requests > (busiest.get(value)?.requests ?? 0)) busiest.set(value, { at: hour * HOUR_MS, requests })
  }
  return busiest
}

const HOURS_A_DAY = DAY_MS / HOUR_MS
