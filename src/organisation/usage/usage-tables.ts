// The tables in which an organisation's calls are counted. They are made of the log's entries alone and could be made again
// while these are stored. Times are whole UTC days and hours since the epoch. Names are numbers; 0 if a call names none.
import { ENDINGS, SUM_NAMES } from './counted-call.ts'

const SUM_COLUMNS = SUM_NAMES.map((name) => `${name} INTEGER NOT NULL CHECK (${name} >= 0)`).join(',\n    ')
const ENDING_COLUMNS = ENDINGS.map((name) => `${name} INTEGER NOT NULL CHECK (${name} >= 0)`).join(',\n    ')

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
  -- Of closed days: the same by one thing at a time.
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
  -- Decisions that are not settled yet.
  CREATE TABLE usage_open (
    position INTEGER PRIMARY KEY,
    day INTEGER NOT NULL,
    at INTEGER NOT NULL,
    key INTEGER NOT NULL,
    model INTEGER NOT NULL,
    use_case INTEGER NOT NULL,
    cohort INTEGER NOT NULL,
    reserve_microeur INTEGER NOT NULL CHECK (reserve_microeur >= 0)
  ) STRICT;
  CREATE INDEX usage_open_by_day ON usage_open (day);
  -- One row a day with calls that have ended: where their decisions stand, and once it is closed which entry says what it came to.
  CREATE TABLE counted_days (
    day INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL CHECK (last >= first),
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
