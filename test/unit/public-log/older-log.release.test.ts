// An object whose leaves were a row each, opened with the code of today: the same history, the same proofs, nothing lost, while
// its rows go bit by bit; and an older Worker beside it that can add nothing.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { planInclusion } from '../../../src/tiles/proofs.ts'
import { OtherTileError, TileFiles } from '../../../src/tiles/tile-files.store.ts'
import { rootAt } from '../../../src/evidence/tree/merkle.ts'
import { EarlierLeaves } from '../../../src/public-log/earlier-leaves.ts'
import { PublicLogFiles } from '../../../src/public-log/files.store.ts'
import { tiledLogOf } from '../../../src/public-log/publish.ts'
import { openPublicIndex } from '../../../src/public-log/public-index.ts'
import { parseId } from '../../../src/platform/ids.ts'
import { bucketWith } from '../../support/unit/bucket-with.ts'
import { evict, grow, inLog, leafHashes, openReader, publishAll, servedHeads, sizes, storedHead } from './opened-log.ts'
import { buildOlderLog, type OlderLog } from './older-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
const noon = Date.UTC(2091, 2, 15, 12)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  servedHeads.length = 0
})
afterEach(() => vi.useRealTimers())

const index = openPublicIndex(env.PUBLIC_LOG_INDEX, false)

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => hash.toHex())

const putAwayNext = (bucket: R2Bucket = env.FILES): Promise<boolean> =>
  inLog((storage) => {
    const files = new PublicLogFiles(bucket)
    return new EarlierLeaves(storage).putAwayNext(tiledLogOf({ storage, files }))
  })

const rows = () => inLog(({ sql }) => sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM leaves').one().n)

async function bytesOf(name: string): Promise<Uint8Array> {
  return new Uint8Array((await (await env.FILES.get(name))?.arrayBuffer()) ?? [])
}

const tables = (): Promise<string[]> =>
  inLog(({ sql }) =>
    sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'`,
      )
      .toArray()
      .map(({ name }) => name)
      .toSorted(),
  )

const NEW_TABLES = ['batches', 'cosigned', 'heads', 'progress', 'schema_steps', 'sources', 'tile_levels']

/** All that was there is there, where it was, under heads that begin with those of before. */
async function expectKept({ leaves, heads }: OlderLog): Promise<void> {
  expect(hex(await leafHashes()).slice(0, leaves.length)).toEqual(leaves.map(({ hash }) => hash.toHex()))
  const head = (await new PublicLogFiles(env.FILES).readHead())?.head
  if (head === undefined) throw new Error('no head is served')
  const tree = { size: head.tree_size, root: Uint8Array.fromHex(head.root_hash) }
  for (const { tree_size: size, root_hash: root } of heads) {
    const read = await openReader().readNodes([{ start: 0, end: size }], tree.size)
    expect(rootAt(size, read).toHex()).toBe(root)
  }
  for (const position of new Set([0, Math.floor(leaves.length / 2), leaves.length - 1])) {
    const { ranges, make } = planInclusion(position, tree.size, tree)
    const proof = make(await openReader().readNodes(ranges, tree.size))
    expect(proof?.leaf_hash).toBe(leaves[position]?.hash.toHex())
  }
  const found = await Promise.all(leaves.slice(-300).map(({ id }) => index.findPosition(id)))
  expect(found).toEqual(leaves.slice(-300).map((_, at) => Math.max(0, leaves.length - 300) + at))
}

describe('a public log of a row per leaf', () => {
  it.each([
    ['with one leaf', { leaves: 1, signed: [0, 1], served: 1, indexed: 1 }],
    ['that no head covers yet', { leaves: 3, signed: [], served: -1, indexed: 0 }],
    [
      'whose newest head was signed again',
      { leaves: 300, signed: [0, 300], served: 300, indexed: 300, isRenewed: true },
    ],
    ['of one full tile', { leaves: 256, signed: [0, 256], served: 256, indexed: 256 }],
    ['of full tiles only', { leaves: 5120, signed: [0, 256, 5120], served: 5120, indexed: 5120 }],
    ['with leaves that are not served', { leaves: 1500, signed: [0, 700], served: 700, indexed: 700 }],
    ['whose newest head is not served', { leaves: 1500, signed: [0, 700, 1400], served: 700, indexed: 700 }],
    ['whose index is behind', { leaves: 1500, signed: [0, 1500], served: 1500, indexed: 100 }],
    ['larger than a tile of level 1', { leaves: 66_000, signed: [0, 60_000, 66_000], served: 66_000, indexed: 66_000 }],
  ])('%s loses nothing, goes on, and keeps no row of before', async (_, filling) => {
    const log = await buildOlderLog(filling)
    const before = log.heads.at(-1) ?? null
    expect(await storedHead()).toEqual(before)
    expect(await sizes()).toEqual({ leaves: filling.leaves, served: filling.served })
    // Reading all of a large log again at every stage takes long, and shows the same.
    const looks = filling.leaves > 10_000 ? 2 : 7
    let added = 0
    do {
      const receipts = await grow(40)
      added += receipts.length
      await publishAll()
      if (added <= looks * 40) await expectKept(log)
      const id = parseId('', receipts.at(-1)?.attestationId ?? '') ?? new Uint8Array()
      expect((await index.findPlace(id))?.origin).toBe(filling.leaves + added - 1)
      await evict()
    } while (await putAwayNext())
    expect(await tables()).toEqual(NEW_TABLES)
    expect(await sizes()).toEqual({ leaves: filling.leaves + added, served: filling.leaves + added })
    await expectKept(log)
  })

  it('that is new has no table of before', async () => {
    await inLog((storage) => storage.deleteAll())
    await evict()
    await grow(1)
    expect(await tables()).toEqual(NEW_TABLES)
  })

  it('keeps its rows while a bucket does not take their tiles, and puts them into both', async () => {
    const older = await buildOlderLog({ leaves: 5000, signed: [0, 5000], served: 5000, indexed: 5000 })
    expect(await rows()).toBe(4864)
    const failing = bucketWith({ put: () => Promise.reject(new Error('cut off')) })
    await expect(putAwayNext(failing)).rejects.toThrow('cut off')
    expect(await rows()).toBe(4864)
    await inLog(async (storage) => {
      const files = new TileFiles({ bucket: failing, mirror: env.FILES, prefix: 'of no log/' })
      const log = { ...tiledLogOf({ storage, files: new PublicLogFiles(env.FILES) }), files }
      await expect(new EarlierLeaves(storage).putAwayNext(log)).rejects.toThrow('cut off')
    })
    expect(await rows()).toBe(4864)
    const { objects } = await env.FILES.list({ prefix: 'of no log/' })
    expect(objects.length).toBe(16)
    while (await putAwayNext());
    await publishAll()
    await expectKept(older)
  })

  it('puts a tile that was damaged there again, by rows that are proven, also where the one above is damaged', async () => {
    const older = await buildOlderLog({ leaves: 66_000, signed: [0, 66_000], served: 66_000, indexed: 66_000 })
    const names = ['public-log/tile/0/003', 'public-log/tile/1/000']
    const whole = await Promise.all(names.map(bytesOf))
    for (const name of names) await env.FILES.put(name, new Uint8Array(8192))
    while (await putAwayNext());
    expect(await Promise.all(names.map(bytesOf))).toEqual(whole)
    await publishAll()
    await expectKept(older)
  })

  it('replaces no tile by rows of another history than the edge of the tree, and keeps them', async () => {
    await buildOlderLog({ leaves: 5000, signed: [0, 5000], served: 5000, indexed: 5000 })
    const kept = await bytesOf('public-log/tile/0/003')
    await inLog(({ sql }) => {
      sql.exec('DROP TRIGGER leaves_never_change')
      sql.exec('UPDATE leaves SET hash = zeroblob(32) WHERE position = 800')
    })
    await expect(putAwayNext()).rejects.toThrow(OtherTileError)
    expect(await bytesOf('public-log/tile/0/003')).toEqual(kept)
    expect(await rows()).toBe(4864)
  })

  it.each([
    'INSERT INTO leaves (position, hash) VALUES (300, zeroblob(32))',
    'INSERT INTO leaves (position, hash) SELECT COALESCE(MAX(position) + 1, 0), zeroblob(32) FROM leaves RETURNING position',
    'INSERT INTO attestations (position, attestation_id) VALUES (0, zeroblob(16))',
    'INSERT INTO tree_nodes (level, position, hash) VALUES (1, 128, zeroblob(32))',
    `INSERT INTO heads (tree_size, root, timestamp, signature, public_key) VALUES (301, zeroblob(32), '', '', '')`,
    `INSERT OR REPLACE INTO renewed_head (id, tree_size, timestamp, signature, public_key) VALUES (1, 300, '', '', '')`,
    'SELECT tree_size FROM served',
    'UPDATE served SET tree_size = 300',
    'INSERT OR REPLACE INTO indexed (shard, tree_size) VALUES (1, 300)',
    `SELECT heads.tree_size AS tree_size FROM heads LEFT JOIN renewed_head ON renewed_head.tree_size = heads.tree_size`,
  ])('refuses an older Worker beside it, while there are rows of before and after: %s', async (statement) => {
    await buildOlderLog({ leaves: 300, signed: [0, 300], served: 300, indexed: 300 })
    const attempt = () => inLog(({ sql }) => expect(() => sql.exec(statement)).toThrow())
    await attempt()
    while (await putAwayNext());
    await attempt()
  })
})
