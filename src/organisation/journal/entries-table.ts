// The table of the log's entries. The database itself refuses rows out of order, changes, and deleting what a proof still needs or
// what is not archived yet.
import { DAY_MS } from '../../platform/time.ts'
import { BATCH_SPAN } from './sealed-details.store.ts'

/** How many entries are in stored tiles. */
const TILED = '(SELECT COALESCE(MAX(stored), 0) * 256 FROM tile_levels WHERE level = 0)'

export const ENTRIES_SCHEMA = `
  CREATE TABLE entries (
    position INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- Receipts only: the 16 bytes of its attestation_id.
    id BLOB CHECK (length(id) = 16),
    key_id TEXT,
    outcome TEXT,
    -- Receipts only: the request's hash for loop detection, 16 bytes.
    loop BLOB CHECK (length(loop) = 16),
    -- For a decision, the amount that it reserved; for a settlement, the cost.
    microeur INTEGER CHECK (microeur >= 0),
    -- Settlements only: the position of the decision.
    settles INTEGER,
    -- Empty after its retention has ended.
    entry BLOB NOT NULL,
    -- JSON of facts that the entry does not include.
    facts TEXT
  ) STRICT;
  CREATE UNIQUE INDEX entries_by_id ON entries (id) WHERE id IS NOT NULL;
  -- Without the look-up of the id, an INSERT OR REPLACE would remove the entry that has it. The last entries may have been deleted,
  -- all of them in stored tiles.
  CREATE TRIGGER entries_are_appended BEFORE INSERT ON entries BEGIN
    SELECT RAISE(ABORT, 'the organisation is erased') FROM erasure WHERE is_sealed = 1;
    SELECT RAISE(ABORT, 'an entry is appended at the end')
      WHERE NEW.position IS NOT MAX(COALESCE((SELECT MAX(position) + 1 FROM entries), 0), ${TILED});
    SELECT RAISE(ABORT, 'a receipt is written once') FROM entries WHERE id = NEW.id;
  END;
  CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
    WHEN NEW.position IS NOT OLD.position OR NEW.hash IS NOT OLD.hash OR NEW.kind IS NOT OLD.kind OR NEW.id IS NOT OLD.id
      OR length(NEW.entry) > 0 OR NEW.facts IS NOT NULL
      OR NEW.at NOT IN (OLD.at, 0) OR NEW.expires_at NOT IN (OLD.expires_at, 0)
      OR (NEW.key_id IS NOT NULL AND NEW.key_id IS NOT OLD.key_id)
      OR (NEW.outcome IS NOT NULL AND NEW.outcome IS NOT OLD.outcome)
      OR (NEW.loop IS NOT NULL AND NEW.loop IS NOT OLD.loop)
      OR (NEW.microeur IS NOT NULL AND NEW.microeur IS NOT OLD.microeur)
      OR (NEW.settles IS NOT NULL AND NEW.settles IS NOT OLD.settles)
    BEGIN SELECT RAISE(ABORT, 'an entry may be emptied and never changes'); END;
  -- Entries of a planned batch leave: at once if they have expired, else once the object that they are planned for is sealed.
  CREATE TRIGGER entries_stay_until_archived BEFORE DELETE ON entries BEGIN
    SELECT RAISE(ABORT, 'an entry leaves once its tile is stored') WHERE OLD.position >= ${TILED};
    SELECT RAISE(ABORT, 'an entry leaves once it is archived')
      WHERE NOT EXISTS (SELECT 1 FROM erasure WHERE is_sealed = 1)
        AND (OLD.position >= COALESCE((SELECT leaving_to FROM progress), 0)
          OR EXISTS (SELECT 1 FROM sealed_details
            WHERE first BETWEEN OLD.position - ${BATCH_SPAN} AND OLD.position AND last >= OLD.position
              AND data_key IS NULL AND expires_day = OLD.expires_at / ${DAY_MS}));
  END;
`
