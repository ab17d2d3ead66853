// All entries of a ledger, page by page: once each and in order, whatever is put away or lost meanwhile.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EntriesPage } from '../../../../src/organisation/journal/archive.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { objectNames, openArchivedLedger, type ArchivedLedger } from './archived-ledger.ts'
import { runs } from '../../../support/runs.ts'

const start = Date.UTC(2091, 2, 15, 12)
const later = start + 8 * DAY_MS

/** So many entries, whose retentions take turns, and what completes their tile. */
async function fill(ledger: ArchivedLedger, count: number, retentions: readonly number[], bytes = 0): Promise<void> {
  await ledger.inLedger(({ storage, journal }) =>
    storage.transactionSync(() => {
      const content = { text: 'x'.repeat(bytes) }
      for (let n = 0; n < count; n += 1) {
        journal.append({ kind: 'operator_act', content, retentionDays: retentions[n % retentions.length] ?? 30 }, start)
      }
    }),
  )
  await ledger.completeTile(start)
}

const positionsOf = (pages: readonly EntriesPage[]): number[] =>
  pages.flatMap(({ entries }) => entries.map(({ position }) => position))

/** Without those that lie behind all that is kept. */
const toldOf = (pages: readonly EntriesPage[]): EntriesPage[] =>
  pages.filter(({ entries, unreadable }) => entries.length + unreadable > 0)

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('the pages of a ledger', () => {
  it('are of one empty one where there is nothing', async () => {
    expect(await openArchivedLedger().readAll(start)).toEqual([{ entries: [], unreadable: 0, next: null }])
  })

  it('have all entries once, at hand and in sealed objects that are mixed with each other', async () => {
    const ledger = openArchivedLedger()
    await fill(ledger, 2560, [30, 90, 365])
    await ledger.sweepAll(later)
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    await fill(ledger, 1500, [30])
    const pages = await ledger.readAll(later)
    expect(positionsOf(pages)).toEqual(upTo(4060))
    expect(Math.max(...pages.map(({ entries }) => entries.length))).toBeLessThanOrEqual(1000)
    expect((await objectNames()).length).toBeGreaterThan(6)
    const back = await ledger.readAllBack(later)
    expect(positionsOf(back)).toEqual(upTo(4060).toReversed())
    expect(Math.max(...back.map(({ entries }) => entries.length))).toBeLessThanOrEqual(1000)
  })

  it('are of about a mebibyte', async () => {
    const ledger = openArchivedLedger()
    await fill(ledger, 100, [30], 60_000)
    const bytes = (await ledger.readAll(start)).map(({ entries }) =>
      entries.reduce((sum, { entry }) => sum + entry.byteLength, 0),
    )
    expect(bytes.length).toBeGreaterThan(5)
    expect(Math.max(...bytes)).toBeLessThanOrEqual(1024 * 1024)
  })

  it('have each entry once, whatever is put away between them', async () => {
    const sweeps = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 })
    const retentions = fc.array(fc.constantFrom(7, 30, 31, 365), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(sweeps, retentions, async (steps, days) => {
        const ledger = openArchivedLedger()
        await fill(ledger, 2300, days)
        let page = 0
        const putSomeAway = async (): Promise<void> => {
          for (let n = 0; n < (steps[page % steps.length] ?? 0); n += 1) await ledger.sweep(later)
          page += 1
        }
        const kept = upTo(2300).filter((position) => days[position % days.length] !== 7)
        expect(positionsOf(await ledger.readAllBack(later, putSomeAway))).toEqual(kept.toReversed())
        expect(positionsOf(await ledger.readAll(later, putSomeAway))).toEqual(kept)
      }),
      { numRuns: runs(4) },
    )
  })

  it('say how many entries they lack where an object is lost or its key destroyed', async () => {
    const ledger = openArchivedLedger()
    await fill(ledger, 1500, [30])
    await ledger.sweepAll(later)
    const [first = ''] = await objectNames()
    await env.FILES.delete(first)
    const pages = await ledger.readAll(later)
    expect(pages.reduce((sum, { unreadable }) => sum + unreadable, positionsOf(pages).length)).toBe(1500)
    expect(positionsOf(pages).length).toBeGreaterThan(0)
    await ledger.exec('UPDATE data_keys SET key = NULL')
    const countsOf = (read: EntriesPage[]) =>
      toldOf(read).map(({ entries, unreadable }) => [entries.length, unreadable])
    expect(countsOf(await ledger.readAll(later))).toEqual([
      [0, 1000],
      [0, 500],
    ])
    expect(countsOf(await ledger.readAllBack(later))).toEqual([
      [0, 500],
      [0, 1000],
    ])
  })

  it('leave out what is not the leaf, and say so', async () => {
    const ledger = openArchivedLedger()
    await fill(ledger, 3, [30])
    await ledger.exec('DROP TRIGGER entries_never_change')
    await ledger.exec("UPDATE entries SET entry = X'8100' WHERE position = 1")
    const pages = toldOf(await ledger.readAll(start))
    expect(pages).toMatchObject([{ entries: [{ position: 0 }, { position: 2 }], unreadable: 1 }])
  })

  it('lack nothing that is over, though its object is gone', async () => {
    const ledger = openArchivedLedger()
    await fill(ledger, 20, [30, 365])
    await ledger.sweepAll(later)
    await env.FILES.delete((await objectNames()).filter((name) => name.includes(`/${start / DAY_MS + 29.5}/`)))
    const pages = await ledger.readAll(start + 40 * DAY_MS)
    expect([positionsOf(pages).length, toldOf(pages).map(({ unreadable }) => unreadable)]).toEqual([10, [0]])
  })

  it('are not answered where R2 does not answer', async () => {
    const ledger = openArchivedLedger()
    await fill(ledger, 3, [30])
    await ledger.sweepAll(later)
    ledger.failWith({ get: () => Promise.reject(new Error('out of reach')) })
    await expect(ledger.readAll(later)).rejects.toThrow('could not be fetched')
  })
})
