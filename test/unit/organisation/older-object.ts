// An organisation's object as a Worker from before its present tables left it: made by the released steps alone, and filled as
// that Worker did. When it next starts it opens with the present code.
import { env } from 'cloudflare:workers'
import { runInDurableObject } from 'cloudflare:test'
import { receiptEntry } from '../../../src/evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../../src/evidence/records/record.ts'
import { archiveObjectName, packEntries, type KeptEntry } from '../../../src/organisation/journal/archive-object.ts'
import { encodeEntry, leafHash, type EntryContent } from '../../../src/evidence/entry.ts'
import type { EntryKind } from '../../../src/evidence/entry-tags.ts'
import { TILE_LEVELS_SCHEMA } from '../../../src/tiles/tile-levels.store.ts'
import { hashNode } from '../../../src/evidence/tree/merkle-hash.ts'
import { OlderTree } from '../../../src/tiles/older-tree.store.ts'
import { ORGANISATION_MIGRATIONS } from '../../../src/organisation/organisation-migrations.ts'
import { DAY_MS, MINUTE_MS, utcDay, utcMonth } from '../../../src/platform/clock.ts'
import { parseId } from '../../../src/platform/ids.ts'
import { migrateObject } from '../../../src/platform/object-migrations.ts'
import { sha256 } from '../../../src/platform/sha256.ts'
import { importSealingKey, seal } from '../../../src/platform/seal.ts'
import { foundOrganisation, positionOf, type ChatKey, type ChatOrganisation } from './chat-organisation.ts'

/** Those that were released before the present tables. */
const RELEASED_STEPS = ORGANISATION_MIGRATIONS.slice(0, ORGANISATION_MIGRATIONS.indexOf(TILE_LEVELS_SCHEMA))

/** What the older Worker kept of an entry at hand. */
type Details = { kind: string; at: number; expiresAt: number; entry: Uint8Array<ArrayBuffer>; facts: string | null }

export type Decided = { position: number; attestationId: string }

export const objectOf = ({ id }: Pick<ChatOrganisation, 'id'>) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

export const inObject = <T>(
  organisation: Pick<ChatOrganisation, 'id'>,
  work: (storage: DurableObjectStorage) => T | Promise<T>,
): Promise<T> => runInDurableObject(objectOf(organisation), (_, { storage }) => work(storage))

const NOTHING = new Uint8Array()

/** The older Worker's side of the object: each method writes what one of its turns wrote. */
export class OlderWorker {
  readonly sql: SqlStorage
  readonly tree: OlderTree
  readonly decided: Decided[] = []
  readonly #template: UnsignedRecord
  readonly #ledger: string
  #numbers = 0

  constructor(sql: SqlStorage, template: UnsignedRecord, ledger: string) {
    this.sql = sql
    this.tree = new OlderTree(sql)
    this.#template = template
    this.#ledger = ledger
  }

  get size(): number {
    return this.tree.size()
  }

  append(kind: EntryKind, content: EntryContent, at: number, retentionDays = 30): number {
    const entry = encodeEntry(kind, { ...content, kind, at: new Date(at).toISOString() })
    return this.#append({ kind, at, expiresAt: at + retentionDays * DAY_MS, entry, facts: null })
  }

  /** A chat's decision. `open`: it is admitted, and still to be settled. */
  decide(at: number, { open = false, microeur = 0, retentionDays = 30, keyId = 'key' } = {}): Decided {
    const attestationId = crypto.randomUUID()
    const record = {
      ...this.#template,
      attestation_id: attestationId,
      trace_id: `tr_${attestationId.replaceAll('-', '')}`,
    }
    const facts = JSON.stringify({ key_id: keyId, use_case: `case ${attestationId}`, reserve_microeur: microeur })
    const entry = new Uint8Array(receiptEntry(record))
    const expiresAt = at + retentionDays * DAY_MS
    const position = this.#append({ kind: 'chat_decision', at, expiresAt, entry, facts })
    this.sql.exec(
      'INSERT INTO receipts (attestation_id, position) VALUES (?, ?)',
      parseId('', attestationId) ?? new Uint8Array(),
      position,
    )
    if (open) this.#reserve(position, at, microeur)
    this.decided.push({ position, attestationId })
    return { position, attestationId }
  }

  /** What ended a decision. */
  settle(settles: number, at: number, { microeur = 0, retentionDays = 30 } = {}): number {
    const content = { settles, ended: 'completed', cost_microeur: microeur, estimated: false, usage: null }
    const position = this.append('settlement', content, at, retentionDays)
    this.sql.exec('INSERT INTO settlements (settles, position) VALUES (?, ?)', settles, position)
    return position
  }

  /** A reading that is under way. */
  beginReading(keyId: string, at: number, microeur: number): number {
    const position = this.append('referral_decision', { outcome: 'reading' }, at)
    const day = utcDay(at)
    this.sql.exec(
      'INSERT INTO reservations (position, subject, day, microeur) VALUES (?, ?, ?, ?)',
      position,
      keyId,
      day,
      microeur,
    )
    this.sql.exec(
      `INSERT INTO day_costs (subject, day, microeur) VALUES (?1, ?2, ?3)
       ON CONFLICT (subject, day) DO UPDATE SET microeur = microeur + ?3`,
      keyId,
      day,
      microeur,
    )
    return position
  }

  count(subject: string, at: number): void {
    this.#numbers += 1
    this.sql.exec('INSERT INTO calls (subject, at, n) VALUES (?, ?, ?)', subject, at, this.#numbers)
    this.sql.exec(
      `INSERT INTO call_counts (subject, n, last_at, day, in_day, day_before, in_day_before) VALUES (?1, ?2, ?3, ?4, 1, -1, 0)
       ON CONFLICT (subject) DO UPDATE SET n = ?2, last_at = ?3, day = ?4,
         in_day = CASE day WHEN ?4 THEN in_day + 1 ELSE 1 END`,
      subject,
      this.#numbers,
      at,
      utcDay(at),
    )
  }

  /** The month's usage, beside that of open reservations. */
  spend(at: number, requests: number, microeur: number): void {
    this.#addToMonth(at, requests, microeur, 0)
  }

  /** As the key's requests were remembered, all of one hash. */
  see(keyId: string, hash: string, times: readonly number[]): void {
    const [last = 0] = times.toReversed()
    const recent = times.map((at) => `${hash}@${at}`).join(' ')
    this.sql.exec(
      `INSERT INTO seen_requests (key_id, n, recent, active) VALUES (?, ?, ?, '')`,
      keyId,
      times.length,
      recent,
    )
    this.sql.exec(
      'INSERT INTO seen_hashes (key_id, hash, last_at, same_at) VALUES (?, ?, ?, ?)',
      keyId,
      hash,
      last,
      times.join(' '),
    )
  }

  writeSettings(change: Readonly<Record<string, string | number | null>>): void {
    for (const [column, value] of Object.entries(change)) this.sql.exec(`UPDATE settings SET ${column} = ?`, value)
  }

  /** The first leaves of the log, whose entries went long ago. */
  appendForgotten(count: number): void {
    let hashes = Array.from({ length: count }, () => crypto.getRandomValues(new Uint8Array(32)) as Uint8Array)
    for (const [position, hash] of hashes.entries()) {
      this.sql.exec('INSERT INTO leaves (position, hash) VALUES (?, ?)', position, hash)
    }
    for (let level = 1; hashes.length > 1; level += 1) {
      const below = hashes
      hashes = Array.from({ length: Math.floor(below.length / 2) }, (_, at) =>
        hashNode(below[at * 2] ?? NOTHING, below[at * 2 + 1] ?? NOTHING, sha256),
      )
      for (const [position, hash] of hashes.entries()) {
        this.sql.exec('INSERT INTO tree_nodes (level, position, hash) VALUES (?, ?, ?)', level, position, hash)
      }
    }
  }

  /** Hands all receipts up to a position to the public log, whose index does not learn where they are here. */
  async submitTo(position: number): Promise<void> {
    const receipts = this.decided
      .filter((one) => one.position <= position)
      .map(({ position: at, attestationId }) => ({
        position: at,
        attestationId,
        leafHash: this.tree.read(0, at),
      }))
    const log = env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromName('public'))
    await log.appendReceipts({ source: this.#ledger, after: -1, receipts })
    // The first head of all is of the empty log.
    for (let head = 0; head < 2; head += 1) await log.ensureHead()
    await Promise.all(INDEX_SHARDS.map(forgetOrigins))
    const last = receipts.at(-1)?.position ?? -1
    this.sql.exec('UPDATE publication SET published_to = ?, last_receipt = ?', position, last)
  }

  #dataKey(): Uint8Array<ArrayBuffer> {
    this.sql.exec('INSERT OR IGNORE INTO data_keys (number, key) VALUES (1, randomblob(32))')
    return new Uint8Array(this.sql.exec<{ key: ArrayBuffer }>('SELECT key FROM data_keys').one().key)
  }

  /** Puts the details of positions into R2, an object a day of expiry. */
  async sealAway(first: number, before: number): Promise<void> {
    const dataKey = this.#dataKey()
    const key = await importSealingKey(dataKey)
    const byDay = Map.groupBy(this.kept(first, before), ({ expiresAt }) => utcDay(expiresAt))
    for (const [expiresDay, entries] of byDay) {
      const [from = 0, last = 0] = [entries[0]?.position, entries.at(-1)?.position]
      const keyFingerprint = sha256(dataKey).toHex().slice(0, 16)
      const name = archiveObjectName(this.#ledger, { first: from, last, expiresDay, keyFingerprint })
      await env.FILES.put(name, await seal(key, name, await packEntries(entries)))
      this.sql.exec(
        `INSERT INTO sealed_details (first, last, expires_day, rows, data_key, key_fingerprint) VALUES (?, ?, ?, ?, ?, ?)`,
        from,
        last,
        expiresDay,
        entries.length,
        1,
        keyFingerprint,
      )
    }
    this.forget(first, before)
  }

  /** Their retention is over. */
  forget(first: number, before: number): void {
    this.sql.exec('DELETE FROM details WHERE position >= ? AND position < ?', first, before)
    this.sql.exec('DELETE FROM detail_runs WHERE first >= ? AND first < ?', first, before)
    this.sql.exec('INSERT OR IGNORE INTO detail_runs (first) SELECT MIN(position) FROM details HAVING COUNT(*) > 0')
  }

  kept(first: number, before: number): KeptEntry[] {
    return this.sql
      .exec<{
        position: number
        kind: string
        at: number
        expires_at: number
        entry: ArrayBuffer
        facts: string | null
      }>(
        `SELECT position, kind, at, expires_at, entry, facts FROM details
         WHERE position >= ? AND position < ? ORDER BY position`,
        first,
        before,
      )
      .toArray()
      .map(({ position, kind, at, expires_at: expiresAt, entry, facts }) => {
        return { position, kind, at, expiresAt, entry: new Uint8Array(entry), facts }
      })
  }

  #append({ kind, at, expiresAt, entry, facts }: Details): number {
    const position = this.size
    this.#appendLeaf(position, leafHash(entry))
    this.sql.exec(
      'INSERT INTO details (position, kind, at, expires_at, entry, facts) VALUES (?, ?, ?, ?, ?, ?)',
      position,
      kind,
      at,
      expiresAt,
      entry,
      facts,
    )
    return position
  }

  #appendLeaf(position: number, hash: Uint8Array): void {
    this.sql.exec('INSERT INTO leaves (position, hash) VALUES (?, ?)', position, hash)
    this.tree.append(position, hash)
  }

  #reserve(position: number, at: number, microeur: number): void {
    this.sql.exec(
      'INSERT INTO chat_reservations (position, admitted_at, microeur) VALUES (?, ?, ?)',
      position,
      at,
      microeur,
    )
    this.#addToMonth(at, 1, 0, microeur)
  }

  #addToMonth(at: number, requests: number, spent: number, reserved: number): void {
    this.sql.exec(
      `INSERT INTO month_usage (month, requests, spent_microeur, reserved_microeur) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (month) DO UPDATE SET requests = requests + ?2, spent_microeur = spent_microeur + ?3,
         reserved_microeur = reserved_microeur + ?4`,
      utcMonth(at),
      requests,
      spent,
      reserved,
    )
  }
}

export type OlderOrganisation = { organisation: ChatOrganisation; key: ChatKey; reader: ChatKey }

/**
 * An organisation of the tier pro with a key of the gateway and one that reads letters, as the older Worker left it. Opens with
 * the present code when it is next called.
 *
 * @param steps how many of the released ones that Worker had
 */
export async function foundOlder(
  fill: (worker: OlderWorker, keys: { key: ChatKey; reader: ChatKey }) => void | Promise<void>,
  settings: object = {},
  steps = RELEASED_STEPS.length,
): Promise<OlderOrganisation> {
  const organisation = await foundOrganisation({ tier: 'pro', ...settings })
  const [key, reader] = [await organisation.issueKey(), await organisation.issueKey({ prefix: 'vk_live_' })]
  const admission = await organisation.admit(key)
  positionOf(admission)
  if (!('record' in admission)) throw new Error('not recorded')
  const { record } = admission
  const { settings: set } = await organisation.state()
  await inObject(organisation, async (storage) => {
    const { sql } = storage
    const keys = sql.exec('SELECT * FROM keys').toArray()
    await storage.deleteAlarm()
    wipe(sql)
    migrateObject(storage, RELEASED_STEPS.slice(0, steps))
    for (const row of keys) insert(sql, 'keys', row)
    insert(sql, 'settings', {
      id: 1,
      tier: set.tier,
      enabled_providers: set.enabledProviders.join(' '),
      requests_per_minute: set.requestsPerMinute,
      requests_per_month: set.requestsPerMonth,
      monthly_budget_microeur: set.monthlyBudgetMicroeur,
      default_max_tokens: set.defaultMaxTokens,
      cache_instructions: 0,
      retention_days: set.retentionDays,
      loop_repeats: set.loopRepeats,
      loop_window_seconds: set.loopWindowSeconds,
      loop_cycle_rounds: set.loopCycleRounds,
      loop_cycle_window_seconds: set.loopCycleWindowSeconds,
      version: set.version,
    })
    const worker = new OlderWorker(sql, record, objectOf(organisation).id.toString())
    await fill(worker, { key, reader })
  })
  await organisation.evict()
  return { organisation, key, reader }
}

/** Chats, each with its settlement, until the log has `size` leaves: evenly from `from` until `until`. */
export function fillEvenly(worker: OlderWorker, size: number, { from, until }: { from: number; until: number }): void {
  const step = (until - from) / Math.max(1, size)
  while (worker.size < size) {
    const at = Math.floor(from + worker.size * step)
    const { position } = worker.decide(at)
    if (worker.size < size) worker.settle(position, Math.min(until, at + MINUTE_MS / 60))
  }
}

function insert(sql: SqlStorage, table: string, row: Record<string, SqlStorageValue>): void {
  const known = sql.exec<{ name: string }>(`PRAGMA table_info(${table})`).toArray()
  const columns = known.map(({ name }) => name)
  const values = columns.map((column) => row[column] ?? null)
  sql.exec(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`, ...values)
}

export const hasOlderTables = async ({ organisation }: OlderOrganisation): Promise<boolean> =>
  (await organisation.query(`SELECT 1 AS n FROM sqlite_master WHERE name IN ('leaves', 'older_log', 'details')`))
    .length > 0

/** Whether it wakes again at once. */
export const isMoving = async ({ organisation }: OlderOrganisation): Promise<boolean> =>
  ((await organisation.alarmAt()) ?? Infinity) <= Date.now() + MINUTE_MS

/** Alarms, each of an object that has just started, until the older tables are gone; null where they stay for now. */
export async function wake(older: OlderOrganisation, wakes = 40): Promise<number | null> {
  for (let n = 0; n < wakes; n += 1) {
    if (!(await hasOlderTables(older))) return n
    await older.organisation.runAlarm()
    await older.organisation.evict()
  }
  return null
}

const INDEX_SHARDS = Array.from({ length: 16 }, (_, shard) => `shard-${shard.toString(16)}`)

/** As the index was before it knew any. */
async function forgetOrigins(name: string): Promise<void> {
  const shard = env.PUBLIC_LOG_INDEX.get(env.PUBLIC_LOG_INDEX.idFromName(name))
  await runInDurableObject(shard, (_, { storage: { sql } }) => {
    const { trigger } = sql
      .exec<{ trigger: string }>(`SELECT sql AS trigger FROM sqlite_master WHERE name = 'entries_never_change'`)
      .one()
    sql.exec('DROP TRIGGER entries_never_change')
    sql.exec('UPDATE entries SET origin = NULL')
    sql.exec(trigger)
  })
}

/** Nothing is left of the present tables. */
function wipe(sql: SqlStorage): void {
  const found = (type: string): string[] =>
    sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
        type,
      )
      .toArray()
      .map(({ name }) => name)
  for (const type of ['trigger', 'view', 'table'] as const) {
    for (const name of found(type)) sql.exec(`DROP ${type.toUpperCase()} IF EXISTS "${name}"`)
  }
}
