// What loop detection remembers of each key: its latest requests, the loops it is in, and for each hash of the
// organisation's window when it came. Hashes are cut to 128 bits. Bounded by the calls of one window and PRUNED_EVERY. What is one row a key
// is held in memory too.
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

const MOST_HELD = 100

const REPLACE_REQUESTS = 'INSERT OR REPLACE INTO seen_requests (key_id, n, recent, active) VALUES (?, ?, ?, ?)'
const REPLACE_HASH = 'INSERT OR REPLACE INTO seen_hashes (key_id, hash, last_at, same_at) VALUES (?, ?, ?, ?)'

type RequestsRow = { n: number; recent: string; active: string }

/** `n` numbers the key's remembered requests. */
export type SeenByKey = { n: number; seen: SeenRequests }

type SeenWhateverHash = { n: number; recent: SeenRequests['recent']; active: SeenRequests['active'] }

/** The part of a request's hash that is remembered. */
export const shortHash = (hash: string): string => hash.slice(0, HASH_CHARACTERS)

export class LoopsStore {
  readonly #sql: SqlStorage
  readonly #held = new Map<string, SeenWhateverHash>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** What was seen of this key, and of this hash. */
  readSeen(keyId: string, hash: string): SeenByKey {
    const { n, recent, active } = this.#held.get(keyId) ?? this.#findRequests(keyId)
    const [row] = this.#sql
      .exec<{ same_at: string }>('SELECT same_at FROM seen_hashes WHERE key_id = ? AND hash = ?', keyId, hash)
      .toArray()
    return { n, seen: { recent, active, sameAt: words(row?.same_at).map(Number) } }
  }

  writeSeen(keyId: string, { hash, at }: SeenRequest, { n, seen }: SeenByKey, forgetBefore: number): void {
    this.#sql.exec(REPLACE_REQUESTS, keyId, n + 1, writeRequests(seen.recent), writeLoops(seen.active))
    this.#sql.exec(REPLACE_HASH, keyId, hash, at, seen.sameAt.join(' '))
    if (n % PRUNED_EVERY === PRUNED_EVERY - 1) {
      this.#sql.exec('DELETE FROM seen_hashes WHERE key_id = ? AND last_at <= ?', keyId, forgetBefore)
    }
    this.#hold(keyId, { n: n + 1, recent: seen.recent, active: seen.active })
  }

  /** For a turn that was rolled back: what is held may never have been stored. */
  forget(): void {
    this.#held.clear()
  }

  /** What was seen at later times was seen at `now`: the clock was ahead. */
  takeBack(now: number): void {
    const { keys, hashes } = this.#listAll()
    for (const { key_id: keyId, ...row } of keys) {
      const recent = words(row.recent)
        .map(readRequest)
        .map(({ hash, at }) => ({ hash, at: Math.min(at, now) }))
      const active = words(row.active)
        .map(readLoop)
        .map((loop) => ({ hashes: loop.hashes, lastAt: Math.min(loop.lastAt, now) }))
      this.#sql.exec(REPLACE_REQUESTS, keyId, row.n, writeRequests(recent), writeLoops(active))
    }
    for (const { key_id: keyId, hash, last_at: lastAt, same_at: sameAt } of hashes) {
      const times = words(sameAt).map((at) => Math.min(Number(at), now))
      this.#sql.exec(REPLACE_HASH, keyId, hash, Math.min(lastAt, now), times.join(' '))
    }
    this.forget()
  }

  #listAll() {
    return {
      keys: this.#sql
        .exec<RequestsRow & { key_id: string }>('SELECT key_id, n, recent, active FROM seen_requests')
        .toArray(),
      hashes: this.#sql
        .exec<{ key_id: string; hash: string; last_at: number; same_at: string }>(
          'SELECT key_id, hash, last_at, same_at FROM seen_hashes',
        )
        .toArray(),
    }
  }

  #findRequests(keyId: string): SeenWhateverHash {
    const [row] = this.#sql
      .exec<RequestsRow>('SELECT n, recent, active FROM seen_requests WHERE key_id = ?', keyId)
      .toArray()
    if (row === undefined) return { n: 0, ...NOTHING_SEEN }
    return { n: row.n, recent: words(row.recent).map(readRequest), active: words(row.active).map(readLoop) }
  }

  #hold(keyId: string, seen: SeenWhateverHash): void {
    if (this.#held.size >= MOST_HELD && !this.#held.has(keyId)) this.#held.clear()
    this.#held.set(keyId, seen)
  }

  /** For keys that have gone quiet. */
  deleteSeenHashes(forgetBefore: number): void {
    this.#sql.exec('DELETE FROM seen_hashes WHERE last_at <= ?', forgetBefore)
  }
}

const words = (text = ''): string[] => (text === '' ? [] : text.split(' '))

const writeRequests = (requests: readonly SeenRequest[]): string =>
  requests.map(({ hash, at }) => `${hash}@${at}`).join(' ')

const writeLoops = (loops: readonly ActiveLoop[]): string =>
  loops.map(({ hashes, lastAt }) => `${hashes.join()}@${lastAt}`).join(' ')

function readRequest(word: string): SeenRequest {
  const [hash = '', at = ''] = word.split('@')
  return { hash, at: Number(at) }
}

function readLoop(word: string): ActiveLoop {
  const [hashes = '', lastAt = ''] = word.split('@')
  return { hashes: hashes.split(','), lastAt: Number(lastAt) }
}
