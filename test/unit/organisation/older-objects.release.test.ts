// An organisation's object from before its present tables: it opens with them, and what is older moves in steps while calls go on.
// At every stage it proves and reads what it did.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeptEntry } from '../../../src/organisation/journal/archive-object.ts'
import { consistencyProof, inclusionProof, rootAt } from '../../../src/evidence/tree/merkle.ts'
import { verifyConsistency, verifyInclusion } from '../../../src/evidence/tree/proof.ts'
import { countEntries, eraseEntries } from '../../../src/organisation/erasure/erased-tables.ts'
import { Organisation } from '../../../src/organisation/organisation.do.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts'
import { newId } from '../../../src/platform/ids.ts'
import { bucketWith } from '../../support/unit/bucket-with.ts'
import { makeTables } from '../../support/unit/tables.ts'
import { noon, positionOf } from './chat-organisation.ts'
import {
  fillEvenly,
  foundOlder,
  hasOlderTables,
  inObject,
  isMoving,
  objectOf,
  wake,
  type OlderOrganisation,
  type OlderWorker,
} from './older-object.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** What was proved and read before, by the older Worker. */
type Known = {
  size: number
  roots: Map<number, string>
  /** Of some receipts, in some trees. */
  inclusions: { attestationId: string; position: number; size: number; path: string[] }[]
  consistencies: { from: number; to: number; path: string[] }[]
  kept: Map<number, KeptEntry>
}

const sample = <T>(all: readonly T[], count: number): T[] =>
  all.filter((_, at) => at === all.length - 1 || at % Math.ceil(all.length / count) === 0)

const hexOf = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => hash.toHex())

function knownBy({ tree, size, decided }: OlderWorker, kept: readonly KeptEntry[]): Known {
  const sizes = [...new Set([1, 2, 255, 256, 257, 511, 512, size - 1, size])].filter((of) => of > 0 && of <= size)
  return {
    size,
    roots: new Map(sizes.map((of) => [of, rootAt(of, tree.read).toHex()])),
    inclusions: sample(decided, 9).flatMap(({ attestationId, position }) =>
      [...new Set([position + 1, size])].map((of) => ({
        attestationId,
        position,
        size: of,
        path: hexOf(inclusionProof(position, of, tree.read)),
      })),
    ),
    consistencies: sizes.map((from) => ({ from, to: size, path: hexOf(consistencyProof(from, size, tree.read)) })),
    kept: new Map(kept.map((entry) => [entry.position, entry])),
  }
}

async function expectSame({ organisation, key }: OlderOrganisation, known: Known): Promise<void> {
  const object = objectOf(organisation)
  for (const { attestationId, position, size, path } of known.inclusions) {
    const { answer } = admitted(await object.proveInclusion(key, attestationId, size))
    expect(answer).toMatchObject({ outcome: 'included', leaf_index: position, tree_size: size, audit_path: path })
    if (answer.outcome === 'included') expect(verifyInclusion({ ...answer, audit_path: [...path] }).valid).toBe(true)
  }
  for (const { from, to, path } of known.consistencies) {
    const { answer } = admitted(await object.proveConsistency(key, { from, to }))
    const roots = { old_root: known.roots.get(from), new_root: known.roots.get(to) }
    expect(answer).toMatchObject({ outcome: 'consistent', consistency_path: path, ...roots })
    const { answer: newest } = admitted(await object.proveConsistency(key, { from, to: null }))
    if (newest.outcome !== 'consistent') throw new Error(newest.outcome)
    expect([newest.old_root, verifyConsistency({ ...newest }).valid]).toEqual([known.roots.get(from), true])
  }
  for (const { position, expiresAt, ...entry } of sample([...known.kept.values()], 20)) {
    const found = await object.findEntry(position)
    expect(found).toEqual(
      expiresAt > Date.now() ? { outcome: 'found', position, expiresAt, ...entry } : { outcome: 'not_kept' },
    )
  }
  expect((await object.checkState()).differences).toEqual([])
}

/** Every third of it, so that each part is looked at in one of three stages. */
function thirdOf({ inclusions, consistencies, kept, ...known }: Known, stage: number): Known {
  const isOfStage = (_: unknown, at: number): boolean => at % 3 === stage
  return {
    ...known,
    inclusions: inclusions.filter(isOfStage),
    consistencies: consistencies.filter(isOfStage),
    kept: new Map([...kept].filter(([position]) => position % 3 === stage)),
  }
}

const admitted = <T extends { outcome: string }>(answer: T): Extract<T, { outcome: 'admitted' }> => {
  if (answer.outcome !== 'admitted') throw new Error(answer.outcome)
  return answer as Extract<T, { outcome: 'admitted' }>
}

/** Of decisions whose settlement is not beyond the end of what was there. */
async function expectEvidence(
  { organisation, key }: OlderOrganisation,
  { inclusions, kept, size }: Known,
): Promise<void> {
  for (const { attestationId, position } of inclusions) {
    const decided = kept.get(position)
    if (decided === undefined || position + 1 === size) continue
    const { answer } = admitted(await objectOf(organisation).gatherEvidence(key, attestationId))
    expect(answer.outcome).toBe(decided.expiresAt > Date.now() ? 'found' : 'not_kept')
    if (answer.outcome === 'found') expect(answer.settlement?.inclusion.leaf_index).toBe(position + 1)
  }
}

/** A call as they go on meanwhile: admitted, settled and provable. */
async function expectCallsGoOn({ organisation, key }: OlderOrganisation): Promise<void> {
  const attestationId = crypto.randomUUID()
  const position = positionOf(await organisation.admit(key, { attestationId }))
  expect(await organisation.settle(position, 3)).toEqual({
    outcome: 'settled',
    position: position + 1,
    isContentKept: false,
  })
  const { answer } = admitted(await objectOf(organisation).gatherEvidence(key, attestationId))
  expect(answer).toMatchObject({ outcome: 'found', inclusion: { leaf_index: position } })
  if (answer.outcome === 'found') expect(answer.settlement).not.toBeNull()
}

/** Without anchors, which an old log gets at its first wake. */
const publicLeaves = (): Promise<string[]> =>
  runInDurableObject(env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromName('public')), (_, { storage }) =>
    storage.sql
      .exec<{ hashes: ArrayBuffer }>("SELECT hashes FROM batches WHERE source NOT LIKE '%/anchors' ORDER BY first")
      .toArray()
      .flatMap(({ hashes }) => new Uint8Array(hashes).toHex().match(/.{64}/g) ?? []),
  )

describe('an older log', () => {
  it.each([0, 1, 255, 256, 257, 700])(
    'of %i leaves proves and reads the same at every stage, and moves',
    async (size) => {
      const knowns: Known[] = []
      const older = await foundOlder(async (worker) => {
        fillEvenly(worker, size, { from: noon - 40 * DAY_MS, until: noon - MINUTE_MS })
        const kept = worker.kept(0, size)
        knowns.push(knownBy(worker, kept))
        // Those that are older than a week have left, over or not.
        const leaving = kept.filter(({ at }) => at <= noon - 7 * DAY_MS)
        const over = leaving.filter(({ expiresAt }) => expiresAt <= noon).length
        await worker.sealAway(over, leaving.length)
        worker.forget(0, over)
        await worker.submitTo(Math.max(leaving.length, Math.floor(size * 0.9)) - 1)
      })
      const known = knowns[0]
      if (known === undefined) throw new Error('not filled')

      await expectSame(older, known)
      await expectCallsGoOn(older)
      const failing = bucketWith({ put: () => Promise.reject(new Error('R2 is down')) })
      await runInDurableObject(objectOf(older.organisation), async (_, state) => {
        await new Organisation(state, { ...env, FILES: failing }).alarm()
      })
      await older.organisation.evict()
      await expectSame(older, known)

      for (let n = 0; n < 3; n += 1) {
        vi.setSystemTime(Date.now() + 31_000)
        await older.organisation.runAlarm()
        await expectSame(older, thirdOf(known, n))
        await expectCallsGoOn(older)
        await older.organisation.evict()
        await expectEvidence(older, thirdOf(known, n))
      }
      vi.setSystemTime(noon + 8 * DAY_MS)
      await expectCallsGoOn(older)
      await env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromName('public')).ensureHead()
      expect(await wake(older)).not.toBeNull()
      await expectSame(older, known)
      await expectCallsGoOn(older)
      await expectEvidence(older, known)
      expect(
        await older.organisation.query(
          `SELECT name FROM sqlite_master WHERE name LIKE '%leaves%' AND type = 'trigger'`,
        ),
      ).toEqual([])
    },
  )
})

describe('an older Worker beside it', () => {
  it('can append nothing to a log that another goes on with', async () => {
    const older = await foundOlder(async (worker) => {
      fillEvenly(worker, 300, { from: noon - DAY_MS, until: noon - MINUTE_MS })
      await worker.submitTo(299)
    })
    const append = () =>
      inObject(older.organisation, ({ sql }) => {
        const statement = 'INSERT INTO leaves (position, hash) SELECT COALESCE(MAX(position) + 1, 0), ? FROM leaves'
        sql.exec(statement, new Uint8Array(32))
      })
    await expectCallsGoOn(older)
    await expect(append()).rejects.toThrow('a newer version keeps this log')
    vi.setSystemTime(noon + 8 * DAY_MS)
    await expectCallsGoOn(older)
    expect(await wake(older)).not.toBeNull()
    await expect(append()).rejects.toThrow('no such table')
  })
})

describe('an older log that the public one has not all of', () => {
  it.each([
    { size: 40, handed: 0 },
    { size: 300, handed: 0 },
    { size: 700, handed: 130 },
    { size: 700, handed: 699 },
  ])(
    'of $size leaves, $handed of them looked at, hands over the others once and in order',
    async ({ size, handed }) => {
      const expected: string[] = []
      const older = await foundOlder(async (worker) => {
        fillEvenly(worker, size, { from: noon - 6 * DAY_MS, until: noon - MINUTE_MS })
        await worker.submitTo(handed - 1)
        for (const { position } of worker.decided) expected.push(worker.tree.read(0, position).toHex())
      })
      for (let n = 0; n < 3; n += 1) {
        await expectCallsGoOn(older)
        vi.setSystemTime(Date.now() + 31_000)
        await older.organisation.runAlarm()
        await older.organisation.evict()
      }
      const meanwhile = await older.organisation.query<{ hash: ArrayBuffer }>(
        `SELECT hash FROM entries WHERE position >= ${size} AND id IS NOT NULL ORDER BY position`,
      )
      expect(meanwhile).toHaveLength(3)
      expect(await publicLeaves()).toEqual([...expected, ...meanwhile.map(({ hash }) => new Uint8Array(hash).toHex())])
    },
  )
})

describe('what is older', () => {
  it('stays at hand until it is a week old', async () => {
    const older = await foundOlder(async (worker) => {
      fillEvenly(worker, 600, { from: noon - 6 * DAY_MS, until: noon - MINUTE_MS })
      await worker.submitTo(599)
    })
    await expectCallsGoOn(older)
    vi.setSystemTime(noon + DAY_MS + MINUTE_MS)
    await wake(older, 10)
    const atHand = () =>
      older.organisation.query<{ first: number }>(
        'SELECT MIN(position) AS first FROM kept_entries WHERE position < 600',
      )
    // A hundred leaves a day, each settlement a second after its decision.
    expect(await atHand()).toEqual([{ first: 2 }])
    vi.setSystemTime(noon + 4 * DAY_MS)
    await wake(older, 10)
    expect(await atHand()).toEqual([{ first: 302 }])
  })

  it('leaves in its time though the clock was a year ahead for a while', async () => {
    const older = await foundOlder(async (worker) => {
      fillEvenly(worker, 20, { from: noon - 9 * DAY_MS, until: noon - 8 * DAY_MS })
      fillEvenly(worker, 280, { from: noon + 365 * DAY_MS, until: noon + 366 * DAY_MS })
      fillEvenly(worker, 300, { from: noon - 8 * DAY_MS, until: noon - 7 * DAY_MS })
      await worker.submitTo(299)
    })
    await expectCallsGoOn(older)
    vi.setSystemTime(noon + DAY_MS + MINUTE_MS)
    expect(await wake(older)).not.toBeNull()
    expect(await older.organisation.query('SELECT position FROM entries WHERE position < 256')).toEqual([])
  })

  it('is erased with the organisation, and its leaves stay provable', async () => {
    const ids: string[] = []
    const older = await foundOlder(async (worker) => {
      fillEvenly(worker, 300, { from: noon - 2 * DAY_MS, until: noon - MINUTE_MS })
      await worker.submitTo(299)
      ids.push(worker.decided[0]?.attestationId ?? '')
    })
    await inObject(older.organisation, ({ sql }) => {
      while (eraseEntries(sql, 256));
      expect(countEntries(sql)).toBe(0)
    })
    await older.organisation.evict()
    const { answer } = admitted(await objectOf(older.organisation).proveInclusion(older.key, ids[0] ?? '', 300))
    expect(answer).toMatchObject({ outcome: 'included', leaf_index: 0 })
  })

  it('goes though the organisation is erased before it has moved', async () => {
    const older = await foundOlder(async (worker) => {
      fillEvenly(worker, 300, { from: noon - 2 * DAY_MS, until: noon - MINUTE_MS })
      await worker.submitTo(299)
    })
    await makeTables()
    const object = objectOf(older.organisation)
    const request = {
      id: newId('era_', noon),
      organisationId: newId('org_', noon),
      jurisdiction: 'eu',
      requestedBy: newId('usr_', noon),
      requestedAt: noon,
      dueAt: noon,
    } as const
    await object.repeatErasure(request, '{}')
    expect(await wake(older)).not.toBeNull()
    expect(await object.readErasure()).toMatchObject({ state: 'completed' })
    expect(await older.organisation.alarmAt()).toBeNull()
  })

  it('leaves out an object that was planned and never sealed', async () => {
    const older = await foundOlder(async (worker) => {
      fillEvenly(worker, 300, { from: noon - 9 * DAY_MS, until: noon - 8 * DAY_MS })
      await worker.submitTo(299)
      worker.sql.exec('INSERT INTO sealed_details (first, last, expires_day, rows) VALUES (0, 9, 9e9, 10)')
    })
    await expectCallsGoOn(older)
    vi.setSystemTime(noon + DAY_MS + MINUTE_MS)
    expect(await wake(older)).not.toBeNull()
    expect(await older.organisation.query('SELECT first FROM sealed_details WHERE expires_day = 9e9')).toEqual([])
    expect(await older.organisation.find(3)).toMatchObject({ outcome: 'found', position: 3 })
  })
})

describe('a year of calls', () => {
  it('moves in steps, and proves the same at each of them', async () => {
    const knowns: Known[] = []
    const older = await foundOlder(async (worker) => {
      worker.appendForgotten(65_700)
      for (let n = 0; n < 1100; n += 1) worker.decide(noon - 40 * DAY_MS)
      worker.forget(0, worker.size)
      fillEvenly(worker, 67_300, { from: noon - 6 * DAY_MS, until: noon - MINUTE_MS })
      knowns.push(knownBy(worker, sample(worker.kept(0, worker.size), 20)))
      await worker.submitTo(67_200)
    })
    const known = knowns[0]
    if (known === undefined) throw new Error('not filled')
    const { inclusions, consistencies, kept } = known
    const part = {
      ...known,
      inclusions: sample(inclusions, 3),
      consistencies: sample(consistencies, 3),
      kept: new Map(sample([...kept], 2)),
    }
    await expectSame(older, known)
    let stages = 0
    for (const day of [0, 8]) {
      vi.setSystemTime(noon + day * DAY_MS + MINUTE_MS)
      await expectCallsGoOn(older)
      for (let n = 0; n < 40 && (await hasOlderTables(older)); n += 1) {
        stages += 1
        vi.setSystemTime(Date.now() + MINUTE_MS)
        await older.organisation.runAlarm()
        await older.organisation.evict()
        await expectSame(older, part)
        if (!(await isMoving(older))) break
      }
    }
    expect(await hasOlderTables(older)).toBe(false)
    expect(stages).toBeGreaterThan(15)
    await expectSame(older, known)
    await expectCallsGoOn(older)
  })
})
