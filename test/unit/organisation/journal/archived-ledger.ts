// An organisation's log with its archive, worked step by step at times of the test's choosing, and a bucket that fails when it
// is told to. Entries leave once their tile of 256 is stored: what a test does not write itself are entries whose content is gone.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describeDecision } from '../../../../src/evidence/records/attestation-record.ts'
import {
  Archive,
  type EntriesPage,
  type EntriesRange,
  type FoundEntry,
} from '../../../../src/organisation/journal/archive.ts'
import { EntriesStore } from '../../../../src/organisation/journal/entries.store.ts'
import { EntryArchiver, type ArchiveLimits } from '../../../../src/organisation/journal/archive-entries.ts'
import { proveInclusionAt } from '../../../../src/tiles/proofs-from-tiles.ts'
import { storeNextTile } from '../../../../src/tiles/store-tiles.ts'
import type { TiledLog } from '../../../../src/tiles/tiled-log.ts'
import { TileFiles } from '../../../../src/tiles/tile-files.store.ts'
import { TileLevelsStore } from '../../../../src/tiles/tile-levels.store.ts'
import { LogProgressStore } from '../../../../src/organisation/journal/log-progress.store.ts'
import type { InclusionProof } from '../../../../src/evidence/tree/verify-proof.ts'
import { archiveLimits } from '../../../../src/organisation/journal/archive-entries.ts'
import { DataKeysStore } from '../../../../src/organisation/journal/data-keys.store.ts'
import { Journal } from '../../../../src/organisation/journal/journal.ts'
import { ReceiptSubmitter } from '../../../../src/organisation/publish/submit-receipts.ts'
import { bucketWith, type BucketMethods } from '../../../support/unit/bucket-with.ts'

export type ArchivedLedger = ReturnType<typeof openArchivedLedger>

export type Appended = { position: number; entry: string; expiresAt: number }

export type OpenedLedger = {
  storage: DurableObjectStorage
  journal: Journal
  log: TiledLog
  archive: Archive
  leaving: EntryArchiver
  /** Returns the limits of archiving if the public log has the receipts up to a position. */
  archiveLimits: (submittedTo: number, now: number) => ArchiveLimits
}

/** Everything has been handed to the public log. */
export const ALL = Number.MAX_SAFE_INTEGER

let ledgers = 0

/** An organisation's log as its own object opens it, read anew. */
export function openParts(storage: DurableObjectStorage, ledger: string, sealedIn: R2Bucket = env.FILES): OpenedLedger {
  const { sql } = storage
  const [journal, entries, progress] = [new Journal(sql), new EntriesStore(sql), new LogProgressStore(sql)]
  const log = {
    levels: new TileLevelsStore(storage),
    files: new TileFiles({ bucket: env.FILES, mirror: null, prefix: `log/${ledger}/tile/` }),
    leaves: { read: (first: number, count: number) => entries.readHashes(first, count) },
  }
  const kept = { storage, bucket: sealedIn, dataKeys: new DataKeysStore(sql, 'ledger'), objectId: ledger }
  const openLog = (): never => {
    throw new Error('nothing is handed over here')
  }
  const submitter = new ReceiptSubmitter({ storage, source: ledger, openLog })
  return {
    storage,
    journal,
    log,
    archive: new Archive({ ...kept, log }),
    leaving: new EntryArchiver({ ...kept, retire: (before) => journal.moveOldestSnapshot(before) }),
    archiveLimits: (submittedTo, now) => {
      progress.write({ submittedTo, lastReceipt: Math.min(progress.read().lastReceipt, submittedTo) })
      return archiveLimits({ storage, journal, log, submitter, usage: { countedTo: () => Infinity } }, progress, now)
    },
  }
}

/** All tiles that are complete. */
export async function storeTiles({ log, journal }: Pick<OpenedLedger, 'log' | 'journal'>): Promise<void> {
  while (await storeNextTile(log, journal.state.next)) continue
}

/** Entries without content until the newest tile is complete. */
export function completeTile(
  { storage: { sql }, journal }: Pick<OpenedLedger, 'storage' | 'journal'>,
  now: number,
): void {
  const { state, at } = journal.at(now)
  const count = (256 - (state.next % 256)) % 256
  sql.exec(
    `WITH RECURSIVE n(i) AS (SELECT 0 WHERE ?1 > 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
       INSERT INTO entries (position, hash, kind, at, expires_at, entry)
       SELECT ?2 + i, randomblob(32), 'operator_act', ?3, ?3, x'' FROM n`,
    count,
    state.next,
    at,
  )
  journal.forget()
}

export function openArchivedLedger() {
  const name = `org_of_an_archive_${(ledgers += 1)}`
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(name))
  let failing: Partial<BucketMethods> = {}

  const inStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
    runInDurableObject(object(), (_, { storage }) => work(storage))

  const inLedger = <T>(work: (parts: OpenedLedger) => T | Promise<T>): Promise<T> =>
    runInDurableObject(object(), (_, { storage, id }) => work(openParts(storage, id.toString(), bucketWith(failing))))

  const append = (write: (journal: Journal) => number): Promise<Appended> =>
    inLedger(({ storage, journal }) =>
      readAppended(
        storage,
        storage.transactionSync(() => write(journal)),
      ),
    )

  return {
    inStorage,
    inLedger,
    inArchive: <T>(work: (archive: Archive) => Promise<T>): Promise<T> => inLedger(({ archive }) => work(archive)),
    ledgerId: () => runInDurableObject(object(), (_, { id }) => id.toString()),

    append: (at: number, retentionDays = 30, content: Record<string, string> = {}): Promise<Appended> =>
      append((journal) => journal.append({ kind: 'operator_act', content, retentionDays }, at)),

    appendReceipt: (at: number, retentionDays = 30): Promise<Appended> =>
      append((journal) => journal.appendReceipt(receiptAt(journal.at(at).at, retentionDays), at)),

    appendSettlement: (at: number, settles: number, retentionDays = 30): Promise<Appended> =>
      append((journal) => {
        const fields = { settles, microeur: 5 }
        return journal.append({ kind: 'settlement', content: { settles, cost_microeur: 5 }, fields, retentionDays }, at)
      }),

    completeTile: (now: number): Promise<void> => inLedger((parts) => completeTile(parts, now)),

    /** One step, once all tiles are stored that are complete. */
    sweep: (now: number, submittedTo = ALL): Promise<boolean> =>
      inLedger(async (parts) => {
        await storeTiles(parts)
        return parts.leaving.step(parts.archiveLimits(submittedTo, now), now)
      }),

    /** Steps until nothing is left to do; how many there were. */
    sweepAll: (now: number, submittedTo = ALL): Promise<number> =>
      inLedger(async (parts) => {
        await storeTiles(parts)
        for (let steps = 0; steps < 1000; steps += 1) {
          if (!(await parts.leaving.step(parts.archiveLimits(submittedTo, now), now))) return steps
        }
        throw new Error('the sweep does not end')
      }),

    find: (position: number, now: number): Promise<FoundEntry> =>
      inLedger(({ archive }) => archive.findEntry(position, now)),

    /** Pages from the first entry up to the log's size at the start. `between`: what happens before each page. */
    async readAll(now: number, between?: () => Promise<unknown>): Promise<EntriesPage[]> {
      const before = await inLedger(({ journal }) => journal.tree.size)
      const pages: EntriesPage[] = []
      for (let from: number | null = 0; from !== null;) {
        await between?.()
        const range: EntriesRange = { from, before }
        const page: EntriesPage = await inLedger(({ archive }) => archive.readPage(range, now))
        pages.push(page)
        from = page.next
      }
      return pages
    },

    /** The same from the other end. */
    async readAllBack(now: number, between?: () => Promise<unknown>): Promise<EntriesPage[]> {
      const pages: EntriesPage[] = []
      let before: number | null = await inLedger(({ journal }) => journal.tree.size)
      while (before !== null) {
        await between?.()
        const range: EntriesRange = { from: 0, before }
        const page: EntriesPage = await inLedger(({ archive }) => archive.readPageBack(range, now))
        pages.push(page)
        before = page.next
      }
      return pages
    },

    /** The entry in hexadecimal digits; null when it cannot be read. */
    findBytes: async (position: number, now: number): Promise<string | null> => {
      const found = await inLedger(({ archive }) => archive.findEntry(position, now))
      return found.outcome === 'found' ? found.entry.toHex() : null
    },

    /** Returns the positions of entries whose content is still in the database. */
    positionsAtHand: () =>
      inStorage(({ sql }) =>
        sql
          .exec<{ position: number }>('SELECT position FROM entries WHERE length(entry) > 0 ORDER BY position')
          .toArray()
          .map(({ position }) => position),
      ),

    /** Which rows are in the database: one after the other. */
    rowsAtHand: () =>
      inStorage(({ sql }) =>
        sql
          .exec<{ first: number | null; n: number }>('SELECT MIN(position) AS first, COUNT(*) AS n FROM entries')
          .one(),
      ),

    prove: (position: number): Promise<InclusionProof> =>
      inLedger(({ log, journal }) => {
        const { tree } = journal
        return proveInclusionAt(log, { position, size: tree.size }, tree)
      }),

    /** Returns where the state in memory differs from what all rows at hand add up to. */
    checkState: (): Promise<string[]> =>
      inLedger(({ journal }) => journal.beginCheck().step()?.differences ?? ['more than one step']),

    /** Sixteen hexadecimal digits that name its newest data key. */
    keyFingerprint: () => inStorage(({ sql }) => new DataKeysStore(sql, 'ledger').current().fingerprint),

    exec: (statement: string) => inStorage(({ sql }) => sql.exec(statement).toArray()),
    evict: () => evictDurableObject(object()),

    /** From now on the bucket does this instead, where it has sealed objects. */
    failWith(bucket: Partial<BucketMethods>): void {
      failing = bucket
    },
  }
}

/** The names of all sealed objects of all ledgers. */
export async function objectNames(): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: 'ledger/' })
  return objects.map(({ key }) => key)
}

export async function readObject(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const object = await env.FILES.get(name)
  if (object === null) throw new Error(`no object ${name}`)
  return new Uint8Array(await object.arrayBuffer())
}

function readAppended({ sql }: DurableObjectStorage, position: number): Appended {
  const { entry, expires_at: expiresAt } = sql
    .exec<{ entry: ArrayBuffer; expires_at: number }>(
      'SELECT entry, expires_at FROM entries WHERE position = ?',
      position,
    )
    .one()
  return { position, entry: new Uint8Array(entry).toHex(), expiresAt }
}

/** As the journal takes it. */
export const receiptAt = (
  at: number,
  retentionDays: number,
  publicKey = 'A'.repeat(43),
  organisationId = 'org_of_a_test',
) => ({
  record: describeDecision(
    {
      attestationId: crypto.randomUUID(),
      organisationId,
      requestHash: '0'.repeat(64),
      model: 'gpt-4.1-mini',
      outcome: 'ALLOWED',
      policies: [],
      costPreventedMicroeur: 0,
      decidedAt: at,
    },
    publicKey,
  ),
  facts: JSON.stringify({
    key_id: 'key_of_a_test',
    provider: 'openai',
    reason: null,
    reserve_microeur: 0,
    use_case: null,
  }),
  at,
  fields: { keyId: 'key_of_a_test', outcome: 'ALLOWED', microeur: 0 },
  retentionDays,
})
