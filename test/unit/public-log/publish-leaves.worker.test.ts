// From leaves to served heads: one head a size, each consistent with all others, whatever breaks off between two steps.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyHead, type PublicHead } from '../../../src/evidence/records/tree-head.ts'
import { rootAt, type NodeReader } from '../../../src/evidence/tree/merkle-tree.ts'
import { appendLeaves } from '../../support/log-tree.ts'
import { FRESH_MS } from '../../../src/public-log/sign-next-head.ts'
import { PublicLogFiles } from '../../../src/public-log/public-log-files.store.ts'
import {
  openPublicIndex,
  shardOf,
  type IndexEntry,
  type PublicIndex,
} from '../../../src/public-log/public-log.client.ts'
import { parseId } from '../../../src/platform/ids.ts'
import {
  append,
  evict,
  grow,
  inLog,
  leafHashes,
  openReader,
  publicKeyOf,
  publishAll,
  publishOnce,
  receiptsAt,
  rotatedSigner,
  servedHeads,
  signerOf,
  sizes,
  STEPS,
  storedHead,
} from './opened-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
const noon = Date.UTC(2091, 2, 15, 12)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  servedHeads.length = 0
})
afterEach(() => vi.useRealTimers())

const trust = { keys: [publicKeyOf(1), publicKeyOf(2)] }

/** Checking a signature is what takes these tests longest. */
const verified = new Set<string>()

const index = (): PublicIndex => openPublicIndex(env.PUBLIC_LOG_INDEX, false)

const served = async (): Promise<PublicHead | undefined> => (await new PublicLogFiles(env.FILES).readHead())?.head

const positionOf = (attestationId: string): Promise<number | null> =>
  index().findPosition(parseId('', attestationId) ?? new Uint8Array())

/** All that must be so at any time: of the heads, of what readers find, and of one to the other. */
async function expectOneHistory(): Promise<void> {
  const leaves = await leafHashes()
  const tree = growTree(leaves)
  const stored = await storedHead()
  for (const head of [...servedHeads, ...(stored === null ? [] : [stored])]) {
    if (!verified.has(head.signature)) expect(verifyHead(head, trust).valid).toBe(true)
    verified.add(head.signature)
    expect(head.root_hash).toBe(rootAt(head.tree_size, tree).toHex())
  }
  for (const [at, head] of servedHeads.entries()) {
    const before = servedHeads[at - 1] ?? head
    expect(head.tree_size).toBeGreaterThanOrEqual(before.tree_size)
    expect(head.timestamp >= before.timestamp).toBe(true)
  }
  const head = await served()
  if (head === undefined || head.tree_size === 0) return
  expect((stored?.tree_size ?? -1) >= head.tree_size).toBe(true)
  const read = await openReader().readNodes([{ start: 0, end: head.tree_size }], head.tree_size)
  expect(rootAt(head.tree_size, read).toHex()).toBe(head.root_hash)
  const last = head.tree_size - 1
  const leaf = await openReader().readNodes([{ start: last, end: head.tree_size }], head.tree_size)
  expect(leaf(0, last)).toEqual(leaves[last])
}

/** The whole tree over these leaves. */
function growTree(leaves: readonly Uint8Array[]): NodeReader {
  const nodes = new Map<string, Uint8Array>()
  for (const { level, index: at, hash } of appendLeaves(0, leaves, () => new Uint8Array())) {
    nodes.set(`${level}/${at}`, hash)
  }
  return (level, at) => nodes.get(`${level}/${at}`) ?? new Uint8Array()
}

describe('publishing', () => {
  it('begins with a signed head over the empty log', async () => {
    await publishOnce()
    const head = await served()
    expect(head).toMatchObject({ v: 1, log: 'public', tree_size: 0, timestamp: '2091-03-15T12:00:00Z' })
    expect(verifyHead(head, trust)).toMatchObject({ valid: true, keySource: 'pinned' })
    await expectOneHistory()
  })

  it('serves a head over all leaves, their tiles, and where each attestation is', async () => {
    await publishOnce()
    const receipts = await grow(300)
    await publishAll()
    expect(await served()).toMatchObject({ tree_size: 300 })
    expect(await Promise.all(receipts.map(({ attestationId }) => positionOf(attestationId)))).toEqual(
      receipts.map((_, position) => position),
    )
    await expectOneHistory()
  })

  it('signs nothing and writes no head where nothing is new and the head is fresh', async () => {
    await grow(3)
    await publishAll()
    const before = [servedHeads.length, await storedHead()]
    vi.setSystemTime(noon + FRESH_MS - 1)
    await publishOnce()
    await publishOnce()
    expect([servedHeads.length, await storedHead()]).toEqual(before)
  })

  it('signs the head of a log that does not grow again, with a new time, over the same root', async () => {
    await grow(3)
    await publishAll()
    const before = await served()
    for (const minute of [1, 2]) {
      vi.setSystemTime(noon + minute * 60_000)
      await evict()
      await publishOnce()
      const after = await served()
      expect(after).toMatchObject({ tree_size: 3, timestamp: `2091-03-15T12:0${minute}:00Z` })
      expect(after?.root_hash).toBe(before?.root_hash)
    }
    await grow(1)
    await publishAll()
    expect(await served()).toMatchObject({ tree_size: 4, timestamp: '2091-03-15T12:02:00Z' })
    await expectOneHistory()
  })

  it.each(STEPS)('that breaks off at "%s" while it signs again goes on from there', async (step) => {
    await grow(3)
    await publishAll()
    vi.setSystemTime(noon + 60_000)
    await publishOnce({ breaksAt: step }).catch(() => null)
    await evict()
    await publishOnce()
    expect(await served()).toMatchObject({ tree_size: 3, timestamp: '2091-03-15T12:01:00Z' })
    await expectOneHistory()
  })

  it('serves a backlog in heads that are not too large', async () => {
    await grow(9000)
    await publishAll()
    expect(servedHeads.map(({ tree_size }) => tree_size)).toEqual([0, 8192, 9000])
    await expectOneHistory()
  })

  it.each(STEPS)(
    'that breaks off at "%s" goes on from there, evicted, with leaves that came meanwhile',
    async (step) => {
      await grow(250)
      await publishAll()
      await grow(10)
      await expect(publishOnce({ breaksAt: step })).rejects.toThrow('broken')
      await expectOneHistory()
      await evict()
      await grow(7)
      await publishAll()
      expect(await served()).toMatchObject({ tree_size: 267 })
      await expectOneHistory()
    },
  )

  it('is one history, whatever grows, breaks off, is evicted and is rotated in whatever order', async () => {
    const act = fc.oneof(
      fc.record({ act: fc.constant('grow' as const), leaves: fc.integer({ min: 1, max: 200 }) }),
      fc.record({ act: fc.constant('publish' as const), secret: fc.constantFrom(1, 2) }),
      fc.record({ act: fc.constant('break' as const), step: fc.constantFrom(...STEPS), secret: fc.constantFrom(1, 2) }),
      fc.record({ act: fc.constant('evict' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
        for (const each of acts) {
          if (each.act === 'grow') await grow(each.leaves)
          if (each.act === 'evict') await sizes().then(evict)
          if (each.act === 'publish') await publishOnce({ signer: signerOf(each.secret) })
          if (each.act === 'break') {
            await publishOnce({ signer: signerOf(each.secret), breaksAt: each.step }).catch(() => null)
          }
        }
        await publishAll()
        expect(await served()).toMatchObject({ tree_size: (await sizes()).leaves })
        await expectOneHistory()
      }),
      { numRuns: 8 },
    )
  })

  it.each(['active', 'retired', 'revoked'] as const)(
    'signs the newest head again under the new key at once, the old one %s',
    async (status) => {
      await grow(2)
      await publishAll()
      await publishAll({ signer: rotatedSigner(status) })
      expect(await served()).toMatchObject({ tree_size: 2, public_key: publicKeyOf(2) })
      await expectOneHistory()
    },
  )

  it('signs a head that its readers have not got under the new key, should the old one be revoked meanwhile', async () => {
    await grow(2)
    await publishAll()
    await grow(1)
    await expect(publishOnce({ breaksAt: 'tiles put' })).rejects.toThrow('broken')
    servedHeads.length = 0
    await publishAll({ signer: rotatedSigner('revoked') })
    expect(servedHeads.map((head) => [head.tree_size, head.public_key])).toEqual([[3, publicKeyOf(2)]])
  })

  it('signs under the new key after a rotation, and keeps what the old one signed', async () => {
    await grow(2)
    await publishAll()
    await publishAll({ signer: signerOf(2) })
    await grow(1)
    await publishAll({ signer: signerOf(2) })
    expect(servedHeads.map((head) => [head.tree_size, head.public_key])).toEqual([
      [0, publicKeyOf(1)],
      [2, publicKeyOf(1)],
      [2, publicKeyOf(2)],
      [3, publicKeyOf(2)],
    ])
  })

  it('takes leaves in without a key, and signs them once there is one', async () => {
    await grow(4)
    expect(await publishOnce({ signer: null })).toEqual({ outcome: 'no_signing_key' })
    expect(await served()).toBeUndefined()
    expect(await storedHead()).toBeNull()
    await publishAll()
    expect(await served()).toMatchObject({ tree_size: 4 })
  })

  it('serves a head that was signed before its key went', async () => {
    await grow(4)
    await publishOnce()
    await expect(publishOnce({ breaksAt: 'tiles put' })).rejects.toThrow('broken')
    await publishOnce({ signer: null })
    expect(await served()).toMatchObject({ tree_size: 4 })
  })

  it('does not let the log seem to go back when its clock does', async () => {
    await publishOnce()
    await grow(1)
    await publishOnce({ now: noon - 3_600_000 })
    expect(await served()).toMatchObject({ tree_size: 1, timestamp: '2091-03-15T12:00:00Z' })
  })

  it('keeps tiles where a reader with the head before still finds them', async () => {
    await grow(200)
    await publishAll()
    const reader = openReader()
    const head = await reader.readHead()
    await grow(100)
    await publishAll()
    await grow(100)
    await publishAll()
    const size = head?.tree_size ?? 0
    const read = await reader.readNodes([{ start: 0, end: size }], size)
    expect(rootAt(size, read).toHex()).toBe(head?.root_hash)
  })

  it('removes the partial tiles of a tile that is full, and keeps full ones', async () => {
    for (const leaves of [100, 100, 100]) {
      await grow(leaves)
      await publishAll()
    }
    const { objects } = await env.FILES.list({ prefix: 'public-log/tile/' })
    expect(objects.map(({ key }) => key)).toEqual([
      'public-log/tile/0/000',
      'public-log/tile/0/001.p/44',
      'public-log/tile/1/000.p/1',
    ])
  })
})

describe('a served head that contradicts the database', () => {
  const replace = async (change: Partial<PublicHead>): Promise<void> => {
    const head = await served()
    await env.FILES.put('public-log/head.json', JSON.stringify({ ...head, ...change }))
  }

  it.each([
    ['is of a larger log, as after the database was taken back', { tree_size: 6 }],
    ['is of a size that was never signed', { tree_size: 4 }],
    ['is of the same size with another root', { root_hash: 'f'.repeat(64) }],
    ['is an older one with another root', { tree_size: 0, root_hash: 'f'.repeat(64) }],
  ])('stops everything where it %s: nothing is signed, nothing served', async (_, change) => {
    await grow(5)
    await publishAll()
    await replace(change)
    const before = await storedHead()
    await grow(1)
    expect(await publishOnce()).toEqual({ outcome: 'contradicts_served_head' })
    expect(await storedHead()).toEqual(before)
    expect(await served()).toMatchObject(change)
  })

  it('stops a log that has lost all its heads', async () => {
    await env.FILES.put('public-log/head.json', JSON.stringify({ tree_size: 0, root_hash: '' }))
    expect(await publishOnce()).toEqual({ outcome: 'contradicts_served_head' })
  })
})

describe('a head', () => {
  it('is not put over one that somebody else has served meanwhile', async () => {
    const files = new PublicLogFiles(env.FILES)
    await grow(1)
    await publishAll()
    const seen = await files.readHead()
    await grow(1)
    await publishAll()
    const head = seen?.head
    if (seen === null || head === undefined) throw new Error('no head was served')
    expect(await files.replaceHead(head, seen)).toBe(false)
    expect(await files.replaceHead(head, null)).toBe(false)
    expect(await served()).toMatchObject({ tree_size: 2 })
  })

  it.each([
    ['one of two', 'INSERT INTO heads SELECT * FROM heads', 'there is one newest head'],
    ['replaced', 'INSERT OR REPLACE INTO heads SELECT * FROM heads', 'there is one newest head'],
    ['of a smaller log', 'UPDATE heads SET tree_size = 2', 'of no smaller tree'],
    ['of another root', 'UPDATE heads SET root = zeroblob(32)', 'a size has one root'],
    ['of more leaves than there are', 'UPDATE heads SET tree_size = 9', 'a head covers leaves that are stored'],
    ['of an earlier time', `UPDATE heads SET timestamp = ''`, 'no earlier time'],
    ['removed', 'DELETE FROM heads', 'a head is never removed'],
  ])('is never %s', async (_, statement, refusal) => {
    await grow(3)
    await publishAll()
    const before = await storedHead()
    await inLog(({ sql }) => expect(() => sql.exec(statement)).toThrow(refusal))
    expect(await storedHead()).toEqual(before)
  })
})

describe('the index', () => {
  const broken: PublicIndex = {
    insertEntries: (shard, entries) =>
      shard < 8 ? index().insertEntries(shard, entries) : Promise.reject(new Error('unreachable')),
    findPosition: () => Promise.resolve(null),
    findPlace: () => Promise.resolve(null),
  }

  it('that does not answer keeps no head back, and is filled once it does', async () => {
    const receipts = await grow(64)
    await publishOnce()
    const published = await publishOnce({ index: broken })
    expect(published).toMatchObject({ outcome: 'published', size: 64, index: { isComplete: false, refused: 0 } })
    expect(await served()).toMatchObject({ tree_size: 64 })
    await evict()
    await grow(1)
    await publishAll()
    const positions = await Promise.all(receipts.map(({ attestationId }) => positionOf(attestationId)))
    expect(positions).toEqual(receipts.map((_, position) => position))
  })

  it('is filled once its head is served, so that it never holds one back', async () => {
    await grow(64)
    await publishOnce()
    const servedSizes: (number | undefined)[] = []
    const insertEntries = async (): Promise<number> => {
      servedSizes.push((await served())?.tree_size)
      return 0
    }
    await publishOnce({ index: { ...broken, insertEntries } })
    expect(new Set(servedSizes)).toEqual(new Set([64]))
  })

  it('is asked shard by shard at the same time, however far behind each of them is', async () => {
    const answers = new Set<() => void>()
    const isAsked = new Set<number>()
    /** No shard answers before the last of them is asked. */
    const insertEntries = (shard: number): Promise<number> => {
      isAsked.add(shard)
      return new Promise((resolve) => {
        answers.add(() => resolve(0))
        if (isAsked.size === 16) for (const answer of answers) answer()
      })
    }
    await publishOnce()
    await grow(300)
    await publishOnce({ index: broken })
    await grow(300)
    const published = await publishOnce({ index: { ...broken, insertEntries } })
    expect(isAsked.size).toBe(16)
    expect(published).toMatchObject({ index: { isComplete: true, unreachable: 0 } })
  })

  it('is told twice what it has, and keeps it', async () => {
    const attestationId = parseId('', crypto.randomUUID()) ?? new Uint8Array()
    const entry = { attestationId, position: 5, origin: 8 }
    expect(await index().insertEntries(0, [entry])).toBe(0)
    expect(await index().insertEntries(0, [entry, entry])).toBe(0)
  })

  it('keeps the position in the log of the source', async () => {
    const attestationId = parseId('', crypto.randomUUID()) ?? new Uint8Array()
    const insert = (entry: Omit<IndexEntry, 'attestationId'>) =>
      index().insertEntries(shardOf(attestationId), [{ attestationId, ...entry }])
    const find = (id = attestationId) => index().findPlace(id)
    expect(await insert({ position: 6, origin: 9 })).toBe(0)
    expect([await insert({ position: 6, origin: 9 }), await insert({ position: 6, origin: 10 })]).toEqual([0, 1])
    expect(await find()).toEqual({ position: 6, origin: 9 })
    expect(await find(crypto.getRandomValues(new Uint8Array(16)))).toBeNull()
  })

  it('is told of each receipt where its source has it', async () => {
    await append('a practice with gaps', -1, receiptsAt([4, 7, 40]).slice(0, 2))
    const receipts = receiptsAt([41])
    await append('a practice with gaps', 7, receipts)
    await publishAll()
    const id = parseId('', receipts[0]?.attestationId ?? '') ?? new Uint8Array()
    expect(await index().findPlace(id)).toEqual({ position: 2, origin: 41 })
  })

  it('never moves an attestation, and says that it was asked to', async () => {
    const [receipt] = await grow(1)
    await publishAll()
    const id = receipt?.attestationId ?? ''
    const shard = Number.parseInt(id.charAt(0), 16)
    const attestationId = parseId('', id) ?? new Uint8Array()
    expect(await index().insertEntries(shard, [{ attestationId, position: 7, origin: 0 }])).toBe(1)
    expect(await positionOf(id)).toBe(0)
  })
})
