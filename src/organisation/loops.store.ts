// What loop detection remembers of each key: its latest requests, the loops it is in, and for each hash of the last
// minute when it came. Hashes are cut to 128 bits. Bounded by the calls of one minute and PRUNED_EVERY.
import { NOTHING_SEEN, type ActiveLoop, type SeenRequest, type SeenRequests } from '../policies/loops.policy.ts'

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

const HASH_CHARACTERS = 32
const PRUNED_EVERY = 64

type SeenRow = { n: number | null; recent: string | null; active: string | null; same_at: string | null }

/** `n` numbers the key's remembered requests. */
export type SeenByKey = { n: number; seen: SeenRequests }

/** The part of a request's hash that is remembered. */
export const shortHash = (hash: string): string => hash.slice(0, HASH_CHARACTERS)

export class LoopsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** What was seen of this key, and of this hash. */
  readSeen(keyId: string, hash: string): SeenByKey {
    const [row] = this.#sql
      .exec<SeenRow>(
        `SELECT n, recent, active, same_at FROM (SELECT 1)
         LEFT JOIN seen_requests AS r ON r.key_id = ?1
         LEFT JOIN seen_hashes AS h ON h.key_id = ?1 AND h.hash = ?2`,
        keyId,
        hash,
      )
      .toArray()
    if (row === undefined) return { n: 0, seen: NOTHING_SEEN }
    return {
      n: row.n ?? 0,
      seen: {
        recent: words(row.recent).map(readRequest),
        sameAt: words(row.same_at).map(Number),
        active: words(row.active).map(readLoop),
      },
    }
  }

  writeSeen(keyId: string, { hash, at }: SeenRequest, { n, seen }: SeenByKey, forgetBefore: number): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO seen_requests VALUES (?, ?, ?, ?)',
      keyId,
      n + 1,
      seen.recent.map((request) => `${request.hash}@${request.at}`).join(' '),
      seen.active.map(({ hashes, lastAt }) => `${hashes.join()}@${lastAt}`).join(' '),
    )
    this.#sql.exec('INSERT OR REPLACE INTO seen_hashes VALUES (?, ?, ?, ?)', keyId, hash, at, seen.sameAt.join(' '))
    if (n % PRUNED_EVERY === PRUNED_EVERY - 1) {
      this.#sql.exec('DELETE FROM seen_hashes WHERE key_id = ? AND last_at <= ?', keyId, forgetBefore)
    }
  }

  /** For keys that have gone quiet. */
  deleteSeenHashes(forgetBefore: number): void {
    this.#sql.exec('DELETE FROM seen_hashes WHERE last_at <= ?', forgetBefore)
  }
}

const words = (text: string | null): string[] => (text === null || text === '' ? [] : text.split(' '))

function readRequest(word: string): SeenRequest {
  const [hash = '', at = ''] = word.split('@')
  return { hash, at: Number(at) }
}

function readLoop(word: string): ActiveLoop {
  const [hashes = '', lastAt = ''] = word.split('@')
  return { hashes: hashes.split(','), lastAt: Number(lastAt) }
}
