// Writes the counts of an organisation's calls, made from log entries only. Also stores the calls that have not ended, and up to
// which entry the log is counted. Rows change only while their day is open. Times are whole UTC days and hours since the epoch.
// Names are stored as numbers; 0 if a call has none.
import type { ApprovalId } from '../../platform/ids.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import type { OpenCall } from './join-settlements.ts'
import { endingNumber, ENDING_NAMES, ENDINGS } from '../../evidence/records/call-endings.ts'
import {
  DIMENSIONS,
  SUM_NAMES,
  type CohortRow,
  type DayRow,
  type HourRow,
  type LatencyRow,
  type Tally,
} from './tally.ts'
import { addLatencies, latenciesFromBytes, latenciesToBytes } from './latency-histogram.ts'
import { numberOfValue, UsageNamesStore } from './usage-names.store.ts'

const SUM_COLUMNS = SUM_NAMES.map((name) => `${name} INTEGER NOT NULL CHECK (${name} >= 0)`).join(',\n    ')
/** The endings that the first schema had. A migration adds the column of a later one. */
const FIRST_ENDINGS = ENDINGS.filter(({ number }) => number <= 11)
const ENDING_COLUMNS = FIRST_ENDINGS.map(({ name }) => `${name} INTEGER NOT NULL CHECK (${name} >= 0)`).join(',\n    ')

export const USAGE_SCHEMA = `
  CREATE TABLE usage_names (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('key', 'model', 'use_case', 'cohort')),
    name TEXT NOT NULL,
    UNIQUE (kind, name)
  ) STRICT;
  CREATE TABLE usage_days (
    day INTEGER NOT NULL,
    key INTEGER NOT NULL,
    model INTEGER NOT NULL,
    use_case INTEGER NOT NULL,
    ending INTEGER NOT NULL,
    ${SUM_COLUMNS},
    PRIMARY KEY (day, key, model, use_case, ending)
  ) STRICT, WITHOUT ROWID;
  -- The sums of closed days by one dimension at a time.
  CREATE TABLE usage_margins (
    dimension INTEGER NOT NULL,
    day INTEGER NOT NULL,
    value INTEGER NOT NULL,
    ${ENDING_COLUMNS},
    ${SUM_COLUMNS},
    PRIMARY KEY (dimension, day, value)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage_hours (
    hour INTEGER NOT NULL,
    dimension INTEGER NOT NULL,
    value INTEGER NOT NULL,
    ${ENDING_COLUMNS},
    refused INTEGER NOT NULL CHECK (refused >= 0),
    PRIMARY KEY (hour, dimension, value)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage_cohorts (
    day INTEGER NOT NULL,
    cohort INTEGER NOT NULL,
    model INTEGER NOT NULL,
    use_case INTEGER NOT NULL,
    ending INTEGER NOT NULL,
    requests INTEGER NOT NULL CHECK (requests >= 0),
    refused INTEGER NOT NULL CHECK (refused >= 0),
    PRIMARY KEY (day, cohort, model, use_case, ending)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE latency_days (
    day INTEGER NOT NULL,
    -- 0 for all models together, once the day is closed.
    model INTEGER NOT NULL,
    -- A count of four bytes for each bucket.
    counts BLOB NOT NULL,
    PRIMARY KEY (day, model)
  ) STRICT, WITHOUT ROWID;
  -- Decisions without a settlement, and requests that wait for a person.
  CREATE TABLE usage_open (
    position INTEGER PRIMARY KEY,
    day INTEGER NOT NULL,
    at INTEGER NOT NULL,
    key INTEGER NOT NULL,
    model INTEGER NOT NULL,
    use_case INTEGER NOT NULL,
    cohort INTEGER NOT NULL,
    reserve_microeur INTEGER NOT NULL CHECK (reserve_microeur >= 0),
    prevented_microeur INTEGER NOT NULL CHECK (prevented_microeur >= 0),
    -- The approval that the request waits for; null if its call runs.
    approval TEXT
  ) STRICT;
  CREATE INDEX usage_open_by_day ON usage_open (day);
  CREATE UNIQUE INDEX usage_waiting ON usage_open (approval) WHERE approval IS NOT NULL;
  -- One row for each day with ended calls: the positions of their decisions. closed_at is the position of the entry that closes the day.
  CREATE TABLE counted_days (
    day INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL CHECK (last >= first),
    further_records INTEGER NOT NULL CHECK (further_records >= 0),
    closed_at INTEGER,
    sha256 BLOB CHECK (length(sha256) = 32)
  ) STRICT;
  CREATE INDEX counted_days_open ON counted_days (day) WHERE closed_at IS NULL;
  CREATE TABLE usage_progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    counted_to INTEGER NOT NULL,
    closed_through INTEGER NOT NULL,
    unreadable INTEGER NOT NULL
  ) STRICT;
`

/** Adds the column of an ending. The version before writes rows without it: after a rollback its calls count as none. */
export const USAGE_WITHHELD_SCHEMA = ['usage_margins', 'usage_hours']
  .map((table) => `ALTER TABLE ${table} ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0 CHECK (withheld >= 0);`)
  .join('\n')

export type UsageProgress = {
  /** Entries before this position are counted. */
  readonly countedTo: number
  /** The last day that is closed; -1 before the first. */
  readonly closedThrough: number
  /** Entries that should record a call and could not be read. */
  readonly unreadable: number
}

const NOTHING_COUNTED: UsageProgress = { countedTo: 0, closedThrough: -1, unreadable: 0 }

const upsert = (table: string, key: readonly string[], sums: readonly string[]): string => `
  INSERT INTO ${table} (${[...key, ...sums].join(', ')}) VALUES (${[...key, ...sums].map(() => '?').join(', ')})
  ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`

const ADD_DAY = upsert('usage_days', ['day', 'key', 'model', 'use_case', 'ending'], SUM_NAMES)
const CHANGE_DAY = `
  UPDATE usage_days SET ${SUM_NAMES.map((name) => `${name} = ${name} + ?`).join(', ')}
  WHERE day = ? AND key = ? AND model = ? AND use_case = ? AND ending = ?`
const ADD_HOUR = upsert('usage_hours', ['hour', 'dimension', 'value'], [...ENDING_NAMES, 'refused'])
const ADD_COHORT = upsert('usage_cohorts', ['day', 'cohort', 'model', 'use_case', 'ending'], ['requests', 'refused'])

type OpenRow = {
  position: number
  day: number
  at: number
  keyId: string | null
  model: string | null
  useCase: string | null
  cohort: string | null
  reserveMicroeur: number
  preventedMicroeur: number
  approval: string | null
}

/** Reads open calls with the names instead of their numbers. */
const READ_OPEN = sql`
  SELECT position, day, at, keys.name AS keyId, models.name AS model, use_cases.name AS useCase, cohorts.name AS cohort,
    reserve_microeur AS reserveMicroeur, prevented_microeur AS preventedMicroeur, approval
  FROM usage_open
    LEFT JOIN usage_names AS keys ON keys.id = key
    LEFT JOIN usage_names AS models ON models.id = usage_open.model
    LEFT JOIN usage_names AS use_cases ON use_cases.id = use_case
    LEFT JOIN usage_names AS cohorts ON cohorts.id = usage_open.cohort`

export class UsageStore extends ObjectStore {
  progress(): UsageProgress {
    const [row] = this.rows<UsageProgress>(
      sql`SELECT counted_to AS countedTo, closed_through AS closedThrough, unreadable FROM usage_progress`,
    )
    return row ?? NOTHING_COUNTED
  }

  writeProgress(change: Partial<UsageProgress>): void {
    const { countedTo, closedThrough, unreadable } = { ...this.progress(), ...change }
    this.run(sql`INSERT OR REPLACE INTO usage_progress (id, counted_to, closed_through, unreadable)
      VALUES (1, ${countedTo}, ${closedThrough}, ${unreadable})`)
  }

  /** Returns a cache of the names' numbers. Use it for one transaction only, because a failed transaction undoes new numbers. */
  names(): UsageNamesStore {
    return new UsageNamesStore(this.sql)
  }

  add(tally: Tally, names: UsageNamesStore): void {
    for (const row of tally.days.values()) this.#addDay(row, names)
    for (const row of tally.hours.values()) this.#addHour(row, names)
    for (const row of tally.cohorts.values()) this.#addCohort(row, names)
    for (const row of tally.latencies.values()) this.#addLatency(row, names)
    for (const [day, { first, last, furtherRecords }] of tally.records) {
      this.run(sql`INSERT INTO counted_days (day, first, last, further_records)
        VALUES (${day}, ${first}, ${last}, ${furtherRecords})
        ON CONFLICT (day) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last),
          further_records = further_records + excluded.further_records`)
    }
  }

  insertOpen(
    { position, day, at, keyId, model, useCase, cohort, reserveMicroeur, preventedMicroeur, approval }: OpenCall,
    names: UsageNamesStore,
  ): void {
    this.run(sql`INSERT INTO usage_open
        (position, day, at, key, model, use_case, cohort, reserve_microeur, prevented_microeur, approval)
      VALUES (${position}, ${day}, ${at}, ${names.number('key', keyId)}, ${names.number('model', model)},
        ${names.number('use_case', useCase)}, ${names.number('cohort', cohort)},
        ${reserveMicroeur}, ${preventedMicroeur}, ${approval})`)
  }

  findOpen(position: number): OpenCall | null {
    const [row] = this.rows<OpenRow>(sql`${READ_OPEN} WHERE position = ${position}`)
    return row === undefined ? null : { ...row, model: row.model ?? '', refusal: null }
  }

  takeOpen(position: number): OpenCall | null {
    const call = this.findOpen(position)
    if (call !== null) this.run(sql`DELETE FROM usage_open WHERE position = ${position}`)
    return call
  }

  takeWaiting(approval: string): OpenCall | null {
    const [row] = this.rows<{ position: number }>(sql`SELECT position FROM usage_open WHERE approval = ${approval}`)
    return row === undefined ? null : this.takeOpen(row.position)
  }

  /** Lists the approvals that calls of this day or an earlier one wait for. */
  listAwaitedThrough(day: number): ApprovalId[] {
    return this.rows<{ approval: ApprovalId }>(sql`SELECT approval FROM usage_open
      WHERE approval IS NOT NULL AND day <= ${day}`).map(({ approval }) => approval)
  }

  /** Lists the positions of the open calls that will count on this day or an earlier one. */
  listOpenThrough(day: number): number[] {
    return this.rows<{ position: number }>(sql`SELECT position FROM usage_open
      WHERE day <= ${day} ORDER BY position`).map(({ position }) => position)
  }

  #addDay({ day, keyId, model, useCase, ending, sums }: DayRow, names: UsageNamesStore): void {
    const key = [day, names.number('key', keyId), names.number('model', model), names.number('use_case', useCase)]
    const added = SUM_NAMES.map((name) => sums[name])
    // A correction may lower a sum. The row is there then, because the call was counted before.
    const isLowered = added.some((sum) => sum < 0)
    if (isLowered) this.sql.exec(CHANGE_DAY, ...added, ...key, endingNumber(ending))
    else this.sql.exec(ADD_DAY, ...key, endingNumber(ending), ...added)
  }

  #addHour({ hour, dimension, value, endings, refused }: HourRow, names: UsageNamesStore): void {
    // The row's names already have numbers, because the rows of the day were added before.
    this.sql.exec(
      ADD_HOUR,
      hour,
      DIMENSIONS.indexOf(dimension),
      numberOfValue(names, dimension, value),
      ...ENDING_NAMES.map((ending) => endings[ending]),
      refused,
    )
  }

  #addCohort({ day, cohort, model, useCase, ending, requests, refused }: CohortRow, names: UsageNamesStore): void {
    this.sql.exec(
      ADD_COHORT,
      day,
      names.number('cohort', cohort),
      names.number('model', model),
      names.number('use_case', useCase),
      endingNumber(ending),
      requests,
      refused,
    )
  }

  #addLatency({ day, model, latencies }: LatencyRow, names: UsageNamesStore): void {
    const number = names.number('model', model)
    const [known] = this.rows<{ counts: ArrayBuffer }>(sql`SELECT counts FROM latency_days
      WHERE day = ${day} AND model = ${number}`)
    const sum = known === undefined ? latencies : addLatencies(latenciesFromBytes(known.counts), latencies)
    this.run(sql`INSERT OR REPLACE INTO latency_days (day, model, counts)
      VALUES (${day}, ${number}, ${latenciesToBytes(sum)})`)
  }
}
