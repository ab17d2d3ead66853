// Verifies the usage counts: counts an organisation's calls again from all stored entries, and reports differences. A day is
// compared after the entry that closed it, because no call is added later. If some of a day's entries have expired, its rows
// must match the hash in that entry.
import type { Archive } from '../journal/archive.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import { EntriesStore } from '../journal/entries.store.ts'
import { SealedDetailsStore } from '../journal/sealed-details.store.ts'
import { SHORTEST_RETENTION_DAYS } from '../../policies/tier.policy.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import type { Journal } from '../journal/journal.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import { CallIndexStore } from './call-index.store.ts'
import { SettlementJoiner, type ClosedDay, type OpenCall } from './join-settlements.ts'
import { CountedDaysStore, DAYS_KEPT } from './counted-days.store.ts'
import { hashOfRows } from './day-rows.ts'
import { type Ending } from '../../evidence/records/call-endings.ts'
import {
  DIMENSIONS,
  getOrCreate,
  SUM_NAMES,
  Tally,
  type CohortRow,
  type DayRow,
  type HourRow,
  type LatencyRow,
} from './tally.ts'
import type { UsageCounter } from './usage-counter.ts'
import { UsageNamesStore } from './usage-names.store.ts'
import { UsageSumsStore } from './usage-sums.store.ts'
import { UsageStore } from './usage.store.ts'
import { addLatencies, NO_LATENCIES, type Latencies } from './latency-histogram.ts'

export type UsageChecked = {
  /** The first counts that differ from the entries, up to a limit. */
  differences: string[]
  /** Days that were compared row for row. */
  daysCompared: number
  /** Days of which some entries have expired. Their rows were checked against the hash in the closing entry. */
  daysByHash: number
  /** Entries that should be stored and cannot be read. */
  unreadable: number
  /** The size of the log: all stored entries before it were counted. */
  to: number
}

const MOST_DIFFERENCES = 100

/** About how many entries one turn counts. */
const ENTRIES_A_TURN = 500

type Parts = {
  sql: SqlStorage
  journal: Journal
  archive: Pick<Archive, 'readPage'>
  follower: UsageCounter
  takeTurn: TakeTurn
}

/** Compares the stored counts with the log's entries, in several turns. Rejects if R2 fails: ask again. */
export async function checkUsage({ sql, journal, archive, follower, takeTurn }: Parts): Promise<UsageChecked> {
  const check = new UsageCheck(sql, Date.now())
  const entries = new EntriesStore(sql)
  const sealed = new SealedDetailsStore(sql)
  const isInDatabase = (from: number, before: number): boolean => sealed.listCluster({ from, before }).length === 0
  let from = 0
  for (;;) {
    const before = takeTurn(() => journal.state.next)
    if (before - from < ENTRIES_A_TURN && isInDatabase(from, before)) {
      const checked = await follower.answer(takeTurn, () => {
        const { next } = journal.state
        // Entries may have been archived or appended meanwhile.
        if (next - from > 2 * ENTRIES_A_TURN || !isInDatabase(from, next)) return null
        check.add(entries.listAllWithContent(from, next))
        return check.finish(next)
      })
      if (checked !== null) return checked
    }
    const page = await archive.readPage({ from, before }, Date.now())
    for (let at = 0; at < page.entries.length; at += ENTRIES_A_TURN) {
      takeTurn(() => check.add(page.entries.slice(at, at + ENTRIES_A_TURN)))
      await scheduler.wait(0)
    }
    check.unreadable += page.unreadable
    from = page.next ?? before
    await scheduler.wait(0)
  }
}

class UsageCheck {
  readonly #countedDays: CountedDaysStore
  readonly #usage: UsageStore
  readonly #sums: UsageSumsStore
  readonly #today: number
  /** All entries of this day and later days are stored, in every tier. */
  readonly #firstStoredDay: number
  readonly #days = new Map<number, Tally>()
  /** Calls of the days that are stored whole, to compare their hours. A call counts in the hour of its decision. */
  readonly #recent = new Tally()
  readonly #open = new Map<number, OpenCall>()
  /** The endings of calls that the call index should have. */
  readonly #indexed = new Map<number, Ending>()
  readonly #index: CallIndexStore
  readonly #counter: SettlementJoiner
  readonly #differences: string[] = []
  #daysCompared = 0
  #daysByHash = 0
  unreadable = 0

  constructor(sql: SqlStorage, now: number) {
    this.#countedDays = new CountedDaysStore(sql)
    this.#usage = new UsageStore(sql)
    this.#index = new CallIndexStore(sql)
    this.#sums = new UsageSumsStore(sql)
    this.#today = utcDay(now)
    this.#firstStoredDay = this.#today - SHORTEST_RETENTION_DAYS + 1
    this.#counter = new SettlementJoiner({
      open: {
        insert: (call) => void this.#open.set(call.position, call),
        take: (position) => this.#take(position),
        takeWaiting: (approval) => {
          const waiting = this.#open.values().find((call) => call.approval === approval)
          return waiting === undefined ? null : this.#take(waiting.position)
        },
      },
      count: (call) => {
        getOrCreate(this.#days, call.day, () => new Tally()).add(call)
        if (utcDay(call.at) >= this.#firstStoredDay) this.#recent.add(call)
      },
      correct: (row) => getOrCreate(this.#days, row.day, () => new Tally()).addToDay(row),
      countFurtherRecord: (decision) =>
        getOrCreate(this.#days, decision.day, () => new Tally()).addFurtherRecord(decision),
      index: ({ position, ending, expiresAt }) => {
        if (expiresAt > now) this.#indexed.set(position, ending)
      },
      unindex: (position) => void this.#indexed.delete(position),
      close: (closed) => this.#compareClosed(closed),
      closedThrough: -1,
      nameUseCase: (useCase) => new UsageNamesStore(sql).nameKnownUseCase(useCase),
    })
  }

  /** Call it inside a turn. */
  add(entries: readonly StoredEntry[]): void {
    for (const entry of entries) this.#counter.add(entry)
  }

  /** Compares the days that are not closed, the hours and the open calls. Call it in a turn, after every entry was added. */
  finish(to: number): UsageChecked {
    const first = this.#firstStoredDay
    const stored = this.#countedDays.listFrom(first).filter(({ isClosed }) => !isClosed)
    const days = new Set([...stored.map(({ day }) => day), ...[...this.#days.keys()].filter((day) => day >= first)])
    for (const day of days) {
      const tally = this.#days.get(day) ?? new Tally()
      const counted = { ...countsOf(tally), latencies: [...tally.latencies.values()] }
      this.#addDifferences(day, compareDay(this.#stored(day), counted))
      this.#daysCompared += 1
    }
    this.#compareHours()
    this.#compareOpen(first)
    this.#compareIndex()
    return {
      differences: this.#differences,
      daysCompared: this.#daysCompared,
      daysByHash: this.#daysByHash,
      unreadable: this.unreadable + this.#counter.unreadable,
      to,
    }
  }

  #compareClosed({ day, requests, sha256 }: ClosedDay): void {
    const tally = this.#days.get(day) ?? new Tally()
    this.#days.delete(day)
    if (day <= this.#today - DAYS_KEPT) return
    const stored = this.#stored(day)
    const isHash = hashOfRows(stored.rows).toHex() === sha256
    if (!isHash) this.#addDifferences(day, ['sha256'])
    this.#addDifferences(
      day,
      this.#countedDays.differingMargins(day).map((dimension) => `margins.${dimension}`),
    )
    const counted = { ...countsOf(tally), latencies: withAllModels(tally.latencies.values()) }
    if (counted.rows.reduce((sum, { sums }) => sum + sums.requests, 0) < requests) {
      this.#daysByHash += 1
      return
    }
    this.#addDifferences(day, compareDay(stored, counted))
    this.#daysCompared += 1
  }

  #compareHours(): void {
    const range = { first: this.#firstStoredDay * HOURS_A_DAY, last: Number.MAX_SAFE_INTEGER }
    const stored = DIMENSIONS.flatMap((dimension): HourRow[] =>
      this.#sums.hours(range, dimension).map((row) => Object.assign(row, { dimension })),
    )
    const storedOn = Map.groupBy(stored, dayOf)
    const countedOn = Map.groupBy(this.#recent.hours.values(), dayOf)
    for (const day of new Set([...storedOn.keys(), ...countedOn.keys()])) {
      this.#addDifferences(day, compareHours(storedOn.get(day) ?? [], countedOn.get(day) ?? []))
    }
  }

  #compareOpen(first: number): void {
    const stored = new Set(this.#usage.listOpenThrough(Number.MAX_SAFE_INTEGER))
    for (const { position, day } of this.#open.values()) {
      if (!stored.delete(position) && day >= first) this.#addDifferences(day, [`open.${position}`])
    }
    for (const position of stored) {
      const day = this.#usage.findOpen(position)?.day ?? 0
      if (day >= first) this.#addDifferences(day, [`open.${position}`])
    }
  }

  /** Compares the calls of which the index has a row with those that the entries tell. Older ones may have expired. */
  #compareIndex(): void {
    const stored = this.#index.endings()
    for (const [position, ending] of this.#indexed) {
      if (stored.get(position) !== ending) this.#addDifferences(this.#today, [`index.${position}`])
    }
  }

  #addDifferences(day: number, places: readonly string[]): void {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    const room = MOST_DIFFERENCES - this.#differences.length
    this.#differences.push(...places.slice(0, room).map((place) => `${date}.${place}`))
  }

  #stored(day: number): DayCounts {
    return {
      rows: this.#countedDays.rowsOf(day),
      cohorts: this.#countedDays.cohortsOf(day),
      latencies: this.#countedDays.latenciesOf(day),
    }
  }

  #take(position: number): OpenCall | null {
    const call = this.#open.get(position) ?? null
    this.#open.delete(position)
    return call
  }
}

const dayOf = ({ hour }: HourRow): number => Math.floor(hour / HOURS_A_DAY)

const countsOf = ({ days, cohorts }: Tally) => ({ rows: [...days.values()], cohorts: [...cohorts.values()] })

const HOURS_A_DAY = 24

/** Counts by the name of the row that they are in. */
type Counts = Map<string, Record<string, number>>

type DayCounts = {
  rows: readonly DayRow[]
  cohorts: readonly CohortRow[]
  /** `model`: null for all models together, which only a closed day has. */
  latencies: readonly { model: string | null; latencies: Latencies }[]
}

/** Returns the names of counts that are not the same in both. */
const compareDay = (stored: DayCounts, counted: DayCounts): string[] => [
  ...compare(rowsOf(stored), rowsOf(counted)),
  ...compare(cohortsOf(stored), cohortsOf(counted)),
  ...compare(latenciesOf(stored), latenciesOf(counted)),
]

const compareHours = (stored: readonly HourRow[], counted: readonly HourRow[]): string[] =>
  compare(hoursOf(stored), hoursOf(counted))

/** Returns latencies as a closed day has them: with a row for all models together. */
function withAllModels(rows: Iterable<LatencyRow>): DayCounts['latencies'] {
  const models = Array.from(rows, ({ model, latencies }) => ({ model, latencies }))
  if (models.length === 0) return []
  let all = NO_LATENCIES
  for (const { latencies } of models) all = addLatencies(all, latencies)
  return [{ model: null, latencies: all }, ...models]
}

const rowsOf = ({ rows }: DayCounts): Counts =>
  new Map(
    rows.map(({ keyId, model, useCase, ending, sums }) => [
      nameOf('rows', keyId, model, useCase, ending),
      Object.fromEntries(SUM_NAMES.map((name) => [name, sums[name]])),
    ]),
  )

const cohortsOf = ({ cohorts }: DayCounts): Counts =>
  new Map(
    cohorts.map(({ cohort, model, useCase, ending, requests, refused }) => [
      nameOf('cohorts', cohort, model, useCase, ending),
      { requests, refused },
    ]),
  )

const latenciesOf = ({ latencies }: DayCounts): Counts =>
  new Map(
    latencies.map((each) => [
      nameOf('latencies', each.model),
      Object.fromEntries(Array.from(each.latencies, (count, bucket) => [String(bucket), count])),
    ]),
  )

const hoursOf = (rows: readonly HourRow[]): Counts =>
  new Map(
    rows.map(({ hour, dimension, value, endings, refused }) => [
      nameOf('hours', String(hour % HOURS_A_DAY), dimension, value),
      { ...endings, refused },
    ]),
  )

/** Joins parts that have no line break to the name of a count. */
const nameOf = (...parts: (string | null)[]): string => parts.map((part) => part ?? '-').join('\n')

function compare(stored: Counts, counted: Counts): string[] {
  const places = new Set([...stored.keys(), ...counted.keys()])
  return [...places].flatMap((place) => {
    const [one = {}, other = {}] = [stored.get(place), counted.get(place)]
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...names]
      .filter((name) => (one[name] ?? 0) !== (other[name] ?? 0))
      .map((name) => `${place}\n${name}`.replaceAll('\n', '.'))
  })
}
