// The log's entries in segments: each refuses what the log refuses, all are read as one log, and one leaves at once.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EntriesStore, type NewRow } from '../../../../src/organisation/journal/entries.store.ts'
import { Journal } from '../../../../src/organisation/journal/journal.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { formatUuid } from '../../../../src/platform/ids.ts'
import { countRowsRead } from '../../../support/unit/counted-sql.ts'
import { listSegments } from '../../../support/unit/entries-table.ts'

const start = Date.UTC(2091, 2, 15, 12)

const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('org_of_segments'))

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

/** A log of so many entries with segments that begin at these positions. */
function fill({ sql }: DurableObjectStorage, size: number, begins: readonly number[] = []): EntriesStore {
  const entries = new EntriesStore(sql)
  for (let position = 0; position < size; position += 1) {
    if (begins.includes(position)) entries.beginSegment(position)
    entries.insert(rowAt(position))
  }
  return entries
}

const countEntries = (sql: SqlStorage): number => [...new EntriesStore(sql).hashesFrom(0, 1e9)].length

describe('every segment', () => {
  it('refuses changes, and that an entry leaves before its tile is stored', async () => {
    await inStorage((storage) => {
      const { sql } = storage
      fill(storage, 30, [10, 20])
      expect(listSegments(sql)).toEqual(['entries_0', 'entries_10', 'entries_20'])
      for (const table of listSegments(sql)) {
        expect(() => sql.exec(`UPDATE ${table} SET entry = x'8100'`)).toThrow('never changes')
        expect(() => sql.exec(`UPDATE ${table} SET position = position + 100, entry = x''`)).toThrow('never changes')
        expect(() => sql.exec(`DELETE FROM ${table}`)).toThrow('once its tile is stored')
      }
      expect(countEntries(sql)).toBe(30)
    })
  })

  it('but the newest takes no entry, wherever it is put', async () => {
    await inStorage((storage) => {
      const { sql } = storage
      fill(storage, 30, [10, 20])
      for (const table of ['entries_0', 'entries_10']) {
        for (const verb of ['INSERT', 'INSERT OR REPLACE']) {
          for (const position of [0, 9, 10, 20, 30]) {
            const insert = `${verb} INTO ${table} (position, hash, kind, at, expires_at, entry) VALUES (?, zeroblob(32), 'x', 1, 1, x'82')`
            expect(() => sql.exec(insert, position)).toThrow('appended at the end')
          }
        }
      }
      expect(countEntries(sql)).toBe(30)
    })
  })

  it('refuses a receipt that is in any of them', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 30, [10, 20])
      for (const position of [1, 13, 28]) {
        const again = { ...rowAt(30), id: idOf(position) }
        expect(() => entries.insert(again)).toThrow('a receipt is written once')
      }
      const replace = `INSERT OR REPLACE INTO entries_20 (position, hash, kind, at, expires_at, id, entry)
        VALUES (30, zeroblob(32), 'x', 1, 1, ?, x'82')`
      expect(() => storage.sql.exec(replace, Uint8Array.fromHex(idOf(1).replaceAll('-', '')))).toThrow('written once')
      entries.insert(rowAt(30))
      expect(entries.findReceipt(idOf(30))).toBe(30)
    })
  })

  it('goes on where the one before it has ended, and nowhere else', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 10)
      entries.beginSegment(10)
      for (const position of [0, 9, 11]) expect(() => entries.insert(rowAt(position))).toThrow('appended at the end')
      entries.insert(rowAt(10))
    })
  })

  it('goes on at the same position where its last entries, or all of them, have been deleted', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 256, [200])
      storeTiles(storage, 1)
      for (const from of [250, 200]) {
        entries.deleteExpired(from, 256, 10_000)
        for (const position of [200, 250, 255, 257]) {
          expect(() => entries.insert(rowAt(position))).toThrow('appended at the end')
        }
      }
      entries.insert(rowAt(256))
    })
  })

  it('accepts nothing while the organisation is sealed for its erasure', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 20, [10])
      storage.sql
        .exec(`INSERT INTO erasure (id, erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, state, is_sealed)
        VALUES (1, 'e', 's', 'eu', 'r', 1, 1, 'running', 1)`)
      expect(() => entries.insert(rowAt(20))).toThrow('the organisation is erased')
    })
  })
})

describe('the list of segments', () => {
  it.each([
    ['changed', 'UPDATE entry_segments SET first = first + 1', 'never changes'],
    ['longer before its end', 'INSERT INTO entry_segments (first) VALUES (5)', 'begins after the others'],
    ['longer twice', 'INSERT INTO entry_segments (first) VALUES (20)', 'begins after the others'],
    ['replaced', 'INSERT OR REPLACE INTO entry_segments (first) VALUES (0)', 'begins after the others'],
    ['shorter before tiles are stored', 'DELETE FROM entry_segments WHERE first = 0', 'once its tile is stored'],
    ['empty', 'DELETE FROM entry_segments', 'once its tile is stored'],
    ['without the newest', 'DELETE FROM entry_segments WHERE first = 20', 'once its tile is stored'],
  ])('cannot be %s', async (_, statement, refusal) => {
    await inStorage((storage) => {
      fill(storage, 30, [10, 20])
      if (statement.endsWith('20')) storeTiles(storage, 9)
      expect(() => storage.sql.exec(statement)).toThrow(refusal)
      expect(listSegments(storage.sql)).toEqual(['entries_0', 'entries_10', 'entries_20'])
    })
  })
})

describe('a segment that is dropped', () => {
  it('writes no row for its entries, and ten over its life', async () => {
    await inStorage((storage) => {
      const { sql, rowsWritten } = countRowsRead(storage.sql)
      const entries = fill(storage, 256)
      const other = new EntriesStore(sql)
      storage.transactionSync(() => other.beginSegment(256))
      entries.forget()
      entries.insert(rowAt(256))
      storeTiles(storage, 1)
      storage.transactionSync(() => other.deleteBefore(256))
      expect(rowsWritten()).toBe(10)
      expect(listSegments(storage.sql)).toEqual(['entries_256'])
      expect(other.firstRow()).toMatchObject({ position: 256 })
      // An id of the dropped segment may come again, as after any deletion.
      entries.insert({ ...rowAt(257), id: idOf(1) })
    })
  })

  it('stays, with all rows, while a tile of it is not stored', async () => {
    await inStorage((storage) => {
      fill(storage, 320, [300])
      storeTiles(storage, 1)
      const drop = () => storage.transactionSync(() => new EntriesStore(storage.sql).deleteBefore(300))
      expect(drop).toThrow('once its tile is stored')
      expect(listSegments(storage.sql)).toEqual(['entries_0', 'entries_300'])
      expect(countEntries(storage.sql)).toBe(320)
      storeTiles(storage, 2)
      drop()
      expect(countEntries(storage.sql)).toBe(20)
    })
  })

  it('goes with those before it, and of the one after it the rows go that are named', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 300, [10, 20])
      storeTiles(storage, 1)
      storage.transactionSync(() => entries.deleteBefore(25))
      expect(listSegments(storage.sql)).toEqual(['entries_20'])
      expect(entries.firstRow()).toMatchObject({ position: 25 })
      entries.insert(rowAt(300))
    })
  })

  it('comes back where its transaction fails', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 300, [10])
      storeTiles(storage, 1)
      const failing = () =>
        storage.transactionSync(() => {
          entries.deleteBefore(10)
          throw new Error('cut off')
        })
      expect(failing).toThrow('cut off')
      expect(listSegments(storage.sql)).toEqual(['entries_0', 'entries_10'])
      expect(countEntries(storage.sql)).toBe(300)
      expect(() => entries.insert({ ...rowAt(300), id: idOf(1) })).toThrow('written once')
    })
  })

  it('loses its rows one by one while another statement is being read, and goes the next time', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 300, [10, 20])
      storeTiles(storage, 1)
      const open = storage.sql.exec('SELECT first FROM entry_segments')
      open.next()
      storage.transactionSync(() => entries.deleteBefore(10))
      expect(entries.firstRow()).toMatchObject({ position: 10 })
      expect(listSegments(storage.sql)).toEqual(['entries_0', 'entries_10', 'entries_20'])
      open.toArray()
      storage.transactionSync(() => entries.deleteBefore(20))
      expect(listSegments(storage.sql)).toEqual(['entries_20'])
      expect(countEntries(storage.sql)).toBe(280)
    })
  })
})

describe('a new segment', () => {
  it('takes the next entry, also after an eviction', async () => {
    await inStorage((storage) => void fill(storage, 20, [10]))
    await evictDurableObject(object())
    await inStorage(({ sql }) => {
      new EntriesStore(sql).insert(rowAt(20))
      expect(sql.exec('SELECT COUNT(*) AS n FROM entries_10').one()).toEqual({ n: 11 })
    })
  })

  it('is forgotten with the transaction that began it', async () => {
    await inStorage((storage) => {
      const journal = new Journal(storage.sql)
      const act = () => journal.append({ kind: 'operator_act', content: {} }, start)
      for (let n = 0; n < 30; n += 1) act()
      const failing = () =>
        storage.transactionSync(() => {
          journal.beginSegmentIfDue(start + DAY_MS - 1)
          act()
          throw new Error('cut off')
        })
      expect(failing).toThrow('cut off')
      journal.forget()
      expect(listSegments(storage.sql)).toEqual(['entries_0'])
      expect(act()).toBe(30)
      journal.beginSegmentIfDue(start + DAY_MS - 1)
      expect(act()).toBe(31)
      expect(listSegments(storage.sql)).toEqual(['entries_0', 'entries_31'])
    })
  })

  it.each([
    ['few entries', 23, DAY_MS, false],
    ['enough entries of the last day', 24, DAY_MS, true],
    ['entries that are older', 24, 1.5 * DAY_MS, false],
    ['entries that have just begun it', 24, DAY_MS / 2 - 1, false],
  ])('begins once a day, and not for the sake of %s', async (_, count, laterMs, isBegun) => {
    await inStorage(({ sql }) => {
      const journal = new Journal(sql)
      for (let n = 0; n < count; n += 1) journal.append({ kind: 'operator_act', content: {} }, start)
      for (let n = 0; n < 2; n += 1) journal.beginSegmentIfDue(start + laterMs)
      expect(listSegments(sql)).toEqual(isBegun ? ['entries_0', `entries_${count}`] : ['entries_0'])
    })
  })

  it('begins at once after a hundred thousand entries', async () => {
    await inStorage(({ sql }) => {
      const insertUpTo = (end: number) =>
        sql.exec(
          `WITH RECURSIVE n(i) AS (SELECT (SELECT COUNT(*) FROM entries_0) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
           INSERT INTO entries_0 (position, hash, kind, at, expires_at, entry)
           SELECT i, zeroblob(32), 'hour_counts', ?, ?, x'' FROM n`,
          end - 1,
          start,
          start,
        )
      insertUpTo(99_999)
      expect(new Journal(sql).isSegmentFull()).toBe(false)
      insertUpTo(100_000)
      const journal = new Journal(sql)
      expect(journal.isSegmentFull()).toBe(true)
      journal.beginSegmentIfDue(start)
      expect(listSegments(sql)).toEqual(['entries_0', 'entries_100000'])
      expect(journal.isSegmentFull()).toBe(false)
    })
  })

  it('is not the twenty-first', async () => {
    await inStorage((storage) => {
      const begins = Array.from({ length: 18 }, (_, n) => (n + 1) * 24)
      const entries = fill(storage, 19 * 24, begins)
      expect(entries.isSegmentOfDay(19 * 24, DAY_MS)).toBe(true)
      entries.beginSegment(19 * 24)
      for (let position = 19 * 24; position < 20 * 24; position += 1) entries.insert(rowAt(position))
      expect(entries.isSegmentOfDay(20 * 24, DAY_MS)).toBe(false)
    })
  })
})

describe('a log of several segments', () => {
  const SIZE = 700
  const begins = fc.uniqueArray(fc.integer({ min: 1, max: SIZE - 1 }), { maxLength: 6 })
  const range = fc.tuple(fc.integer({ min: -1, max: SIZE + 1 }), fc.integer({ min: -1, max: SIZE + 1 }))

  it('is read as one, in order and back, by range and by the page', async () => {
    const all = Array.from({ length: SIZE }, (_, position) => rowAt(position))
    const positions = (rows: Iterable<{ position: number }>): number[] => Array.from(rows, ({ position }) => position)
    let logs = 0
    await fc.assert(
      fc.asyncProperty(begins, range, fc.integer({ min: 1, max: 400 }), async (at, [one, other], limit) => {
        const [from, before] = [Math.min(one, other), Math.max(one, other)]
        const within = all.filter(({ position }) => position >= from && position < before)
        const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(`org_of_segments_${(logs += 1)}`))
        await runInDurableObject(stub, (_, { storage }) => {
          const entries = fill(storage, SIZE, at)
          expect(listSegments(storage.sql).length).toBe(at.length + 1)
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

  it('empties and deletes what has expired in each of them', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 300, [100, 200])
      storeTiles(storage, 1)
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

  it('is erased: whole segments go, and of the others hashes are left', async () => {
    await inStorage((storage) => {
      const entries = fill(storage, 600, [100, 200, 400])
      storeTiles(storage, 1)
      let turns = 0
      while (storage.transactionSync(() => entries.eraseNext(256))) turns += 1
      expect(turns).toBe(1)
      expect(listSegments(storage.sql)).toEqual(['entries_200', 'entries_400'])
      expect([entries.firstRow()?.position, countEntries(storage.sql), entries.countWithContent()]).toEqual([
        256, 344, 0,
      ])
      expect(storage.sql.exec('SELECT DISTINCT at, key_id, facts FROM entries_200').toArray()).toEqual([
        { at: 0, key_id: null, facts: null },
      ])
    })
  })
})
