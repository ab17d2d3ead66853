// The steps by which the public log's object came to its tables. The first six made a row for each leaf, attestation and node of
// the tree; the seventh moves into batches what is not in tiles yet, and leaves the other rows to EarlierLeaves.
import type { MigrationStep } from '../platform/object-migrations.ts'
import { TILE_LEVELS_SCHEMA } from '../tiles/tile-levels.store.ts'
import { LEAVES_SCHEMA, TREE_SCHEMA } from '../tiles/older-tree.store.ts'
import { BATCHES_SCHEMA, BATCHES_TRIGGERS } from './batches.store.ts'
import { COSIGNED_SCHEMA } from './cosigned.store.ts'
import { dropEarlierTables } from './earlier-leaves.ts'
import { HEAD_SCHEMA, HEAD_TRIGGERS } from './heads.store.ts'
import { moveIntoBatches } from './move-into-batches.ts'
import { PROGRESS_SCHEMA } from './progress.store.ts'

const INTAKE = `
  CREATE TABLE sources (
    source TEXT PRIMARY KEY,
    taken_to INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE attestations (
    position INTEGER PRIMARY KEY REFERENCES leaves (position),
    attestation_id BLOB NOT NULL CHECK (length(attestation_id) = 16)
  ) STRICT;
  CREATE TRIGGER attestations_never_change BEFORE UPDATE ON attestations
    BEGIN SELECT RAISE(ABORT, 'a leaf stays that of its attestation'); END;
  CREATE TRIGGER attestations_never_go BEFORE DELETE ON attestations
    BEGIN SELECT RAISE(ABORT, 'an attestation is never removed'); END;
`

const HEADS = `
  CREATE TABLE heads (
    tree_size INTEGER PRIMARY KEY CHECK (tree_size >= 0),
    root BLOB NOT NULL CHECK (length(root) = 32),
    timestamp TEXT NOT NULL,
    signature TEXT NOT NULL,
    public_key TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER heads_only_grow BEFORE INSERT ON heads
    WHEN NEW.tree_size <= (SELECT COALESCE(MAX(tree_size), -1) FROM heads)
    BEGIN SELECT RAISE(ABORT, 'a head is of a larger tree than all before'); END;
  CREATE TRIGGER heads_cover_what_is_stored BEFORE INSERT ON heads
    WHEN NEW.tree_size > (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a head covers leaves that are stored'); END;
  CREATE TRIGGER heads_never_change BEFORE UPDATE ON heads
    BEGIN SELECT RAISE(ABORT, 'a head never changes'); END;
  CREATE TRIGGER heads_never_go BEFORE DELETE ON heads
    BEGIN SELECT RAISE(ABORT, 'a head is never removed'); END;
`

const PROGRESS = `
  CREATE TABLE served (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tree_size INTEGER NOT NULL
  ) STRICT;
  INSERT INTO served (id, tree_size) VALUES (1, -1);
  CREATE TABLE indexed (
    shard INTEGER PRIMARY KEY,
    tree_size INTEGER NOT NULL
  ) STRICT;
`

const RENEWED_HEAD = `
  CREATE TABLE renewed_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tree_size INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    signature TEXT NOT NULL,
    public_key TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER only_the_newest_head_is_renewed BEFORE INSERT ON renewed_head
    WHEN NEW.tree_size IS NOT (SELECT MAX(tree_size) FROM heads)
    BEGIN SELECT RAISE(ABORT, 'only the newest head is signed again'); END;
`

/** Released, so that a test can build an object as it was. */
export const ROW_PER_LEAF_STEPS: readonly string[] = [LEAVES_SCHEMA, TREE_SCHEMA, INTAKE, HEADS, PROGRESS, RENEWED_HEAD]

/**
 * An older Worker that is beside this one takes nothing in and signs nothing: it finds no renewed_head, and may not add to
 * the tables that it knows.
 */
const CLOSE_ROWS = `
  DROP TRIGGER leaves_never_go;
  DROP TRIGGER attestations_never_go;
  DROP TRIGGER tree_nodes_never_go;
  CREATE TRIGGER leaves_are_in_batches BEFORE INSERT ON leaves
    BEGIN SELECT RAISE(ABORT, 'leaves are kept in batches'); END;
  CREATE TRIGGER attestations_are_in_batches BEFORE INSERT ON attestations
    BEGIN SELECT RAISE(ABORT, 'attestations are kept in batches'); END;
  CREATE TRIGGER tree_nodes_are_in_tiles BEFORE INSERT ON tree_nodes
    BEGIN SELECT RAISE(ABORT, 'nodes are kept in tiles'); END;
  DROP TRIGGER heads_only_grow;
  DROP TRIGGER heads_cover_what_is_stored;
  DROP TRIGGER heads_never_change;
  DROP TRIGGER heads_never_go;
  ALTER TABLE heads RENAME TO earlier_heads;
`

const FORGET_PROGRESS = `
  DROP TABLE renewed_head;
  DROP TABLE served;
  DROP TABLE indexed;
`

const isNew = (sql: SqlStorage): boolean =>
  sql.exec('SELECT position FROM leaves UNION ALL SELECT tree_size FROM earlier_heads LIMIT 1').toArray().length === 0

function keepBatches(sql: SqlStorage): void {
  sql.exec(CLOSE_ROWS)
  for (const schema of [TILE_LEVELS_SCHEMA, BATCHES_SCHEMA, HEAD_SCHEMA, PROGRESS_SCHEMA]) sql.exec(schema)
  moveIntoBatches(sql)
  sql.exec(FORGET_PROGRESS)
  if (isNew(sql)) dropEarlierTables(sql)
  for (const triggers of [BATCHES_TRIGGERS, HEAD_TRIGGERS]) sql.exec(triggers)
}

/** Applied in order, once each; a step that has been released never changes. */
export const PUBLIC_LOG_MIGRATIONS: readonly MigrationStep[] = [...ROW_PER_LEAF_STEPS, keepBatches, COSIGNED_SCHEMA]
