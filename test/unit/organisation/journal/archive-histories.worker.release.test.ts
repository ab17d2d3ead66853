// Any history of entries, clocks that jump, cuts and steps of leaving: what is to be kept can be read to the byte and proven,
// what is over is nowhere, and a row leaves once it is old, published and in a stored tile, not before and not much later.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { leafHash } from '../../../../src/evidence/entry.ts'
import { verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../../../src/platform/time.ts'
import { putThenFail } from '../../../support/unit/bucket-with.ts'
import { objectNames, openArchivedLedger, type Appended, type ArchivedLedger } from './archived-ledger.ts'
import { runs } from '../../../support/runs.ts'

const start = Date.UTC(2091, 2, 15, 12)
const MAX_STEPS = 25
/** So far a clock may step back and its entries count for the latest time. */
const MOST_STEP_BACK_MS = 10 * MINUTE_MS

const cutOff = () => Promise.reject(new Error('cut off'))
const abort = "BEGIN SELECT RAISE(ABORT, 'cut off'); END"

/** Failures: of the bucket, or of the database at that statement. */
const CUTS = {
  'before put': { bucket: { put: cutOff } },
  'after put': { bucket: { put: putThenFail } },
  'at delete': { bucket: { delete: cutOff } },
  'at the plan': { trigger: `BEFORE INSERT ON sealed_details ${abort}` },
  'at the transaction': { trigger: `BEFORE UPDATE ON progress WHEN NEW.left_to > OLD.left_to ${abort}` },
  'at the deletion': { trigger: `BEFORE DELETE ON entries ${abort}` },
  'at emptying': { trigger: `BEFORE UPDATE ON entries ${abort}` },
} satisfies Record<string, { bucket?: Parameters<ArchivedLedger['failWith']>[0]; trigger?: string }>

type Cut = keyof typeof CUTS | 'nowhere'

type Step =
  | { kind: 'append'; entries: number; retentionDays: number; receipt: boolean }
  | { kind: 'clock'; byMs: number }
  | { kind: 'publish' }
  | { kind: 'complete tile' }
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
  fc.record({
    kind: fc.constant('sweep' as const),
    cutAt: fc.oneof(fc.constant<Cut>('nowhere'), fc.constantFrom<Cut>(...(Object.keys(CUTS) as (keyof typeof CUTS)[]))),
  }),
  fc.constantFrom<Step>({ kind: 'publish' }, { kind: 'complete tile' }),
)

type History = {
  ledger: ArchivedLedger
  now: number
  submittedTo: number
  size: number
  /** The latest time that each position counts for. A clock that fell lowers the times before it. */
  times: number[]
  entries: (Appended & { receipt: boolean })[]
  /** Latest sweep: all that was expired then may be gone, although the clock says otherwise now. */
  latestSweepAt: number
  /** No row from here on may have left, whatever was cut off. */
  mayHaveLeft: number
}

it('keeps what is to be kept, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: MAX_STEPS }), async (history) => {
      await env.FILES.delete(await objectNames())
      const ledger = openArchivedLedger()
      const empty = { now: start, submittedTo: -1, size: 0, times: [], entries: [], latestSweepAt: 0, mayHaveLeft: 0 }
      const state: History = { ledger, ...empty }
      for (const step of history) await take(state, step)
      for (const kind of ['publish', 'complete tile'] as const) await take(state, { kind })
      await take(state, { kind: 'sweep', cutAt: 'nowhere' })
      await checkProofs(state)
      await ledger.evict()
      await take(state, { kind: 'clock', byMs: 8 * DAY_MS })
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
        state.entries.push({ ...appended, receipt: step.receipt })
        write(state, 1)
      }
      return
    case 'complete tile':
      await ledger.completeTile(state.now)
      return write(state, (256 - (state.size % 256)) % 256)
    case 'clock':
      state.now += step.byMs
      return
    case 'publish':
      state.submittedTo = state.size - 1
      return
    case 'sweep':
      state.latestSweepAt = Math.max(state.latestSweepAt, state.now)
      state.mayHaveLeft = Math.max(state.mayHaveLeft, archiveLimits(state))
      await sweep(state, step.cutAt)
      await checkKept(state)
      if (step.cutAt === 'nowhere') await checkGone(state)
  }
}

function write(state: History, count: number): void {
  if (count === 0) return
  const latest = state.times.at(-1) ?? 0
  const at = state.now < latest && latest - state.now <= MOST_STEP_BACK_MS ? latest : state.now
  state.times = [...state.times.map((time) => Math.min(time, at)), ...Array.from({ length: count }, () => at)]
  state.size += count
}

/** The first position whose row may not leave: young, not published, or in no complete tile. */
function archiveLimits({ now, submittedTo, size, times, entries }: History): number {
  const young = times.findIndex((time) => time > now - 7 * DAY_MS)
  const waiting = entries.find(({ receipt, position }) => receipt && position > submittedTo)?.position ?? Infinity
  return Math.min(young === -1 ? size : young, waiting, size - (size % 256))
}

async function sweep({ ledger, now, submittedTo }: History, cutAt: Cut): Promise<void> {
  const cut: { bucket?: Parameters<ArchivedLedger['failWith']>[0]; trigger?: string } =
    cutAt === 'nowhere' ? {} : CUTS[cutAt]
  ledger.failWith(cut.bucket ?? {})
  if (cut.trigger !== undefined) await ledger.exec(`CREATE TRIGGER cut ${cut.trigger}`)
  try {
    await ledger.sweepAll(now, submittedTo)
  } catch (thrown) {
    expect(String(thrown)).toContain('cut off')
    await ledger.evict()
  }
  await ledger.exec('DROP TRIGGER IF EXISTS cut')
  ledger.failWith({})
}

async function checkKept(state: History): Promise<void> {
  const { ledger, now, size, entries, latestSweepAt, mayHaveLeft } = state
  expect((await ledger.rowsAtHand()).first ?? size).toBeLessThanOrEqual(mayHaveLeft)
  // Proofs need every leaf that is in no stored tile.
  const untiled = size % 256
  const rows = await ledger.exec(`SELECT COUNT(*) AS n FROM entries WHERE position >= ${size - untiled}`)
  expect(rows).toEqual([{ n: untiled }])
  expect(await ledger.checkState()).toEqual([])
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
  const back = await ledger.readAllBack(now)
  expect(back.flatMap((page) => page.entries.map(({ entry }) => entry.toHex()))).toEqual(found.toReversed())
  expect([...pages, ...back].filter(({ unreadable }) => unreadable > 0)).toEqual([])
}

/** After a sweep to the end: what may leave has left, nothing over is in the database or in R2, and each object is known. */
async function checkGone(state: History): Promise<void> {
  const { ledger, now, size, entries } = state
  expect((await ledger.rowsAtHand()).first ?? size).toBeGreaterThanOrEqual(archiveLimits(state))
  const atHand = await ledger.positionsAtHand()
  const over = entries.filter(({ expiresAt }) => expiresAt <= now - MOST_STEP_BACK_MS)
  expect(over.filter(({ position }) => atHand.includes(position))).toEqual([])
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

/** Whatever became of an entry, its leaf is proven, and is its hash. */
async function checkProofs({ ledger, entries }: History): Promise<void> {
  for (const { position, entry } of entries) {
    const proof = await ledger.prove(position)
    expect(verifyInclusion(proof)).toMatchObject({ valid: true })
    expect(proof.leaf_hash).toBe(leafHash(Uint8Array.fromHex(entry)).toHex())
  }
}
