// The table of the log's entries: what it refuses, and how it is read, emptied and erased.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EntriesStore, type NewRow } from '../../../../src/organisation/journal/entries.store.ts'
import { LogProgressStore } from '../../../../src/organisation/journal/log-progress.store.ts'
import { SealedDetailsStore } from '../../../../src/organisation/journal/sealed-details.store.ts'
import { formatUuid } from '../../../../src/platform/ids.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'

const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('org_of_entries'))

const inStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(object(), (_, { storage }) => work(storage))

const idOf = (position: number): string => {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setUint32(12, position)
  return formatUuid(bytes)
}

/** Every third row is a settlement, of the row before it; every other row is a receipt. */
const rowAt = (position: number): NewRow => {
  const isSettlement = position % 3 === 2
  return {
    position,
    kind: isSettlement ? 'settlement' : 'chat_decision',
    at: 1000 + position,
    expiresAt: 9000 + (position % 7),
    facts: isSettlement ? null : `{"n":${position}}`,
    id: isSettlement ? null : idOf(position),
    hash: new Uint8Array(32).fill(position % 256),
    entry: Uint8Array.of(1, position % 256),
    keyId: 'key_a',
    outcome: isSettlement ? 'completed' : 'ALLOWED',
    loop: null,
    microeur: 5,
    settles: isSettlement ? position - 1 : null,
  }
}

const storeTiles = ({ sql }: DurableObjectStorage, stored: number): void =>
  void sql.exec(
    `INSERT INTO tile_levels (level, stored, edge) VALUES (0, ?, x'')
     ON CONFLICT (level) DO UPDATE SET stored = excluded.stored`,
    stored,
  )

/** Plans to archive the entries before a position. */
const planTo = ({ sql }: DurableObjectStorage, archivingTo: number): void =>
  new LogProgressStore(sql).write({ archivingTo })

const sealForErasure = ({ sql }: DurableObjectStorage): void =>
  void sql.exec(`INSERT INTO erasure (id, erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, state, is_sealed)
    VALUES (1, 'e', 's', 'eu', 'r', 1, 1, 'running', 1)`)

function fill({ sql }: DurableObjectStorage, size: number): EntriesStore {
  const entries = new EntriesStore(sql)
  for (let position = 0; position < size; position += 1) entries.insert(rowAt(position))
  return entries
}

const countEntries = (sql: SqlStorage): number => [...new EntriesStore(sql).hashesFrom(0, 1e9)].length

describe('the table of entries', () => {
  it('refuses changes, and that an entry leaves before its tile is stored', async () => {
    await inStorage((storage) => {
      const { sql } = storage
      fill(storage, 300)
      storeTiles(storage, 1)
      planTo(storage, 300)
      expect(() => sql.exec(`UPDATE entries SET entry = x'8100'`)).toThrow('never changes')
      expect(() => sql.exec(`UPDATE entries SET position = position + 300, entry = x''`)).toThrow('never changes')
      for (const refused of ['DELETE FROM entries', 'DELETE FROM entries WHERE position = 256']) {
        expect(() => sql.exec(refused)).toThrow('once its tile is stored')
      }
      expect(countEntries(sql)).toBe(300)
      sql.exec('DELETE FROM entries WHERE position = 255')
    })
  })

  it('refuses that an entry leaves before it is planned to', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 300)
      storeTiles(storage, 1)
      planTo(storage, 100)
      for (const before of [101, 256]) expect(() => entries.deleteBefore(before)).toThrow('once it is archived')
      expect(() => entries.deleteExpired(0, 256, 10_000)).toThrow('once it is archived')
      expect(countEntries(storage.sql)).toBe(300)
      entries.deleteBefore(100)
      expect(countEntries(storage.sql)).toBe(200)
    })
  })

  it('refuses that an entry leaves before the object is sealed that it is planned for', async () => {
    await inStorage((storage) => {
      const { sql } = storage
      const entries = new EntriesStore(sql)
      const days = (position: number): number => (position < 10 ? 7 : 30)
      for (let position = 0; position < 256; position += 1) {
        entries.insert({ ...rowAt(position), expiresAt: days(position) * DAY_MS + position })
      }
      storeTiles(storage, 1)
      const sealed = new SealedDetailsStore(sql)
      const planned = { first: 2, last: 255, expiresDay: 30, rows: 246, keyFingerprint: 'f' }
      sealed.insertPlanned(planned)
      planTo(storage, 256)
      for (const position of [10, 255]) {
        expect(() => sql.exec('DELETE FROM entries WHERE position = ?', position)).toThrow('once it is archived')
      }
      expect(() => entries.deleteBefore(256)).toThrow('once it is archived')
      entries.deleteExpired(0, 256, 8 * DAY_MS)
      expect(entries.firstRow()?.position).toBe(10)
      sealed.markSealed({ ...planned, dataKey: null }, 1)
      entries.deleteBefore(256)
      expect(countEntries(sql)).toBe(0)
    })
  })

  it('takes an entry at its end and nowhere else, also where one is to be replaced', async () => {
    await inStorage((storage) => {
      const { sql } = storage
      fill(storage, 30)
      for (const verb of ['INSERT', 'INSERT OR REPLACE']) {
        for (const position of [0, 29, 31]) {
          const insert = `${verb} INTO entries (position, hash, kind, at, expires_at, entry) VALUES (?, zeroblob(32), 'x', 1, 1, x'82')`
          expect(() => sql.exec(insert, position)).toThrow('appended at the end')
        }
      }
      expect(countEntries(sql)).toBe(30)
    })
  })

  it('refuses a receipt that it has, also as a replacement', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 30)
      expect(() => entries.insert({ ...rowAt(30), id: idOf(1) })).toThrow('a receipt is written once')
      const replace = `INSERT OR REPLACE INTO entries (position, hash, kind, at, expires_at, id, entry)
        VALUES (30, zeroblob(32), 'x', 1, 1, ?, x'82')`
      expect(() => storage.sql.exec(replace, Uint8Array.fromHex(idOf(1).replaceAll('-', '')))).toThrow('written once')
      entries.insert(rowAt(30))
      expect(entries.findReceipt(idOf(30))).toBe(30)
    })
  })

  it('goes on at the same position where its last entries, or all of them, have been deleted', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 256)
      storeTiles(storage, 1)
      planTo(storage, 256)
      for (const from of [250, 0]) {
        entries.deleteExpired(from, 256, 10_000)
        for (const position of [0, 250, 255, 257]) {
          expect(() => entries.insert(rowAt(position))).toThrow('appended at the end')
        }
      }
      entries.insert(rowAt(256))
    })
  })

  it('accepts nothing while the organisation is sealed for its erasure', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 20)
      sealForErasure(storage)
      expect(() => entries.insert(rowAt(20))).toThrow('the organisation is erased')
    })
  })

  it('loses what is deleted whole or not at all', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 320)
      storeTiles(storage, 1)
      planTo(storage, 320)
      const cut = (before: number) => () => storage.transactionSync(() => entries.deleteBefore(before))
      expect(cut(300)).toThrow('once its tile is stored')
      expect(countEntries(storage.sql)).toBe(320)
      cut(256)()
      expect([entries.firstRow()?.position, countEntries(storage.sql)]).toEqual([256, 64])
    })
  })
})

describe('a log of several hundred entries', () => {
  const SIZE = 700
  const range = fc.tuple(fc.integer({ min: -1, max: SIZE + 1 }), fc.integer({ min: -1, max: SIZE + 1 }))

  it('is read in order and back, by range and by the page', async () => {
    const all = Array.from({ length: SIZE }, (_, position) => rowAt(position))
    const positions = (rows: Iterable<{ position: number }>): number[] => Array.from(rows, ({ position }) => position)
    let logs = 0
    await fc.assert(
      fc.asyncProperty(range, fc.integer({ min: 1, max: 400 }), async ([one, other], limit) => {
        const [from, before] = [Math.min(one, other), Math.max(one, other)]
        const within = all.filter(({ position }) => position >= from && position < before)
        const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(`org_of_entries_${(logs += 1)}`))
        await runInDurableObject(stub, (_, { storage }) => {
          const entries = fill(storage, SIZE)
          expect(positions(entries.listAllWithContent(from, before))).toEqual(positions(within))
          expect(positions(entries.listWithContent(from, before))).toEqual(positions(within))
          expect(positions(entries.listWithContentBack(from, before))).toEqual(
            positions(within.toReversed().slice(0, 250)),
          )
          expect(positions(entries.eventsFrom(from, before))).toEqual(positions(within))
          expect(positions(entries.rowsFrom(from, before))).toEqual(positions(within))
          expect(Array.from(entries.hashesFrom(from, before), ([first]) => first)).toEqual(
            within.map(({ hash: [first] }) => first),
          )
          expect(entries.firstRow(from, before)).toEqual(
            within[0] === undefined ? null : { position: within[0].position, at: within[0].at },
          )
          expect(entries.lastAt(before, 1000 + from)).toBe(
            from >= 0 && within.length > 0 ? from : lastBefore(from, before),
          )
          expect(positions(entries.listCounted(before, limit))).toEqual(
            positions(
              all
                .filter(({ position }) => position < before)
                .toReversed()
                .slice(0, limit),
            ),
          )
          const next = all.filter(({ position }) => position > from).slice(0, limit)
          const submitted = entries.listReceipts(from, limit)
          expect(positions(submitted.receipts)).toEqual(positions(next.filter(({ id }) => id !== null)))
          expect([submitted.upTo, submitted.hasMore]).toEqual([next.at(-1)?.position ?? from, next.length === limit])
          const waiting = next.find(({ id }) => id !== null) ?? next[limit - 1]
          expect(entries.firstReceiptAfter(from, limit)?.position).toBe(waiting?.position)
          expect(entries.findSettlement(from)).toBe(from >= 0 && from % 3 === 1 && from + 1 < SIZE ? from + 1 : null)
          for (const position of [from, before]) {
            const row = all[position]
            expect(entries.timeOf(position)).toBe(row?.at ?? null)
            expect(entries.find(position)?.position).toBe(row?.position)
            expect(entries.findReceipt(idOf(Math.max(0, position)))).toBe(
              row === undefined || row.id === null ? (position < 0 ? 0 : null) : position,
            )
          }
          const latest = entries.listLatest(
            { kind: 'settlement', before: before < 0 ? null : before, positions: limit },
            1,
          )
          const end = before < 0 ? SIZE : before
          const settlements = all.filter(
            ({ kind, position }) => kind === 'settlement' && position < end && position >= end - limit,
          )
          expect(positions(latest.rows)).toEqual(positions(settlements.toReversed()))
          expect(latest.from).toBe(end - limit <= 0 ? null : end - limit)
        })
      }),
      { numRuns: 12 },
    )
  })

  /** The last position below `before` with a time up to that of `from`. */
  const lastBefore = (from: number, before: number): number | null => {
    const last = Math.min(from, before - 1, SIZE - 1)
    return last < 0 ? null : last
  }

  it('is emptied of what has expired, or loses it', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 300)
      storeTiles(storage, 1)
      planTo(storage, 90)
      const expired = (from: number, before: number) =>
        Array.from({ length: before - from }, (_, n) => from + n).filter((position) => position % 7 === 0)
      expect(entries.firstExpired(1, 300, 9000)).toBe(7)
      entries.emptyExpired(90, 250, 9000)
      expect(entries.firstExpired(90, 300, 9000)).toBe(252)
      entries.deleteExpired(0, 90, 9000)
      const left = entries.listAllWithContent(0, 300).map(({ position }) => position)
      const gone = new Set([...expired(0, 90), ...expired(90, 250)])
      expect(left).toEqual(Array.from({ length: 300 }, (_, n) => n).filter((n) => !gone.has(n)))
      expect(countEntries(storage.sql)).toBe(300 - expired(0, 90).length)
    })
  })

  it('is erased: entries in stored tiles go, and of the others hashes are left', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 600)
      storeTiles(storage, 1)
      sealForErasure(storage)
      let turns = 0
      while (storage.transactionSync(() => entries.eraseNext(256))) turns += 1
      expect(turns).toBe(1)
      expect([entries.firstRow()?.position, countEntries(storage.sql), entries.countNotErased()]).toEqual([256, 344, 0])
      expect(storage.sql.exec('SELECT DISTINCT at, key_id, facts FROM entries').toArray()).toEqual([
        { at: 0, key_id: null, facts: null },
      ])
    })
  })

  it('is erased of what expired entries still have beside their hash', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 600)
      entries.emptyExpired(0, 600, 10_000)
      storeTiles(storage, 1)
      sealForErasure(storage)
      expect(entries.countNotErased()).toBe(600)
      while (storage.transactionSync(() => entries.eraseNext(256))) continue
      expect([entries.firstRow()?.position, countEntries(storage.sql), entries.countNotErased()]).toEqual([256, 344, 0])
      const left = 'SELECT DISTINCT at, expires_at, key_id, outcome, loop, microeur, settles, facts FROM entries'
      const nothing = { key_id: null, outcome: null, loop: null, microeur: null, settles: null, facts: null }
      expect(storage.sql.exec(left).toArray()).toEqual([{ at: 0, expires_at: 0, ...nothing }])
    })
  })
})
