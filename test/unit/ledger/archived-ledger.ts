// An organisation's ledger with its archive, worked step by step at times of the test's choosing, and a bucket that fails
// when it is told to.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describeDecision } from '../../../src/attestation/record.ts'
import { Archive, type FoundEntry } from '../../../src/ledger/archive.ts'
import { EntriesReader, type EntriesPage, type EntriesRange } from '../../../src/ledger/entries-reader.ts'
import { LedgerStore } from '../../../src/ledger/ledger.store.ts'
import { TreeStore } from '../../../src/ledger/tree.store.ts'
import { DataKeysStore } from '../../../src/organisation/data-keys.store.ts'
import { bucketWith, type BucketMethods } from '../../support/unit/bucket-with.ts'

export type ArchivedLedger = ReturnType<typeof openArchivedLedger>

export type Appended = { position: number; entry: string; expiresAt: number }

/** Everything has been handed to the public log. */
const ALL = Number.MAX_SAFE_INTEGER

let ledgers = 0

export function openArchivedLedger() {
  const name = `org_of_an_archive_${(ledgers += 1)}`
  const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(name))
  let failing: Partial<BucketMethods> = {}

  const inStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
    runInDurableObject(object(), (_, { storage }) => work(storage))

  const inArchive = <T>(work: (archive: Archive) => Promise<T>): Promise<T> =>
    runInDurableObject(object(), async (_, { storage, id }) => {
      const bucket = bucketWith(failing)
      return work(new Archive({ storage, bucket, dataKeys: new DataKeysStore(storage.sql), ledger: id.toString() }))
    })

  return {
    inStorage,
    inArchive,
    ledgerId: () => runInDurableObject(object(), (_, { id }) => id.toString()),

    append: (at: number, retentionDays = 30, content: object = {}): Promise<Appended> =>
      inStorage((storage) => {
        const ledger = new LedgerStore(storage.sql)
        const position = storage.transactionSync(() =>
          ledger.appendEntry('referral_decision', { ...content }, at, retentionDays),
        )
        return readAppended(storage, position)
      }),

    appendReceipt: (at: number, retentionDays = 30): Promise<Appended> =>
      inStorage((storage) => {
        const ledger = new LedgerStore(storage.sql)
        const facts = { reason: null, key_id: 'key_of_a_test' }
        const position = storage.transactionSync(() => ledger.appendReceipt(recordAt(at), facts, at, retentionDays))
        return readAppended(storage, position)
      }),

    sweep: (now: number, publishedTo = ALL): Promise<boolean> =>
      inArchive((archive) => archive.sweep(publishedTo, now)),

    /** Steps until nothing is left to do; how many there were. */
    sweepAll: (now: number, publishedTo = ALL): Promise<number> =>
      inArchive(async (archive) => {
        for (let steps = 0; steps < 1000; steps += 1) if (!(await archive.sweep(publishedTo, now))) return steps
        throw new Error('the sweep does not end')
      }),

    find: (position: number, now: number): Promise<FoundEntry> =>
      inArchive((archive) => archive.findEntry(position, now)),

    /** Pages from the first entry up to the tree's size at the start. `between`: what happens before each page. */
    async readAll(now: number, between?: () => Promise<unknown>): Promise<EntriesPage[]> {
      const before = await inStorage(({ sql }) => new TreeStore(sql).size())
      const pages: EntriesPage[] = []
      for (let from: number | null = 0; from !== null;) {
        await between?.()
        const range: EntriesRange = { from, before }
        const page: EntriesPage = await runInDurableObject(object(), async (_, { storage, id }) => {
          const dataKeys = new DataKeysStore(storage.sql)
          const parts = { storage, bucket: bucketWith(failing), dataKeys, ledger: id.toString() }
          return new EntriesReader(parts).readPage(range, now)
        })
        pages.push(page)
        from = page.next
      }
      return pages
    },

    /** The entry in hexadecimal digits; null when it cannot be read. */
    findBytes: async (position: number, now: number): Promise<string | null> => {
      const found = await inArchive((archive) => archive.findEntry(position, now))
      return found.outcome === 'found' ? found.entry.toHex() : null
    },

    positionsAtHand: () =>
      inStorage(({ sql }) =>
        sql
          .exec<{ position: number }>('SELECT position FROM details ORDER BY position')
          .toArray()
          .map(({ position }) => position),
      ),

    /** Sixteen hexadecimal digits that name its newest data key. */
    keyFingerprint: () => inStorage(({ sql }) => new DataKeysStore(sql).current().fingerprint),

    exec: (statement: string) => inStorage(({ sql }) => sql.exec(statement).toArray()),
    inTree: <T>(work: (tree: TreeStore) => T): Promise<T> => inStorage(({ sql }) => work(new TreeStore(sql))),
    evict: () => evictDurableObject(object()),

    /** From now on the bucket does this instead. */
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
      'SELECT entry, expires_at FROM details WHERE position = ?',
      position,
    )
    .one()
  return { position, entry: new Uint8Array(entry).toHex(), expiresAt }
}

const recordAt = (at: number) =>
  describeDecision(
    {
      attestationId: crypto.randomUUID(),
      traceId: `tr_${'0'.repeat(32)}`,
      organisationId: 'org_of_a_test',
      requestHash: '0'.repeat(64),
      model: 'gpt-4.1-mini',
      outcome: 'ALLOWED',
      policies: [],
      costPreventedMicroeur: 0,
      decidedAt: at,
    },
    'A'.repeat(43),
  )
