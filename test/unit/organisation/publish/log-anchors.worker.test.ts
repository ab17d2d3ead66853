// The head of an organisation's log as a leaf of the public log: once for each hour in which something was written, one head a size,
// through crashes and while the public log does not answer.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anchorLeaf, readAnchor, type AnchorDocument } from '../../../../src/evidence/bundles/anchor.ts'
import { EntriesStore } from '../../../../src/organisation/journal/entries.store.ts'
import { TileFiles } from '../../../../src/tiles/tile-files.store.ts'
import { TileLevelsStore } from '../../../../src/tiles/tile-levels.store.ts'
import { openPublicLog, type ReceiptBatch, type IntakeProgress } from '../../../../src/public-log/public-log.client.ts'
import { verifyConsistency } from '../../../../src/evidence/tree/verify-proof.ts'
import { eraseTables } from '../../../../src/organisation/erasure/erase-tables.ts'
import { Journal } from '../../../../src/organisation/journal/journal.ts'
import { LogAnchors } from '../../../../src/organisation/publish/log-anchors.ts'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { MINUTE_MS } from '../../../../src/platform/time.ts'
import { countRowsRead } from '../../../support/unit/counted-sql.ts'
import { foundOrganisation, noon, positionOf, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'

const HOUR_MS = 60 * MINUTE_MS

let organisation: ChatOrganisation
let key: ChatKey

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  organisation = await foundOrganisation({ tier: 'pro' })
  key = await organisation.issueKey()
})
afterEach(() => vi.useRealTimers())

const inObject = <T>(work: (object: Organisation, storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(
    env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)),
    (object: Organisation, ctx) => work(object, ctx.storage),
  )

type Row = { tree_size: number; document: string; taken_at: number | null }

const rows = (): Promise<Row[]> =>
  organisation.query<Row>('SELECT tree_size, document, taken_at FROM anchors ORDER BY tree_size')

const documentsOf = (anchors: readonly Row[]): AnchorDocument[] =>
  anchors.flatMap(({ document }) => readAnchor(JSON.parse(document)) ?? [])

const sizeOfLog = (): Promise<number> => inObject((_, { sql }) => new Journal(sql).state.next)

/** The leaves of the public log that this organisation's anchors are, and the ids they are found by. */
const publicAnchors = (): Promise<{ leaf: string; id: string }[]> =>
  runInDurableObject(openPublicLog(env.PUBLIC_LOG, false), (_, { storage }) =>
    storage.sql
      .exec<{ hash: string; id: string }>(
        `SELECT lower(hex(hashes)) AS hash, lower(hex(ids)) AS id FROM batches WHERE source = ? ORDER BY first`,
        `${logId()}/anchors`,
      )
      .toArray()
      .map(({ hash, id }) => ({ leaf: hash, id })),
  )

/** Wakes the object whenever it wants to until it has nothing more to do before `until`. */
async function wakeUntil(until: number): Promise<number> {
  for (let wakes = 0; ; wakes += 1) {
    const at = await organisation.alarmAt()
    if (at === null || at > until) return wakes
    if (wakes === 50) throw new Error('it never comes to rest')
    vi.setSystemTime(Math.max(at, Date.now()))
    await organisation.runAlarm()
  }
}

describe('the head of an organisation’s log', () => {
  it('is anchored once the hour is over, settlements and acts of management with it', async () => {
    await organisation.settle(positionOf(await organisation.admit(key)), 0)
    await organisation.set({ monthly_budget_eur: 5 })
    await wakeUntil(noon + 59 * MINUTE_MS)
    expect(await rows()).toEqual([])
    await wakeUntil(noon + 70 * MINUTE_MS)
    const [document, ...others] = documentsOf(await rows())
    if (document === undefined) throw new Error('no anchor')
    expect(others).toEqual([])
    const tree = await inObject((_, { sql }) => new Journal(sql).tree)
    // The hour's counts too.
    expect([document.tree_size, document.root_hash]).toEqual([tree.size, tree.root.toHex()])
    expect(await publicAnchors()).toEqual([
      { leaf: anchorLeaf(document).toHex(), id: document.anchor_id.replaceAll('-', '') },
    ])
  })

  it('is anchored of an act alone, which no call brings an alarm for', async () => {
    await wakeUntil(noon + 3 * HOUR_MS)
    expect((await publicAnchors()).length).toBe(1)
    vi.setSystemTime(noon + 5 * HOUR_MS)
    await organisation.issueKey()
    await organisation.evict()
    await wakeUntil(noon + 6 * HOUR_MS + 10 * MINUTE_MS)
    expect(documentsOf(await rows()).at(-1)?.tree_size).toBe(await sizeOfLog())
  })

  it('is anchored no second time where nothing came: the anchor itself is nothing that came', async () => {
    await organisation.admit(key)
    await wakeUntil(noon + 20 * HOUR_MS)
    const anchored = await publicAnchors()
    await organisation.evict()
    await wakeUntil(noon + 23 * HOUR_MS)
    expect(await publicAnchors()).toEqual(anchored)
    expect(anchored.length).toBeLessThanOrEqual(3)
  })

  it('is anchored hour by hour, in three rows at most, each anchor once', async () => {
    for (let hour = 0; hour < 6; hour += 1) {
      vi.setSystemTime(noon + hour * HOUR_MS + 30 * MINUTE_MS)
      await organisation.admit(key)
      await wakeUntil(noon + (hour + 1) * HOUR_MS + 10 * MINUTE_MS)
      expect((await publicAnchors()).length).toBe(hour + 1)
      expect((await rows()).length).toBeLessThanOrEqual(3)
    }
    const taken = await rows()
    expect(taken.length).toBe(2)
    const leaves = documentsOf(taken).map((document) => anchorLeaf(document).toHex())
    expect((await publicAnchors()).slice(-2).map(({ leaf }) => leaf)).toEqual(leaves)
  })

  it('is anchored soon after a clock that was ahead has stepped back', async () => {
    await wakeUntil(noon + 2 * HOUR_MS)
    const before = (await publicAnchors()).length
    vi.setSystemTime(noon + 48 * HOUR_MS)
    await organisation.admit(key)
    vi.setSystemTime(noon + 3 * HOUR_MS)
    await organisation.evict()
    await organisation.admit(key)
    await wakeUntil(noon + 6 * HOUR_MS)
    expect(documentsOf(await rows()).at(-1)?.tree_size).toBe(await sizeOfLog())
    expect((await publicAnchors()).length - before).toBeLessThanOrEqual(2)
  })

  it('is anchored at another moment of ten minutes by each organisation', async () => {
    const moments = new Set<number>()
    for (let n = 0; n < 4; n += 1) {
      const { id } = await foundOrganisation()
      const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
      moments.add(
        await runInDurableObject(object, (_, { storage }) => openAnchors(storage, object.id.toString()).dueAfter(noon)),
      )
    }
    expect(moments.size).toBeGreaterThan(1)
    for (const at of moments) expect(at - noon - HOUR_MS).toBeLessThan(10 * MINUTE_MS)
    for (const at of moments) expect(at).toBeGreaterThanOrEqual(noon + HOUR_MS)
  })

  it('goes again with the same document and no other where the answer of the public log was lost', async () => {
    await organisation.admit(key)
    vi.setSystemTime(noon + 2 * HOUR_MS)
    const handed: string[] = []
    const losesAnswers = async ({ receipts }: ReceiptBatch): Promise<IntakeProgress> => {
      handed.push(...receipts.map(({ leafHash }) => leafHash.toHex()))
      throw new Error('no answer')
    }
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(anchorTo(losesAnswers)).rejects.toThrow('no answer')
      await organisation.admit(key)
      await organisation.evict()
    }
    expect(new Set(handed).size).toBe(1)
    expect((await rows()).map(({ taken_at: at }) => at)).toEqual([null])
    await wakeUntil(noon + 2 * HOUR_MS + 10 * MINUTE_MS)
    expect((await publicAnchors()).map(({ leaf }) => leaf)).toEqual([handed[0]])
  })

  it('is there once though it was handed over twice', async () => {
    await organisation.admit(key)
    vi.setSystemTime(noon + 2 * HOUR_MS)
    const publicLog = openPublicLog(env.PUBLIC_LOG, false)
    await expect(
      anchorTo(async (batch) => {
        await publicLog.appendReceipts(batch)
        throw new Error('no answer')
      }),
    ).rejects.toThrow()
    await wakeUntil(noon + 2 * HOUR_MS + 10 * MINUTE_MS)
    expect((await publicAnchors()).length).toBe(1)
    expect((await rows())[0]?.taken_at).not.toBe(null)
  })

  it('has one anchor a size, whatever order of entries, wakes, evictions and failures there is', async () => {
    const step = fc.constantFrom('entry', 'hour', 'wake', 'fail', 'evict')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const taken = new Map<number, string>()
        for (const one of steps) {
          if (one === 'entry') await organisation.admit(key)
          if (one === 'hour') vi.setSystemTime(Date.now() + HOUR_MS + 10 * MINUTE_MS)
          if (one === 'evict') {
            await organisation.alarmAt()
            await organisation.evict()
          }
          const collect = async ({ receipts }: ReceiptBatch): Promise<IntakeProgress> => {
            for (const { position, leafHash } of receipts) {
              const known = taken.get(position) ?? leafHash.toHex()
              expect(leafHash.toHex()).toBe(known)
              taken.set(position, known)
            }
            if (one === 'fail') throw new Error('no answer')
            return { takenTo: receipts.at(-1)?.position ?? -1 }
          }
          if (one === 'wake') await anchorTo(collect)
          if (one === 'fail') await anchorTo(collect).catch(() => undefined)
        }
      }),
      { numRuns: 5 },
    )
  })

  it('says so where the public log is ahead, as after this database was taken back, and goes on', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await organisation.admit(key)
    vi.setSystemTime(noon + 2 * HOUR_MS)
    await anchorTo(async () => ({ takenTo: 1000 }))
    expect(said.mock.calls.map(([line]) => JSON.parse(String(line)) as object)).toEqual([
      { level: 'error', event: 'submission_failed', outcome: 'log_is_ahead' },
    ])
    said.mockRestore()
    expect((await rows()).length).toBe(1)
  })

  it('is continued by every later tree of the log, and by none of another', async () => {
    await organisation.admit(key)
    await wakeUntil(noon + 2 * HOUR_MS)
    await organisation.admit(key)
    await organisation.admit(key)
    const tree = await inObject((_, { sql }) => new Journal(sql).tree)
    const proven = await inObject((object) => object.log.proveAnchor(tree))
    if (proven === null) throw new Error('no anchor')
    expect(verifyConsistency(proven.consistency).valid).toBe(true)
    expect(proven.consistency).toMatchObject({
      old_size: proven.document.tree_size,
      old_root: proven.document.root_hash,
      new_size: tree.size,
      new_root: tree.root.toHex(),
    })
    await expect(inObject((object) => object.log.proveAnchor({ ...tree, root: new Uint8Array(32) }))).rejects.toThrow()
    expect(await inObject((object) => object.log.proveAnchor({ ...tree, size: 1 }))).toBe(null)
  })

  it('is proven by the anchor before, as long as no head of the public log may cover the newest', async () => {
    const provenSize = async (): Promise<number | undefined> => {
      const tree = await inObject((_, { sql }) => new Journal(sql).tree)
      return (await inObject((object) => object.log.proveAnchor(tree)))?.document.tree_size
    }
    await organisation.admit(key)
    await wakeUntil(noon + 2 * HOUR_MS)
    const first = await provenSize()
    await organisation.admit(key)
    await wakeUntil(noon + 4 * HOUR_MS)
    expect(await provenSize()).toBe(first)
    vi.setSystemTime(Date.now() + MINUTE_MS)
    expect(await provenSize()).toBe(await sizeOfLog())
  })
})

describe('the rows of anchors', () => {
  it('cannot be changed, nor one added of a size that was anchored', async () => {
    await organisation.admit(key)
    await wakeUntil(noon + 2 * HOUR_MS)
    const attempts = [
      "UPDATE anchors SET document = '{}'",
      'UPDATE anchors SET tree_size = tree_size + 1',
      'UPDATE anchors SET taken_at = NULL',
      "INSERT INTO anchors (tree_size, document) VALUES (1, '{}')",
      "INSERT OR REPLACE INTO anchors (tree_size, document) SELECT tree_size, '{}' FROM anchors",
    ]
    for (const attempt of attempts) {
      await expect(inObject((_, { sql }) => void sql.exec(attempt))).rejects.toThrow(/anchor/)
    }
  })

  it('are three written for an anchor, and none for the turns of a call', async () => {
    const written: number[] = []
    for (let hour = 1; hour <= 4; hour += 1) {
      await organisation.admit(key)
      expect((await rows()).filter(({ taken_at: at }) => at === null)).toEqual([])
      vi.setSystemTime(noon + 2 * hour * HOUR_MS)
      written.push(
        await inObject(async (_, storage) => {
          const { sql, rowsWritten } = countRowsRead(storage.sql)
          const counted = { sql, transactionSync: <T>(work: () => T): T => storage.transactionSync(work) }
          const takes = async ({ receipts }: ReceiptBatch): Promise<IntakeProgress> => ({
            takenTo: receipts[0]?.position ?? -1,
          })
          await openAnchors(counted, logId(), takes).task().run(Date.now())
          return rowsWritten()
        }),
      )
    }
    expect(written).toEqual([2, 2, 3, 3])
  })

  it('go with the organisation, and their salts with them', async () => {
    await organisation.admit(key)
    await wakeUntil(noon + 2 * HOUR_MS)
    expect((await rows()).length).toBeGreaterThan(0)
    await inObject((_, storage) => storage.transactionSync(() => eraseTables(storage.sql)))
    expect(await rows()).toEqual([])
    expect((await publicAnchors()).length).toBeGreaterThan(0)
  })
})

const logId = (): string => env.ORGANISATIONS.idFromName(organisation.id).toString()

function openAnchors(
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>,
  logIdOf: string,
  appendReceipts: (batch: ReceiptBatch) => Promise<IntakeProgress> = async () => ({ takenTo: -1 }),
): LogAnchors {
  const entries = new EntriesStore(storage.sql)
  const log = {
    levels: new TileLevelsStore(storage),
    files: new TileFiles({ bucket: env.FILES, mirror: null, prefix: 'anchors-of-a-test/' }),
    leaves: { read: (first: number, count: number) => entries.readHashes(first, count) },
  }
  return new LogAnchors({
    storage,
    journal: new Journal(storage.sql),
    entries,
    log,
    logId: logIdOf,
    periodMs: () => HOUR_MS,
    openLog: () => ({ appendReceipts }),
    takeTurn: (work) => storage.transactionSync(work),
  })
}

/** Anchors in this log in the public one's place, in the organisation's own database. */
const anchorTo = (appendReceipts: (batch: ReceiptBatch) => Promise<IntakeProgress>): Promise<void> =>
  inObject(async (_, storage) => {
    await openAnchors(storage, logId(), appendReceipts).task().run(Date.now())
  })
