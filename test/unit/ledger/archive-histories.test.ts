// Any history of entries, clocks that jump, cuts and sweeps: what is to be kept can be read to the byte and proven, and
// what is over is nowhere.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { leafHash } from '../../../src/ledger/entry.ts'
import { verifyInclusion } from '../../../src/ledger/proof.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../../src/platform/clock.ts'
import { putThenFail } from '../../support/unit/bucket-with.ts'
import { objectNames, openArchivedLedger, type Appended, type ArchivedLedger } from './archived-ledger.ts'
import { runs } from '../../support/runs.ts'

const start = Date.UTC(2091, 2, 15, 12)
const MAX_STEPS = 25

const CUT_AT = ['before put', 'after put', 'delete'] as const

type Cut = 'nowhere' | (typeof CUT_AT)[number]

type Step =
  | { kind: 'append'; entries: number; retentionDays: number; receipt: boolean }
  | { kind: 'clock'; byMs: number }
  | { kind: 'publish' }
  | { kind: 'sweep'; cutAt: Cut }

/** Mostly about a day, so that some clocks stand between the end of a retention and that of its day. */
const clockStep = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: MINUTE_MS, max: 2 * DAY_MS }) },
  { weight: 2, arbitrary: fc.integer({ min: 5 * DAY_MS, max: 12 * DAY_MS }) },
  { weight: 1, arbitrary: fc.integer({ min: -12 * DAY_MS, max: -1 }) },
)

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    entries: fc.integer({ min: 1, max: 3 }),
    retentionDays: fc.constantFrom(7, 8, 9, 30),
    receipt: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('clock' as const), byMs: clockStep }),
  fc.record({ kind: fc.constant('sweep' as const), cutAt: fc.constantFrom<Cut>('nowhere', 'nowhere', ...CUT_AT) }),
  fc.constant<Step>({ kind: 'publish' }),
)

const CUTS: Record<Cut, Parameters<ArchivedLedger['failWith']>[0]> = {
  nowhere: {},
  'before put': { put: () => Promise.reject(new Error('cut off')) },
  'after put': { put: putThenFail },
  delete: { delete: () => Promise.reject(new Error('cut off')) },
}

type History = {
  ledger: ArchivedLedger
  now: number
  publishedTo: number
  entries: (Appended & { at: number; receipt: boolean })[]
  /** What a clock that was ahead has called over may be gone, although the clock now says otherwise. */
  latestSweepAt: number
}

it('keeps what is to be kept, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: MAX_STEPS }), async (history) => {
      await env.FILES.delete(await objectNames())
      const ledger = openArchivedLedger()
      const state: History = { ledger, now: start, publishedTo: -1, entries: [], latestSweepAt: 0 }
      for (const step of history) await take(state, step)
      await take(state, { kind: 'publish' })
      await take(state, { kind: 'sweep', cutAt: 'nowhere' })
      await checkProofs(state)
    }),
    { numRuns: runs(12) },
  )
})

async function take(state: History, step: Step): Promise<void> {
  const { ledger } = state
  switch (step.kind) {
    case 'append':
      for (let n = 0; n < step.entries; n += 1) {
        const append = step.receipt ? ledger.appendReceipt : ledger.append
        const appended = await append(state.now, step.retentionDays)
        state.entries.push({ ...appended, at: state.now, receipt: step.receipt })
      }
      return
    case 'clock':
      state.now += step.byMs
      return
    case 'publish':
      state.publishedTo = state.entries.length - 1
      return
    case 'sweep':
      state.latestSweepAt = Math.max(state.latestSweepAt, state.now)
      await sweep(state, step.cutAt)
      await checkKept(state)
      if (step.cutAt === 'nowhere') await checkGone(state)
  }
}

async function sweep({ ledger, now, publishedTo }: History, cutAt: Cut): Promise<void> {
  ledger.failWith(CUTS[cutAt])
  try {
    await ledger.sweepAll(now, publishedTo)
  } catch (thrown) {
    expect(String(thrown)).toContain('cut off')
    await ledger.evict()
  }
  ledger.failWith({})
}

async function checkKept({ ledger, now, publishedTo, entries, latestSweepAt }: History): Promise<void> {
  const atHand = await ledger.positionsAtHand()
  const unpublished = entries.filter(({ receipt, position }) => receipt && position > publishedTo)
  expect(unpublished.filter(({ position }) => !atHand.includes(position))).toEqual([])
  for (const { position, entry, expiresAt } of entries) {
    const found = await ledger.find(position, now)
    if (expiresAt <= now) expect(found).toEqual({ outcome: 'not_kept' })
    else if (expiresAt > latestSweepAt || found.outcome === 'found') {
      expect(found).toMatchObject({ outcome: 'found', position, expiresAt })
      expect(found.outcome === 'found' && found.entry.toHex()).toBe(entry)
    } else expect(found).toEqual({ outcome: 'not_kept' })
  }
  await checkRead({ ledger, now, entries })
}

/** Page by page, each entry that can be found is there once, in order, and no other. */
async function checkRead({ ledger, now, entries }: Pick<History, 'ledger' | 'now' | 'entries'>): Promise<void> {
  const found: string[] = []
  for (const { position } of entries) {
    const bytes = await ledger.findBytes(position, now)
    if (bytes !== null) found.push(bytes)
  }
  const pages = await ledger.readAll(now)
  expect(pages.flatMap((page) => page.entries.map(({ entry }) => entry.toHex()))).toEqual(found)
  expect(pages.filter(({ unreadable }) => unreadable > 0)).toEqual([])
}

/** After a sweep to the end: nothing old is in the database, nothing over is in R2, and each object is known. */
async function checkGone({ ledger, now, publishedTo, entries }: History): Promise<void> {
  const atHand = await ledger.positionsAtHand()
  const old = entries.filter(({ at, position }) => at <= now - 7 * DAY_MS && position <= publishedTo)
  const over = entries.filter(({ expiresAt, receipt }) => expiresAt <= now && !receipt)
  expect([...old, ...over].filter(({ position }) => atHand.includes(position))).toEqual([])
  const names = await objectNames()
  const days = names.map((name) => Number(name.split('/')[2]))
  expect(days.filter((day) => day < utcDay(now))).toEqual([])
  const known = await ledger.inStorage(({ sql }) =>
    sql
      .exec<{ name: string }>(
        "SELECT expires_day || '/' || first || '-' || last || '-' || key_fingerprint AS name FROM sealed_details",
      )
      .toArray(),
  )
  const id = await ledger.ledgerId()
  expect(known.map(({ name }) => `ledger/${id}/${name}`).toSorted()).toEqual(names.toSorted())
}

/** The leaves stay, whatever became of the details: each is proven, and is the hash of its entry. */
async function checkProofs({ ledger, entries }: History): Promise<void> {
  for (const { position, entry } of entries) {
    const proof = await ledger.inTree((tree) => ({
      leaf_hash: tree.leafHash(position).toHex(),
      leaf_index: position,
      tree_size: tree.size(),
      root_hash: tree.rootAt(tree.size()).toHex(),
      audit_path: tree.inclusionProof(position, tree.size()).map((hash) => hash.toHex()),
    }))
    expect(verifyInclusion(proof)).toMatchObject({ valid: true })
    expect(proof.leaf_hash).toBe(leafHash(Uint8Array.fromHex(entry)).toHex())
  }
}
