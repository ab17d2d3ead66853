// The books of the crash tests are judged by code that must itself be able to say no: each fault that a crash could leave
// is made here by hand, and found.
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/platform/time.ts'
import type { Books } from '../support/e2e/crash/books.ts'
import { findCopyFaults, findStaleCopy } from '../support/e2e/crash/copied-settings.ts'
import { findLedgerFaults, growTree } from '../support/e2e/crash/ledger-faults.ts'
import { findFaults, findToldFaults } from '../support/e2e/crash/reconcile.ts'
import { countOverdue, createRetention } from '../support/e2e/crash/retention.ts'
import {
  copiedSettings,
  inventBooks,
  inventLongBooks,
  ORGANISATION,
  snapshotAt,
} from '../support/e2e/crash/invented-books.ts'
import { FAULTS, finishReading, resend, sentAt, settleCached, type Change } from '../support/e2e/crash/spoiled-books.ts'

const faultsAfter = async (change: Change): Promise<string[]> => {
  const invented = await inventBooks()
  const books = (await change(invented)) ?? invented.books
  return [...findFaults(ORGANISATION, books, invented.witness), ...findToldFaults(books, invented.told)]
}

describe('findFaults', () => {
  it('finds nothing where the books agree with what was seen', async () => {
    expect(await faultsAfter(() => {})).toEqual([])
  })

  it.each([['settled'], ['interrupted']] as const)(
    'takes a reading that %s as its row and its entry say',
    async (ended) => {
      const { books } = await inventBooks()
      const said = finishReading(books, ended)
      expect(findLedgerFaults(books, growTree(books.leaves))).toEqual([])
      for (const other of [{ outcome: ended === 'settled' ? 'interrupted' : 'settled' }, { microeur: 5 }]) {
        books.rows.splice(-1, 1, { ...said, ...other })
        const [name] = Object.keys(other)
        expect(findLedgerFaults(books, growTree(books.leaves))).toEqual([
          `the row of entry 9 has another ${name} than the entry`,
        ])
      }
    },
  )

  it('finds it where a letter was answered whose reading was interrupted', async () => {
    const faults = await faultsAfter((all) => {
      finishReading(all.books, 'interrupted')
      all.witness.seen.letters.push({ organisationId: ORGANISATION, marker: 'letter-b', status: 200 })
    })
    expect(faults.join()).toMatch(/letter-b was answered, and its end is not written/)
  })

  it('lets the cache answer a call, for nothing, from one that was run', async () => {
    const faults = await faultsAfter((all) => {
      for (const { position, facts } of all.books.entries) {
        if (position === 6 && facts !== null) Object.assign(facts, { reserve_microeur: 0 })
      }
      return settleCached({})(all)
    })
    expect(faults.filter((fault) => fault.includes('cache'))).toEqual([])
  })

  it('lets a call be refused that was run before under its idempotency key, and no other', async () => {
    const repeated = { text: '{}', traceId: null, status: 409 }
    const repeat = (kind: 'again' | 'whole') =>
      faultsAfter((all) => void all.witness.seen.sent.push({ ...sentAt(all, 0), ...repeated, kind }))
    expect((await repeat('again')).filter((fault) => fault.includes('409'))).toEqual([])
    expect((await repeat('whole')).join()).toMatch(/answered 409 without a trace/)
  })

  it('lets an answer be cut, and a call be unanswered', async () => {
    const faults = await faultsAfter((all) => {
      resend(all, 0, { text: '{"cho', isWhole: false })
      resend(all, 2, { text: '', traceId: null, status: null, isWhole: false })
    })
    expect(faults).toEqual([])
  })

  it.each(FAULTS)('finds it where %s', async (_, change, fault) => {
    expect((await faultsAfter(change)).join('\n')).toMatch(fault)
  })
})

const LONG_FAULTS: readonly (readonly [string, (books: Books) => void, RegExp])[] = [
  ['a tile is missing', ({ tiles }) => tiles.clear(), /tile 0\/000 is missing/],
  ['a tile holds something else', ({ tiles }) => tiles.get('0/000')?.fill(0, 0, 8), /tile 0\/000 is not of this log/],
  ['a tile is in one bucket alone', ({ mirrored }) => mirrored.clear(), /tile 0\/000 is not in both buckets/],
  [
    'a tile is another in the second bucket',
    ({ mirrored }) => mirrored.get('0/000')?.fill(1, 0, 8),
    /0\/000 is not in both/,
  ],
  ['a tile is of leaves that are not there', copyTile('0/001'), /tile 0\/001 is not of this log/],
  ['a tile has no place', copyTile('0/1'), /tile 0\/1 is not of this log/],
  ['the edge above a tile is another', ({ levels }) => levels[1]?.edge.fill(0), /the edge of level 1/],
  [
    'more tiles are said to be stored',
    ({ levels }) => Object.assign(levels[0] ?? {}, { stored: 2 }),
    /0\/001 is missing/,
  ],
  ['what has left is in no object', ({ entries }) => entries.splice(0, 256), /300 leaves for 44 entries/],
]

function copyTile(path: string): (books: Books) => void {
  return ({ tiles }) => void tiles.set(path, tiles.get('0/000') ?? new Uint8Array())
}

describe('findLedgerFaults of books of which some have left', () => {
  const faultsOf = (books: Books): string[] => findLedgerFaults(books, growTree(books.leaves))

  it('finds nothing where tiles hold what the rows held', () => {
    expect(faultsOf(inventLongBooks())).toEqual([])
  })

  it('lets the newest snapshot be of calls that are gone where the oldest is newer', () => {
    const books = inventLongBooks()
    const [oldest] = books.snapshots
    if (oldest === undefined) throw new RangeError('no snapshot')
    books.snapshots.push({ ...oldest, name: 'newest', n: 1 })
    expect(faultsOf(books)).toEqual(['the newest snapshot is of 1 calls before entry 256, and there are 0'])
    books.snapshots.splice(1, 1, { ...snapshotAt(books, 250), name: 'newest', n: 1 })
    expect(faultsOf(books)).toEqual([])
  })

  it.each(LONG_FAULTS)('finds it where %s', (_, change, fault) => {
    const books = inventLongBooks()
    change(books)
    expect(faultsOf(books).join('\n')).toMatch(fault)
  })
})

describe('createRetention', () => {
  const OVER = Date.UTC(2091, 3, 15)

  async function complete(now: number, change: (books: Books) => void): Promise<{ books: Books; faults: string[] }> {
    const { books } = await inventBooks()
    const retention = createRetention(() => now)
    retention.remember(ORGANISATION, books)
    change(books)
    return retention.complete(ORGANISATION, books)
  }
  const loseEntry = ({ entries }: Books) => void entries.splice(3, 1)

  it('lets entries be gone whose retention is over, and keeps what they said', async () => {
    const { books, faults } = await complete(OVER, loseEntry)
    expect(faults).toEqual([])
    expect(findLedgerFaults(books, growTree(books.leaves))).toEqual([])
  })

  it('finds it where an entry is gone before that, or an object is stored that no row names', async () => {
    expect((await complete(OVER - 2 * DAY_MS, loseEntry)).faults).toEqual([
      'entry 3 is gone, and its retention is not over',
    ])
    const storeMore = ({ sealed }: Books) => void sealed.stored.push('ledger/a/1/0-1-b')
    expect((await complete(OVER, storeMore)).faults.join()).toMatch(/is stored, and its ledger does not know it/)
  })

  it('counts what should be gone', async () => {
    const { books } = await inventBooks()
    const stored = ['ledger/a/1/0-1-b', 'ledger/a/99999/2-3-b']
    const sealed = { listed: stored, stored }
    expect(countOverdue({ ...books, sealed }, OVER - 2 * DAY_MS)).toBe(1)
    expect(countOverdue({ ...books, sealed }, OVER)).toBe(1 + books.entries.length)
  })
})

describe('findCopyFaults', () => {
  const acted = (version: number) => ({ organisationId: ORGANISATION, version })

  async function faultsOf(changed: object, answered = 1): Promise<string[]> {
    const { books } = await inventBooks()
    return findCopyFaults(books, { ...copiedSettings(), ...changed }, [acted(answered)])
  }

  it('finds nothing where D1 has what is written', async () => {
    const { books } = await inventBooks()
    expect(findCopyFaults(books, copiedSettings(), [acted(1)])).toEqual([])
    expect(findStaleCopy(books, copiedSettings())).toEqual([])
  })

  it('finds it where D1 has nothing, what is not written, other settings or older ones than were answered', async () => {
    const { books } = await inventBooks()
    expect(findCopyFaults(books, undefined, [])).toEqual(['D1 does not know the organisation'])
    expect(await faultsOf({ settings_version: 2 })).toEqual(['D1 has settings of version 2, and none such are written'])
    expect(await faultsOf({ requests_per_minute: 8 })).toEqual([
      'D1 has another requests_per_minute than version 1 of the settings',
    ])
    expect(await faultsOf({}, 2)).toEqual(['D1 has settings of version 1, and 2 was answered'])
    expect(findStaleCopy(books, { ...copiedSettings(), settings_version: 0 })).toHaveLength(1)
  })
})
