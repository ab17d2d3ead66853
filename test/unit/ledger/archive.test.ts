// Details older than a week are sealed away, can be read back until their retention is over, and are then gone.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { DETAIL_RUNS_SCHEMA } from '../../../src/ledger/details.store.ts'
import { DAY_MS, utcDay } from '../../../src/platform/clock.ts'
import { objectNames, openArchivedLedger, readObject, type ArchivedLedger } from './archived-ledger.ts'

const start = Date.UTC(2091, 2, 15, 12)
const days = (count: number) => start + count * DAY_MS

let ledger: ArchivedLedger
beforeEach(() => {
  ledger = openArchivedLedger()
})

describe('moving', () => {
  it('takes details that are seven days old out of the database and leaves younger ones', async () => {
    await ledger.append(start)
    await ledger.append(start + 1)
    await ledger.sweepAll(days(7) - 1)
    expect(await ledger.positionsAtHand()).toEqual([0, 1])
    expect(await objectNames()).toEqual([])
    await ledger.sweepAll(days(7))
    expect(await ledger.positionsAtHand()).toEqual([1])
    const range = `ledger/${await ledger.ledgerId()}/${utcDay(days(30))}/0-0`
    expect(await objectNames()).toEqual([`${range}-${await ledger.keyFingerprint()}`])
  })

  it('puts what ends on one day into one object, also where others lie between', async () => {
    for (const retentionDays of [90, 30, 90, 30, 365, 90]) await ledger.append(start, retentionDays)
    await ledger.sweepAll(days(8))
    const [id, key] = [await ledger.ledgerId(), await ledger.keyFingerprint()]
    expect(await objectNames()).toEqual([
      `ledger/${id}/${utcDay(days(30))}/1-3-${key}`,
      `ledger/${id}/${utcDay(days(90))}/0-5-${key}`,
      `ledger/${id}/${utcDay(days(365))}/4-4-${key}`,
    ])
    for (const position of [0, 1, 2, 3, 4, 5]) {
      expect(await ledger.find(position, days(9))).toMatchObject({ outcome: 'found', position })
    }
    await env.FILES.delete((await objectNames()).filter((name) => !name.includes('/1-3-')))
    const outcomes = [0, 1, 2, 3, 4, 5].map(async (position) => (await ledger.find(position, days(9))).outcome)
    const gone = 'unreadable'
    expect(await Promise.all(outcomes)).toEqual([gone, 'found', gone, 'found', gone, gone])
  })

  it('takes a thousand at a time', async () => {
    await ledger.inStorage(({ sql }) => {
      sql.exec(`
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        INSERT INTO leaves (position, hash) SELECT i, zeroblob(32) FROM n`)
      sql.exec(
        `INSERT INTO details SELECT position, 'referral_decision', ?, ?, x'00', NULL FROM leaves`,
        start,
        days(30),
      )
    })
    expect(await ledger.sweep(days(8))).toBe(true)
    expect((await ledger.positionsAtHand()).length).toBe(501)
    expect(await ledger.sweep(days(8))).toBe(true)
    expect(await ledger.sweep(days(8))).toBe(false)
    expect(await rangesStored()).toEqual(['0-999', '1000-1500'])
  })

  it('holds no more than a mebibyte of entries in memory, but takes a larger one by itself', async () => {
    const long = { n: 'x'.repeat(400_000) }
    for (let n = 0; n < 4; n += 1) await ledger.append(start, 30, long)
    await ledger.append(start, 30, { n: 'x'.repeat(1_100_000) })
    await ledger.sweepAll(days(8))
    expect(await rangesStored()).toEqual(['0-1', '2-3', '4-4'])
    expect(await ledger.find(4, days(8))).toMatchObject({ outcome: 'found' })
  })

  it('leaves a receipt that is not in the public log yet, and what comes after it', async () => {
    await ledger.append(start)
    await ledger.appendReceipt(start, 7)
    await ledger.appendReceipt(start)
    await ledger.append(start)
    await ledger.sweepAll(days(8), -1)
    expect(await ledger.positionsAtHand()).toEqual([1, 2, 3])
    await ledger.sweepAll(days(8), 1)
    expect(await ledger.positionsAtHand()).toEqual([2, 3])
    await ledger.sweepAll(days(8), 2)
    expect(await ledger.positionsAtHand()).toEqual([])
  })

  it('leaves what lies between receipts that are not in the public log yet, and none of those is sealed', async () => {
    await ledger.appendReceipt(start)
    await ledger.append(start, 30)
    await ledger.appendReceipt(start)
    await ledger.sweepAll(days(8), -1)
    expect(await ledger.positionsAtHand()).toEqual([0, 1, 2])
    expect(await objectNames()).toEqual([])
  })

  it('waits for no public log where there are no receipts', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8), -1)
    expect(await ledger.positionsAtHand()).toEqual([])
  })

  it('seals under a key of the organisation’s own: nothing of an entry can be read in the object', async () => {
    await ledger.append(start, 30, { mark: 'quicksilver' })
    await ledger.sweepAll(days(8))
    const [name = ''] = await objectNames()
    expect(new TextDecoder('latin1').decode(await readObject(name))).not.toContain('quicksilver')
    expect(await ledger.exec('SELECT number, length(key) AS bytes FROM data_keys')).toEqual([{ number: 1, bytes: 32 }])
    const other = openArchivedLedger()
    await other.append(start)
    await other.sweepAll(days(8))
    const keyOf = async (one: ArchivedLedger) => one.exec('SELECT hex(key) AS key FROM data_keys')
    expect(await keyOf(other)).not.toEqual(await keyOf(ledger))
  })
})

describe('findEntry', () => {
  it('gives the same bytes and facts before and after the move', async () => {
    await ledger.append(start)
    await ledger.appendReceipt(start)
    const before = [await ledger.find(0, days(7)), await ledger.find(1, days(7))]
    await ledger.sweepAll(days(7))
    expect(await ledger.positionsAtHand()).toEqual([])
    const after = [await ledger.find(0, days(7)), await ledger.find(1, days(7))]
    expect(after).toEqual(before)
    expect(after[1]).toMatchObject({
      outcome: 'found',
      kind: 'chat_decision',
      at: start,
      facts: '{"reason":null,"key_id":"key_of_a_test"}',
    })
  })

  it('answers nothing once the retention is over, before the object goes', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    expect(await ledger.find(0, days(30) - 1)).toMatchObject({ outcome: 'found' })
    expect(await ledger.find(0, days(30))).toEqual({ outcome: 'not_kept' })
    expect((await objectNames()).length).toBe(1)
  })

  it('answers nothing for details at hand whose retention is over', async () => {
    await ledger.append(start)
    expect(await ledger.find(0, days(30))).toEqual({ outcome: 'not_kept' })
  })

  it.each([-1, 1, 9_999])('answers nothing for position %i, which has no entry', async (position) => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    expect(await ledger.find(position, days(8))).toEqual({ outcome: 'not_kept' })
  })

  it('says so when the data key has been destroyed, also when there is a new one', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    await ledger.exec('UPDATE data_keys SET key = NULL')
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'key_destroyed' })
    await ledger.append(days(1))
    await ledger.sweepAll(days(9))
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'key_destroyed' })
    expect(await ledger.find(1, days(9))).toMatchObject({ outcome: 'found' })
  })

  it('says so when the object was changed', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    const [name = ''] = await objectNames()
    const sealed = await readObject(name)
    await env.FILES.put(
      name,
      sealed.map((byte, at) => (at === 50 ? byte ^ 1 : byte)),
    )
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_damaged' })
    await env.FILES.put(name, new Uint8Array())
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_damaged' })
  })

  it('says so when two objects were swapped', async () => {
    await ledger.append(start, 30)
    await ledger.append(start, 90)
    await ledger.sweepAll(days(8))
    const [first = '', second = ''] = await objectNames()
    const [one, two] = [await readObject(first), await readObject(second)]
    await env.FILES.put(first, two)
    await env.FILES.put(second, one)
    for (const position of [0, 1]) {
      expect(await ledger.find(position, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_damaged' })
    }
  })

  it('says so when the object is missing', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    await env.FILES.delete(await objectNames())
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_missing' })
  })

  it('says so when the bucket cannot be reached', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    ledger.failWith({ get: () => Promise.reject(new Error('unreachable')) })
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'storage_failed' })
  })

  it('refuses an entry that is not what its leaf is the hash of', async () => {
    await ledger.append(start)
    await ledger.exec("UPDATE details SET entry = x'81' WHERE position = 0")
    expect(await ledger.find(0, start)).toEqual({ outcome: 'unreadable', cause: 'leaf_differs' })
    await ledger.sweepAll(days(8))
    expect(await ledger.find(0, days(8))).toEqual({ outcome: 'unreadable', cause: 'leaf_differs' })
  })

  it('reads an entry whose object another one overlaps that is damaged', async () => {
    for (const retentionDays of [30, 90, 30]) await ledger.append(start, retentionDays)
    await ledger.sweepAll(days(8))
    const around = (await objectNames()).find((name) => name.includes('/0-2-')) ?? ''
    await env.FILES.put(around, new Uint8Array(40))
    expect(await ledger.find(1, days(9))).toMatchObject({ outcome: 'found' })
    expect(await ledger.find(2, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_damaged' })
  })
})

describe('expiry', () => {
  it('deletes details whose retention is over without sealing them first', async () => {
    await ledger.append(start, 7)
    await ledger.sweepAll(days(7))
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await objectNames()).toEqual([])
    expect(await ledger.exec('SELECT * FROM data_keys')).toEqual([])
  })

  it('keeps what has a moment left, and deletes it then', async () => {
    await ledger.append(start, 8)
    await ledger.append(start, 8)
    const { entry } = await ledger.append(start + 1, 8)
    await ledger.sweepAll(days(8) - 1)
    for (const position of [0, 1, 2]) {
      expect(await ledger.find(position, days(8) - 1)).toMatchObject({ outcome: 'found' })
    }
    await ledger.sweepAll(days(8))
    expect(await ledger.find(1, days(8))).toEqual({ outcome: 'not_kept' })
    expect(await ledger.findBytes(2, days(8))).toBe(entry)
  })

  it('deletes what is over behind a receipt that is not in the public log yet, and that receipt once it is', async () => {
    await ledger.appendReceipt(start, 7)
    await ledger.append(start, 7)
    await ledger.append(start, 30)
    await ledger.appendReceipt(start, 7)
    await ledger.append(days(1), 7)
    await ledger.sweepAll(days(7), -1)
    expect(await ledger.positionsAtHand()).toEqual([0, 2, 3, 4])
    for (const position of [0, 3]) expect(await ledger.find(position, days(7))).toEqual({ outcome: 'not_kept' })
    await ledger.sweepAll(days(8), -1)
    expect(await ledger.positionsAtHand()).toEqual([0, 2, 3])
    await ledger.sweepAll(days(8), 3)
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await rangesStored()).toEqual(['2-2'])
  })

  it('deletes a thousand at a time behind such a receipt', async () => {
    await ledger.appendReceipt(start)
    await ledger.inStorage(({ sql }) => {
      sql.exec(`
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        INSERT INTO leaves (position, hash) SELECT i, zeroblob(32) FROM n`)
      sql.exec(
        `INSERT INTO details SELECT position, 'settlement', ?, ?, x'00', NULL FROM leaves WHERE position > 0`,
        start,
        days(7),
      )
    })
    expect(await ledger.sweep(days(8), -1)).toBe(true)
    expect((await ledger.positionsAtHand()).length).toBe(501)
    expect(await ledger.sweep(days(8), -1)).toBe(true)
    expect(await ledger.positionsAtHand()).toEqual([0])
    expect(await ledger.sweep(days(8), -1)).toBe(false)
  })

  it('deletes a sealed object when its last day is over, and not before', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    const endOfDay = (utcDay(days(30)) + 1) * DAY_MS
    await ledger.sweepAll(endOfDay - 1)
    expect((await objectNames()).length).toBe(1)
    await ledger.sweepAll(endOfDay)
    expect(await objectNames()).toEqual([])
    expect(await ledger.exec('SELECT * FROM sealed_details')).toEqual([])
    expect(await ledger.find(0, endOfDay)).toEqual({ outcome: 'not_kept' })
  })

  it('keeps the row of an object that could not be deleted, and deletes it next time', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    ledger.failWith({ delete: () => Promise.reject(new Error('unreachable')) })
    await expect(ledger.sweepAll(days(32))).rejects.toThrow('unreachable')
    expect((await ledger.exec('SELECT * FROM sealed_details')).length).toBe(1)
    ledger.failWith({})
    await ledger.sweepAll(days(32))
    expect(await objectNames()).toEqual([])
    expect(await ledger.exec('SELECT * FROM sealed_details')).toEqual([])
  })

  it('is late for nobody else where the clock was a year ahead for a while', async () => {
    await ledger.append(start)
    for (let n = 0; n < 3; n += 1) await ledger.append(days(365))
    await ledger.append(start)
    await ledger.append(days(1))
    await ledger.sweepAll(days(8))
    expect(await ledger.positionsAtHand()).toEqual([1, 2, 3])
    await ledger.sweepAll(days(365 + 7))
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await ledger.exec('SELECT * FROM detail_runs')).toEqual([])
  })
})

describe('details from before there was an archive', () => {
  it('leave like all others, those behind a clock that was ahead too', async () => {
    await ledger.exec('DROP TRIGGER details_begin_a_run')
    await ledger.exec('DROP TABLE detail_runs')
    for (const at of [start, days(100), start, days(1), days(6)]) await ledger.append(at, 365)
    await ledger.exec('DELETE FROM details WHERE position = 3')
    await ledger.inStorage(({ sql }) => sql.exec(DETAIL_RUNS_SCHEMA).toArray())
    expect(await ledger.exec('SELECT first FROM detail_runs ORDER BY first')).toEqual([{ first: 0 }, { first: 2 }])
    await ledger.append(days(7))
    await ledger.sweepAll(days(8))
    expect(await ledger.positionsAtHand()).toEqual([1, 4, 5])
    expect(await ledger.find(2, days(8))).toMatchObject({ outcome: 'found' })
  })
})

const rangesStored = async (): Promise<string[]> =>
  (await objectNames()).flatMap((name) => /(\d+-\d+)-\w+$/.exec(name)?.[1] ?? []).toSorted()
