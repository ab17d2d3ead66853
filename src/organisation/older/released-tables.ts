// The first tables of an organisation's object, as they were released. They are made and, once the newer ones have taken over what
// they hold, dropped again; nothing else knows them.
import { contentOf } from '../../evidence/entry.ts'
import { LEAVES_SCHEMA } from '../../tiles/older-tree.store.ts'

export const LIMITS_SCHEMA = `
  CREATE TABLE calls (
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (subject, at, n)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE call_counts (
    subject TEXT PRIMARY KEY,
    n INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    day INTEGER NOT NULL,
    in_day INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export const DAY_BEFORE_SCHEMA = `
  ALTER TABLE call_counts ADD COLUMN day_before INTEGER NOT NULL DEFAULT -1;
  ALTER TABLE call_counts ADD COLUMN in_day_before INTEGER NOT NULL DEFAULT 0;
`

export const COSTS_SCHEMA = `
  CREATE TABLE costs (
    subject TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    microeur INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reservations (
    position INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    day INTEGER NOT NULL,
    microeur INTEGER NOT NULL
  ) STRICT;
`

export const DAY_COSTS_SCHEMA = `
  CREATE TABLE day_costs (
    subject TEXT NOT NULL,
    day INTEGER NOT NULL,
    microeur INTEGER NOT NULL,
    PRIMARY KEY (subject, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO day_costs (subject, day, microeur) SELECT subject, day, microeur FROM costs;
`

export const LEDGER_SCHEMA = `
  ${LEAVES_SCHEMA}
  CREATE TABLE details (
    position INTEGER PRIMARY KEY REFERENCES leaves (position),
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    entry BLOB NOT NULL
  ) STRICT;
`

export const RECEIPT_FACTS_SCHEMA = 'ALTER TABLE details ADD COLUMN facts TEXT'

export const DETAIL_RUNS_SCHEMA = `
  CREATE TABLE detail_runs (first INTEGER PRIMARY KEY) STRICT;
  INSERT INTO detail_runs (first)
    SELECT position FROM (SELECT position, at, LAG(at) OVER (ORDER BY position) AS before FROM details)
    WHERE before IS NULL OR at < before;
  CREATE TRIGGER details_begin_a_run AFTER INSERT ON details
    WHEN NEW.at < COALESCE((SELECT at FROM details WHERE position = NEW.position - 1), NEW.at + 1)
    BEGIN INSERT INTO detail_runs (first) VALUES (NEW.position); END;
`

export const RECEIPTS_SCHEMA = `
  CREATE TABLE receipts (
    attestation_id BLOB PRIMARY KEY CHECK (length(attestation_id) = 16),
    position INTEGER NOT NULL REFERENCES leaves (position)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER receipts_are_written_once BEFORE INSERT ON receipts
    WHEN EXISTS (SELECT 1 FROM receipts WHERE attestation_id = NEW.attestation_id)
    BEGIN SELECT RAISE(ABORT, 'a receipt is written once'); END;
  CREATE TRIGGER receipts_never_change BEFORE UPDATE ON receipts
    BEGIN SELECT RAISE(ABORT, 'a receipt never changes'); END;
  CREATE TRIGGER receipts_never_go BEFORE DELETE ON receipts
    BEGIN SELECT RAISE(ABORT, 'a receipt is never removed'); END;
`

export const SETTLEMENTS_SCHEMA = `
  CREATE TABLE settlements (
    settles INTEGER PRIMARY KEY,
    position INTEGER NOT NULL REFERENCES leaves (position)
  ) STRICT;
  CREATE TRIGGER settlements_are_written_once BEFORE INSERT ON settlements
    WHEN EXISTS (SELECT 1 FROM settlements WHERE settles = NEW.settles)
    BEGIN SELECT RAISE(ABORT, 'a settlement is written once'); END;
  CREATE TRIGGER settlements_never_change BEFORE UPDATE ON settlements
    BEGIN SELECT RAISE(ABORT, 'a settlement never changes'); END;
  CREATE TRIGGER settlements_never_go BEFORE DELETE ON settlements
    BEGIN SELECT RAISE(ABORT, 'a settlement is never removed'); END;
`

export const PUBLICATION_SCHEMA = `
  CREATE TABLE publication (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    published_to INTEGER NOT NULL,
    last_receipt INTEGER NOT NULL CHECK (last_receipt <= published_to)
  ) STRICT;
  INSERT INTO publication (id, published_to, last_receipt) VALUES (1, -1, -1);
`

export const SETTINGS_SCHEMA = `
  CREATE TABLE settings (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tier TEXT NOT NULL,
    enabled_providers TEXT NOT NULL,
    requests_per_minute INTEGER,
    requests_per_month INTEGER,
    monthly_budget_microeur INTEGER CHECK (monthly_budget_microeur >= 0)
  ) STRICT;
`

export const SETTINGS_VERSION_SCHEMA = `
  ALTER TABLE settings ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE settings ADD COLUMN default_max_tokens INTEGER NOT NULL DEFAULT 16384 CHECK (default_max_tokens > 0);
`

export const CACHE_INSTRUCTIONS_SCHEMA = `
  ALTER TABLE settings ADD COLUMN cache_instructions INTEGER NOT NULL DEFAULT 0 CHECK (cache_instructions IN (0, 1));
`

export const RETENTION_AND_LOOPS_SCHEMA = `
  ALTER TABLE settings ADD COLUMN retention_days INTEGER CHECK (retention_days > 0);
  ALTER TABLE settings ADD COLUMN loop_repeats INTEGER NOT NULL DEFAULT 5 CHECK (loop_repeats > 1);
  ALTER TABLE settings ADD COLUMN loop_window_seconds INTEGER NOT NULL DEFAULT 60 CHECK (loop_window_seconds > 0);
  ALTER TABLE settings ADD COLUMN loop_cycle_rounds INTEGER NOT NULL DEFAULT 5 CHECK (loop_cycle_rounds > 1);
  ALTER TABLE settings
    ADD COLUMN loop_cycle_window_seconds INTEGER NOT NULL DEFAULT 300 CHECK (loop_cycle_window_seconds > 0);
`

export const SPENDING_SCHEMA = `
  CREATE TABLE month_usage (
    month INTEGER PRIMARY KEY,
    requests INTEGER NOT NULL CHECK (requests >= 0),
    spent_microeur INTEGER NOT NULL CHECK (spent_microeur >= 0),
    reserved_microeur INTEGER NOT NULL CHECK (reserved_microeur >= 0)
  ) STRICT;
  CREATE TABLE chat_reservations (
    position INTEGER PRIMARY KEY,
    admitted_at INTEGER NOT NULL,
    microeur INTEGER NOT NULL CHECK (microeur >= 0)
  ) STRICT;
`

export const LOOPS_SCHEMA = `
  CREATE TABLE seen_requests (
    key_id TEXT PRIMARY KEY,
    n INTEGER NOT NULL,
    recent TEXT NOT NULL,
    active TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE seen_hashes (
    key_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    last_at INTEGER NOT NULL,
    same_at TEXT NOT NULL,
    PRIMARY KEY (key_id, hash)
  ) STRICT, WITHOUT ROWID;
`

export const UPKEEP_SCHEMA = `
  CREATE TABLE upkeep (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cleaned_at INTEGER NOT NULL
  ) STRICT;
`

/** A step of the migrations: finds the settlements among the details at hand. */
export function findSettlements(sql: SqlStorage): void {
  const rows = sql.exec<{ position: number; entry: ArrayBuffer }>(
    `SELECT position, entry FROM details WHERE kind = 'settlement' ORDER BY position`,
  )
  for (const { position, entry } of rows) {
    const { settles } = contentOf(new Uint8Array(entry))
    if (typeof settles !== 'number') continue
    sql.exec(
      `INSERT INTO settlements (settles, position) SELECT ?1, ?2
       WHERE NOT EXISTS (SELECT 1 FROM settlements WHERE settles = ?1)`,
      settles,
      position,
    )
  }
}
