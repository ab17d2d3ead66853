// The calls of a log from its end: each once, with how it ended, wherever a walk begins and wherever its entries are kept.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntriesRange } from '../../../../src/organisation/journal/archive.ts'
import { CallPages, type CallEnding } from '../../../../src/organisation/journal/call-pages.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { openArchivedLedger, receiptAt, type ArchivedLedger } from './archived-ledger.ts'
import { runs } from '../../../support/runs.ts'

const start = Date.UTC(2091, 2, 15, 12)
const later = start + 8 * DAY_MS

type Written = { position: number; settledAt: number | null }

/** Entries in this order: a call, the settlement of the oldest call that has none, or what is neither. */
type Kind = 'call' | 'settlement' | 'act'

function write(ledger: ArchivedLedger, kinds: readonly Kind[]): Promise<Written[]> {
  return ledger.inLedger(({ storage, journal }) =>
    storage.transactionSync(() => {
      const calls: Written[] = []
      for (const kind of kinds) {
        const oldest = calls.find(({ settledAt }) => settledAt === null)
        if (kind === 'call')
          calls.push({ position: journal.appendReceipt(receiptAt(start, 30), start), settledAt: null })
        else if (kind === 'settlement' && oldest !== undefined) {
          const settles = oldest.position
          const fields = { settles, microeur: 5 }
          oldest.settledAt = journal.append(
            { kind: 'settlement', content: { settles }, fields, retentionDays: 30 },
            start,
          )
        } else journal.append({ kind: 'operator_act', content: {} }, start)
      }
      return calls
    }),
  )
}

/** Walks over a range, and returns what it meets. `lookedUp`: calls whose settlement was not on the way. */
async function walk(ledger: ArchivedLedger, range: EntriesRange, calls: readonly Written[]) {
  const open = new Set(calls.filter(({ settledAt }) => settledAt === null).map(({ position }) => position))
  const lookedUp: number[] = []
  const findEnding = async (position: number): Promise<CallEnding> => {
    lookedUp.push(position)
    return { state: 'not_kept' }
  }
  const met = await ledger.inLedger(async ({ archive, journal }) => {
    const parts = { archive, isOpen: (position: number) => open.has(position), findEnding }
    const walked = new CallPages(parts, { ...range, size: journal.tree.size }, later)
    const endings: Written[] = []
    for (;;) {
      const { calls: page, next } = await walked.next()
      for (const call of page) {
        const ending = await walked.endingOf(call)
        const settledAt = ending.state === 'settled' ? ending.settlement.position : null
        endings.push({ position: call.decision.position, settledAt })
      }
      if (next === null) return endings
    }
  })
  return { met, lookedUp }
}

const inRange = (calls: readonly Written[], { from, before }: EntriesRange): Written[] =>
  calls.filter(({ position }) => position >= from && position < before).toReversed()

describe('a walk over the calls of a log', () => {
  it('meets each once with its settlement, the latest first, from anywhere, sealed away or not', async () => {
    const kinds = fc.array(fc.constantFrom<Kind>('call', 'call', 'settlement', 'act'), { minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), fc.nat(60), fc.nat(60), async (written, isSealed, one, other) => {
        const ledger = openArchivedLedger()
        const calls = await write(ledger, written)
        if (isSealed) {
          await ledger.completeTile(start)
          await ledger.sweepAll(later)
        }
        const range = { from: Math.min(one, other), before: Math.max(one, other) }
        expect(await walk(ledger, range, calls)).toEqual({ met: inRange(calls, range), lookedUp: [] })
      }),
      { numRuns: runs(12) },
    )
  })

  it('looks a settlement up by itself where that is far behind its beginning', async () => {
    const ledger = openArchivedLedger()
    const acts = Array.from({ length: 4100 }, (): Kind => 'act')
    const calls = await write(ledger, ['call', ...acts, 'settlement'])
    expect(await walk(ledger, { from: 0, before: 1 }, calls)).toEqual({
      met: [{ position: 0, settledAt: null }],
      lookedUp: [0],
    })
  })
})
