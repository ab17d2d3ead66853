// The state of an organisation as its first tables kept it, count by count.
import { DEFAULT_SETTINGS, type VersionedSettings } from '../../policies/organisation-settings.ts'
import { settingsInRow, type SettingsRow } from '../../policies/named-settings.ts'
import { MOST_RUNS, type Run } from '../journal/state/clock.ts'
import { createKeyLoops, type KeyLoops } from '../journal/state/loops.ts'
import type { OpenChat, UsedMonth } from '../journal/state/months.ts'
import { addCost, type DayCost, type OpenReading } from '../journal/state/readings.ts'
import { emptyState, type State } from '../journal/state/state.ts'
import { createCounts } from '../journal/state/counts.ts'
import { createTimes } from '../journal/state/times.ts'

/** @param next the position of the next entry */
export function readOlderState(sql: SqlStorage, next: number): State {
  const state = { ...emptyState(), next, counts: createCounts(next), settings: readSettings(sql) }
  readClock(sql, state)
  readCalls(sql, state)
  readMonths(sql, state)
  readReadings(sql, state)
  readLoops(sql, state)
  return state
}

/** Entries were of the clock's own times, which fall where a run begins. */
function readClock(sql: SqlStorage, { clock }: State): void {
  const [newest] = sql.exec<{ at: number }>('SELECT at FROM details ORDER BY position DESC LIMIT 1').toArray()
  clock.latest = newest?.at ?? 0
  clock.runs = sql
    .exec<Run>(
      `SELECT position, at FROM details WHERE position IN (SELECT first FROM detail_runs)
       ORDER BY position DESC LIMIT ${MOST_RUNS}`,
    )
    .toArray()
    .toReversed()
}

function readCalls(sql: SqlStorage, { calls, clock }: State): void {
  type Count = {
    subject: string
    last_at: number
    day: number
    in_day: number
    day_before: number
    in_day_before: number
  }
  const counts = sql.exec<Count>(
    'SELECT subject, last_at, day, in_day, day_before, in_day_before FROM call_counts ORDER BY subject',
  )
  for (const { subject, last_at: lastAt, day, in_day, day_before, in_day_before } of counts.toArray()) {
    const times = sql
      .exec<{ at: number }>('SELECT at FROM calls WHERE subject = ? ORDER BY at, n', subject)
      .toArray()
      .map(({ at }) => at)
    const [today, before] = [
      { day, calls: in_day },
      { day: day_before, calls: in_day_before },
    ]
    calls.set(subject, { window: createTimes(times), lastAt, today, before })
    clock.latest = Math.max(clock.latest, lastAt)
  }
}

function readMonths(sql: SqlStorage, { months }: State): void {
  const used = sql.exec<UsedMonth>(
    `SELECT month, requests, spent_microeur AS spentMicroeur, reserved_microeur AS reservedMicroeur
     FROM month_usage ORDER BY month`,
  )
  for (const { month, ...usage } of used) months.used.set(month, usage)
  const open = sql.exec<OpenChat>(
    'SELECT position, admitted_at AS at, microeur FROM chat_reservations ORDER BY position',
  )
  for (const chat of open) months.open.set(chat.position, { ...chat })
}

/** A day from before each had a row of its own cost what is still reserved in it, at least. */
const DAY_COSTS = `
  SELECT subject AS keyId, day, microeur FROM day_costs
  UNION ALL
  SELECT subject, day, SUM(microeur) FROM reservations
  WHERE (subject, day) NOT IN (SELECT subject, day FROM day_costs) GROUP BY subject, day
  ORDER BY day
`

function readReadings(sql: SqlStorage, { readings }: State): void {
  for (const { keyId, day, microeur } of sql.exec<DayCost>(DAY_COSTS)) addCost(readings.days, day, keyId, microeur)
  const open = sql.exec<OpenReading>(
    'SELECT position, subject AS keyId, day, microeur FROM reservations ORDER BY position',
  )
  for (const reading of open) readings.open.set(reading.position, { ...reading })
}

function readLoops(sql: SqlStorage, { loops }: State): void {
  const requests = sql.exec<{ key_id: string; recent: string; active: string }>(
    'SELECT key_id, recent, active FROM seen_requests',
  )
  for (const { key_id: keyId, recent, active } of requests.toArray()) {
    const times: KeyLoops['times'] = new Map(
      sql
        .exec<{ hash: string; same_at: string }>(
          'SELECT hash, same_at FROM seen_hashes WHERE key_id = ? ORDER BY last_at',
          keyId,
        )
        .toArray()
        .map(({ hash, same_at: sameAt }) => [hash, words(sameAt).map(Number)]),
    )
    const seen = { recent: words(recent).map(readRequest), times, active: words(active).map(readLoop) }
    loops.keys.set(keyId, { ...createKeyLoops(), ...seen })
  }
}

const SETTINGS = `
  SELECT tier, enabled_providers, requests_per_minute, requests_per_month, monthly_budget_microeur, default_max_tokens,
    cache_instructions, retention_days, loop_repeats, loop_window_seconds, loop_cycle_rounds, loop_cycle_window_seconds,
    version
  FROM settings
`

function readSettings(sql: SqlStorage): VersionedSettings {
  const [row] = sql.exec<SettingsRow>(SETTINGS).toArray()
  return row === undefined ? { ...DEFAULT_SETTINGS, version: 0 } : settingsInRow(row)
}

const words = (text: string): string[] => (text === '' ? [] : text.split(' '))

function readRequest(word: string): { hash: string; at: number } {
  const [hash = '', at = ''] = word.split('@')
  return { hash, at: Number(at) }
}

function readLoop(word: string): { hashes: string[]; lastAt: number } {
  const [hashes = '', lastAt = ''] = word.split('@')
  return { hashes: hashes.split(','), lastAt: Number(lastAt) }
}
