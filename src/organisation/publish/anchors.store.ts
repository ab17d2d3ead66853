// Stores the newest anchors of the organisation's log: one that the public log has not taken yet, the newest taken, and the one
// before. Proofs use the one before until a head of the public log covers the newest taken.
import { anchorText, readAnchor, type AnchorDocument } from '../../evidence/bundles/anchor.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const ANCHORS_SCHEMA = `
  CREATE TABLE anchors (
    tree_size INTEGER PRIMARY KEY CHECK (tree_size > 0),
    -- Canonical JSON, whose hash is the leaf in the public log.
    document TEXT NOT NULL,
    -- Null until the public log has taken the anchor.
    taken_at INTEGER
  ) STRICT;
  CREATE TRIGGER anchors_only_grow BEFORE INSERT ON anchors
    WHEN NEW.tree_size <= (SELECT MAX(tree_size) FROM anchors)
    BEGIN SELECT RAISE(ABORT, 'an anchor is of a larger log than all before'); END;
  CREATE TRIGGER anchors_never_change BEFORE UPDATE ON anchors
    WHEN NEW.tree_size IS NOT OLD.tree_size OR NEW.document IS NOT OLD.document OR OLD.taken_at IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'an anchor never changes'); END;
`

const TAKEN_KEPT = 2

/** This long after the public log took an anchor, a head of the public log covers it. */
const COVERED_AFTER_MS = 60_000

type Row = { document: string; takenAt: number | null }

export class AnchorsStore extends ObjectStore {
  /** Returns the log size of the newest anchor; 0 before the first. */
  newestSize(): number {
    return this.row<{ size: number }>(sql`SELECT COALESCE(MAX(tree_size), 0) AS size FROM anchors`).size
  }

  /** Returns the anchor that the public log has not taken; null if it has taken all. */
  findWaiting(): AnchorDocument | null {
    const [row] = this.#list(sql`taken_at IS NULL`)
    return row === undefined ? null : documentOf(row)
  }

  /** Returns the newest anchor, of at most this size, that a head of the public log covers by now; null if there is none. */
  findCovered(size: number, now: number): AnchorDocument | null {
    const rows = this.#list(sql`taken_at IS NOT NULL AND tree_size <= ${size}`)
    const row = rows.find(({ takenAt }) => Math.abs(now - (takenAt ?? now)) >= COVERED_AFTER_MS) ?? rows.at(-1)
    return row === undefined ? null : documentOf(row)
  }

  insert(document: AnchorDocument): void {
    const { tree_size: size } = document
    this.run(sql`INSERT INTO anchors (tree_size, document) VALUES (${size}, ${anchorText(document)})`)
  }

  /** Marks an anchor as taken by the public log, and deletes anchors no longer proven. Call it inside a transaction. */
  markTaken(size: number, at: number): void {
    this.run(sql`UPDATE anchors SET taken_at = ${at} WHERE tree_size = ${size} AND taken_at IS NULL`)
    this.run(sql`DELETE FROM anchors WHERE tree_size <= (SELECT tree_size FROM anchors
      WHERE taken_at IS NOT NULL ORDER BY tree_size DESC LIMIT 1 OFFSET ${TAKEN_KEPT})`)
  }

  #list(where: Sql): Row[] {
    return this.rows(sql`SELECT document, taken_at AS takenAt FROM anchors WHERE ${where} ORDER BY tree_size DESC`)
  }
}

function documentOf({ document }: Row): AnchorDocument {
  const read = readAnchor(JSON.parse(document))
  if (read === null) throw new Error('a stored anchor is none')
  return read
}
