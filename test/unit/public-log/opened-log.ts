// The public log's object, its index and its files, looked at from within and published step by step.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createSigner, throwAwayKeys, type Signer } from '../../../src/evidence/records/configured-keys.ts'
import type { PublicHead } from '../../../src/evidence/records/tree-head.ts'
import { PublicLogFiles, type ServedHead } from '../../../src/public-log/public-log-files.store.ts'
import { HeadsStore } from '../../../src/public-log/heads.store.ts'
import { PublishingProgressStore } from '../../../src/public-log/publishing-progress.store.ts'
import type { PublicLog } from '../../../src/public-log/public-log.do.ts'
import {
  openPublicIndex,
  type SubmittedReceipt,
  type PublicIndex,
  type IntakeProgress,
} from '../../../src/public-log/public-log.client.ts'
import { publishLeaves, type PublishOutcome } from '../../../src/public-log/publish-leaves.ts'
import { PublicLogReader } from '../../../src/public-log/public-log-reader.ts'
import { LeafBatchesStore } from '../../../src/public-log/leaf-batches.store.ts'
import { TileLevelsStore } from '../../../src/tiles/tile-levels.store.ts'
import type { Tile } from '../../../src/evidence/tree/tiles.ts'

/** Points at which publishing breaks off: before that step, or right after it. */
export const STEPS = [
  'head read',
  'leaves synced',
  'head synced',
  'tiles put',
  'head put',
  'head was put',
  'partial tiles deleted',
] as const

/** The list of days is put with the first head of a day only. */
export type Step = (typeof STEPS)[number] | 'days put'

export const signerOf = (secret: number): Signer => createSigner(throwAwayKeys(new Uint8Array(32).fill(secret)))

/** Signs with the second key; the first is as the history says. */
export function rotatedSigner(first: 'active' | 'retired' | 'revoked'): Signer {
  const seedsOf = (secret: number) => throwAwayKeys(new Uint8Array(32).fill(secret)).seeds
  const seeds = new Map([...seedsOf(1), ...seedsOf(2)])
  const until = first === 'active' ? null : '2026-02-01T00:00:00Z'
  const history = [
    { public_key: publicKeyOf(2), status: 'active', valid_from: '2026-02-01T00:00:00Z', valid_until: null },
    { public_key: publicKeyOf(1), status: first, valid_from: '2026-01-01T00:00:00Z', valid_until: until },
  ] as const
  return createSigner({ history, seeds, isThrowAway: false })
}

export const publicKeyOf = (secret: number): string =>
  throwAwayKeys(new Uint8Array(32).fill(secret)).history.map(({ public_key: key }) => key)[0] ?? ''

/** Every head that was ever put where readers find it. */
export const servedHeads: PublicHead[] = []

class BreakingFiles extends PublicLogFiles {
  readonly #breaksAt: Step | null

  constructor(breaksAt: Step | null, mirror: R2Bucket | null) {
    super(env.FILES, mirror)
    this.#breaksAt = breaksAt
  }

  #reach(step: Step): void {
    if (step === this.#breaksAt) throw new Error(`broken at: ${step}`)
  }

  override async readHead(): Promise<ServedHead | null> {
    this.#reach('head read')
    return super.readHead()
  }

  override async putTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    this.#reach('tiles put')
    return super.putTile(tile, bytes)
  }

  override async replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    this.#reach('head put')
    const isReplaced = await super.replaceHead(head, seen)
    if (isReplaced) servedHeads.push(head)
    this.#reach('head was put')
    return isReplaced
  }

  override async putDays(heads: readonly PublicHead[]): Promise<void> {
    this.#reach('days put')
    return super.putDays(heads)
  }

  override async deletePartialTiles(tile: Tile): Promise<void> {
    this.#reach('partial tiles deleted')
    return super.deletePartialTiles(tile)
  }
}

type Circumstances = {
  breaksAt?: Step | null
  signer?: Signer | null
  index?: PublicIndex
  now?: number
  mirror?: R2Bucket | null
}

const object = () => env.PUBLIC_LOG.getByName('public')

export const inLog = <T>(work: (storage: DurableObjectStorage, log: PublicLog) => T | Promise<T>): Promise<T> =>
  runInDurableObject(object(), (log, { storage }) => work(storage, log))

/** One step of publishing. Rejects where it is to break off. */
export const publishOnce = (circumstances: Circumstances = {}): Promise<PublishOutcome> =>
  inLog((storage) => {
    const { breaksAt = null, signer = signerOf(1), now = Date.now(), mirror = null } = circumstances
    let syncs = 0
    const sync = async (): Promise<void> => {
      syncs += 1
      if (breaksAt === (syncs === 1 ? 'leaves synced' : 'head synced')) throw new Error('broken at a sync')
      await storage.sync()
    }
    return publishLeaves({
      storage: { sql: storage.sql, sync, transactionSync: storage.transactionSync.bind(storage) },
      files: new BreakingFiles(breaksAt, mirror),
      index: circumstances.index ?? openPublicIndex(env.PUBLIC_LOG_INDEX, false),
      signer,
      clock: () => now,
    })
  })

/** Until every leaf is under a served head and in the index. */
export async function publishAll(circumstances: Circumstances = {}): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const published = await publishOnce(circumstances)
    if (published.outcome !== 'published') throw new Error(published.outcome)
    if (published.size === (await sizes()).leaves && published.index.isComplete) return
  }
  throw new Error('not done after ten heads')
}

export const evict = (): Promise<void> => evictDurableObject(object())

export const append = async (source: string, after: number, receipts: SubmittedReceipt[]): Promise<IntakeProgress> =>
  object().appendReceipts({ source, after, receipts })

/** Receipts at these positions of an organisation's ledger, with ids and hashes of their own. */
export const receiptsAt = (positions: readonly number[]): SubmittedReceipt[] =>
  positions.map((position) => ({
    position,
    attestationId: crypto.randomUUID(),
    leafHash: crypto.getRandomValues(new Uint8Array(32)),
  }))

/** As many new receipts, handed over as an organisation of this name does. */
export async function grow(leaves: number, source = 'a practice'): Promise<SubmittedReceipt[]> {
  const after = await inLog(({ sql }) => takenTo(sql, source))
  const receipts = receiptsAt(Array.from({ length: leaves }, (_, at) => after + 1 + at))
  await append(source, after, receipts)
  return receipts
}

export const takenTo = (sql: SqlStorage, source: string): number =>
  sql.exec<{ taken_to: number }>('SELECT taken_to FROM sources WHERE source = ?', source).toArray()[0]?.taken_to ?? -1

/** From the tiles that are stored, and the rows. */
export const leafHashes = (): Promise<Uint8Array[]> =>
  inLog(async (storage) => {
    const files = new PublicLogFiles(env.FILES)
    const batches = new LeafBatchesStore(storage.sql)
    const tiled = new TileLevelsStore(storage).tiledLeaves()
    const tiles = Array.from({ length: tiled / 256 }, (_, index) => files.readTile({ level: 0, index, width: 256 }))
    const parts = [...(await Promise.all(tiles)), batches.read(tiled, batches.size() - tiled)]
    return parts.flatMap((bytes) => {
      if (bytes === null) throw new Error('a tile is missing')
      return Array.from({ length: bytes.length / 32 }, (_, at) => bytes.slice(at * 32, (at + 1) * 32))
    })
  })

export const sizes = () =>
  inLog(({ sql }) => ({
    leaves: new LeafBatchesStore(sql).size(),
    served: new PublishingProgressStore(sql).read().served,
  }))

/** The head that was signed last. */
export const storedHead = () => inLog(({ sql }) => new HeadsStore(sql).newest())

/** A reader with nothing in its memory yet. */
export const openReader = (clock = () => Date.now(), signer: Signer | null = signerOf(1)): PublicLogReader =>
  new PublicLogReader({
    files: new PublicLogFiles(env.FILES),
    ensureHead: done,
    restorePartialTiles: done,
    signer,
    clock,
  })

const done = () => Promise.resolve()
