// Entries older than a week are sealed away once their tile is stored, can be read back until their retention is over, and are then gone.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../../../src/platform/time.ts'
import { objectNames, openArchivedLedger, readObject, type ArchivedLedger } from './archived-ledger.ts'

const start = Date.UTC(2091, 2, 15, 12)
const days = (count: number) => start + count * DAY_MS

let ledger: ArchivedLedger
beforeEach(() => {
  ledger = openArchivedLedger()
})

describe('a settlement', () => {
  it('is found after its decision, and is not said to be none where there is more than is searched', async () => {
    const { position: near } = await ledger.append(start, 8)
    await ledger.appendSettlement(start, near, 9)
    const { position: far } = await ledger.append(start, 8)
    for (let retentionDays = 10; retentionDays < 80; retentionDays += 1) await ledger.append(start, retentionDays)
    await ledger.appendSettlement(start, far, 90)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(7))
    const find = (settles: number) => ledger.inArchive((archive) => archive.findSettlement(settles, days(7)))
    expect(await find(near)).toEqual({ outcome: 'found', position: near + 1 })
    expect(await find(far)).toEqual({ outcome: 'unreadable', cause: 'far' })
    expect(await find(far + 70)).toEqual({ outcome: 'not_found' })
  })
})

describe('moving', () => {
  it('takes entries that are seven days old out of the database and leaves younger ones', async () => {
    await ledger.append(start)
    await ledger.append(start + 1)
    await ledger.completeTile(start + 1)
    await ledger.sweepAll(days(7) - 1)
    expect(await ledger.positionsAtHand()).toEqual([0, 1])
    expect(await objectNames()).toEqual([])
    await ledger.sweepAll(days(7))
    expect(await ledger.positionsAtHand()).toEqual([1])
    expect(await ledger.rowsAtHand()).toEqual({ first: 1, n: 255 })
    const range = `ledger/${await ledger.ledgerId()}/${utcDay(days(30))}/0-0`
    expect(await objectNames()).toEqual([`${range}-${await ledger.keyFingerprint()}`])
  })

  it('puts what ends on one day into one object, also where others lie between', async () => {
    for (const retentionDays of [90, 30, 90, 30, 365, 90]) await ledger.append(start, retentionDays)
    await ledger.completeTile(start)
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

  it('waits for the tile: what is in none that is stored stays in the database, and is found there', async () => {
    for (let n = 0; n < 3; n += 1) await ledger.append(start)
    await ledger.sweepAll(days(8))
    expect([await ledger.positionsAtHand(), await objectNames()]).toEqual([[0, 1, 2], []])
    await ledger.completeTile(days(1))
    const { position, entry } = await ledger.append(days(1))
    await ledger.sweepAll(days(9))
    expect(await ledger.positionsAtHand()).toEqual([position])
    expect(await ledger.rowsAtHand()).toEqual({ first: 256, n: 1 })
    expect(await ledger.findBytes(position, days(9))).toBe(entry)
    for (const sealed of [0, 1, 2]) expect(await ledger.find(sealed, days(9))).toMatchObject({ outcome: 'found' })
  })

  it('takes a thousand at a time', async () => {
    await ledger.exec(entriesFrom(0, 1500, days(30)))
    await ledger.completeTile(start)
    expect(await ledger.sweep(days(8))).toBe(true)
    expect((await ledger.positionsAtHand()).length).toBe(501)
    expect(await ledger.sweep(days(8))).toBe(true)
    expect(await ledger.sweep(days(8))).toBe(false)
    expect(await rangesStored()).toEqual(['0-999', '1000-1500'])
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    expect((await ledger.append(days(9))).position).toBe(1536)
  })

  it('holds no more than a mebibyte of entries in memory, but takes a larger one by itself', async () => {
    const long = { n: 'x'.repeat(400_000) }
    for (let n = 0; n < 4; n += 1) await ledger.append(start, 30, long)
    await ledger.append(start, 30, { n: 'x'.repeat(1_100_000) })
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    expect(await rangesStored()).toEqual(['0-1', '2-3', '4-4'])
    expect(await ledger.find(4, days(8))).toMatchObject({ outcome: 'found' })
  })

  it('leaves a receipt that is not in the public log yet, and what comes after it', async () => {
    await ledger.append(start)
    await ledger.appendReceipt(start, 7)
    await ledger.appendReceipt(start)
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8), -1)
    // The first of the receipts is over: its content is gone, and its leaf stays until the public log has it.
    expect([await ledger.positionsAtHand(), await ledger.rowsAtHand()]).toEqual([[2, 3], { first: 1, n: 255 }])
    await ledger.sweepAll(days(8), 1)
    expect([await ledger.positionsAtHand(), await ledger.rowsAtHand()]).toEqual([[2, 3], { first: 2, n: 254 }])
    await ledger.sweepAll(days(8), 2)
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
  })

  it('leaves what lies between receipts that are not in the public log yet, and none of those is sealed', async () => {
    await ledger.appendReceipt(start)
    await ledger.append(start, 30)
    await ledger.appendReceipt(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8), -1)
    expect(await ledger.positionsAtHand()).toEqual([0, 1, 2])
    expect(await objectNames()).toEqual([])
  })

  it('waits for no public log where there are no receipts', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8), -1)
    expect(await ledger.positionsAtHand()).toEqual([])
  })

  it('seals under a key of the organisation’s own: nothing of an entry can be read in the object', async () => {
    await ledger.append(start, 30, { mark: 'quicksilver' })
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    const [name = ''] = await objectNames()
    expect(new TextDecoder('latin1').decode(await readObject(name))).not.toContain('quicksilver')
    expect(await ledger.exec('SELECT number, length(key) AS bytes FROM data_keys')).toEqual([{ number: 1, bytes: 32 }])
    const other = openArchivedLedger()
    await other.append(start)
    await other.completeTile(start)
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
    await ledger.completeTile(start)
    await ledger.sweepAll(days(7))
    expect(await ledger.positionsAtHand()).toEqual([])
    const after = [await ledger.find(0, days(7)), await ledger.find(1, days(7))]
    expect(after).toEqual(before)
    expect(after[1]).toMatchObject({
      outcome: 'found',
      kind: 'chat_decision',
      at: start,
      facts: '{"key_id":"key_of_a_test","provider":"openai","reason":null,"reserve_microeur":0,"use_case":null}',
    })
  })

  it('answers nothing once the retention is over, before the object goes', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    expect(await ledger.find(0, days(30) - 1)).toMatchObject({ outcome: 'found' })
    expect(await ledger.find(0, days(30))).toEqual({ outcome: 'not_kept' })
    expect((await objectNames()).length).toBe(1)
  })

  it('answers nothing for an entry at hand whose retention is over', async () => {
    await ledger.append(start)
    expect(await ledger.find(0, days(30))).toEqual({ outcome: 'not_kept' })
  })

  it.each([-1, 1, 9_999])('answers nothing for position %i, which has no entry', async (position) => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    expect(await ledger.find(position, days(8))).toEqual({ outcome: 'not_kept' })
  })

  it('says so when the data key has been destroyed, also when there is a new one', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    await ledger.exec('UPDATE data_keys SET key = NULL')
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'key_destroyed' })
    const { position } = await ledger.append(days(1))
    await ledger.completeTile(days(1))
    await ledger.sweepAll(days(9))
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'key_destroyed' })
    expect(await ledger.find(position, days(9))).toMatchObject({ outcome: 'found' })
  })

  it('says so when the object was changed', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
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
    await ledger.completeTile(start)
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
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    await env.FILES.delete(await objectNames())
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_missing' })
  })

  it('says so when the bucket cannot be reached', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    ledger.failWith({ get: () => Promise.reject(new Error('unreachable')) })
    expect(await ledger.find(0, days(9))).toEqual({ outcome: 'unreadable', cause: 'storage_failed' })
  })

  it('refuses an entry that is not what its leaf is the hash of', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.exec('DROP TRIGGER entries_never_change')
    await ledger.exec("UPDATE entries SET entry = x'82' WHERE position = 0")
    expect(await ledger.find(0, start)).toEqual({ outcome: 'unreadable', cause: 'leaf_differs' })
    await ledger.sweepAll(days(8))
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await ledger.find(0, days(8))).toEqual({ outcome: 'unreadable', cause: 'leaf_differs' })
  })

  it('reads an entry whose object another one overlaps that is damaged', async () => {
    for (const retentionDays of [30, 90, 30]) await ledger.append(start, retentionDays)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    const around = (await objectNames()).find((name) => name.includes('/0-2-')) ?? ''
    await env.FILES.put(around, new Uint8Array(40))
    expect(await ledger.find(1, days(9))).toMatchObject({ outcome: 'found' })
    expect(await ledger.find(2, days(9))).toEqual({ outcome: 'unreadable', cause: 'object_damaged' })
  })
})

describe('expiry', () => {
  it('deletes entries whose retention is over without sealing them first', async () => {
    await ledger.append(start, 7)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(7))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    expect(await objectNames()).toEqual([])
    expect(await ledger.exec('SELECT * FROM data_keys')).toEqual([])
  })

  it('does not wait for the tile: what is over loses its content and keeps its leaf', async () => {
    await ledger.append(start, 7)
    const { entry } = await ledger.append(start, 8)
    await ledger.sweepAll(days(7))
    expect([await ledger.positionsAtHand(), await ledger.rowsAtHand()]).toEqual([[1], { first: 0, n: 2 }])
    expect(await ledger.exec('SELECT facts FROM entries WHERE position = 0')).toEqual([{ facts: null }])
    expect(await ledger.findBytes(1, days(7))).toBe(entry)
    expect((await ledger.prove(0)).leaf_index).toBe(0)
    expect(await ledger.checkState()).toEqual([])
  })

  it('seals nothing that ends earlier than what it is sealed with, and is over', async () => {
    // The clock was ahead for a while: what came after it ends before it, on the same day.
    const [first, over, last] = [start + 3000, start, start + 5000]
    for (const at of [first, over, last]) await ledger.append(at, 8)
    await ledger.completeTile(last)
    await ledger.sweepAll(days(8) + 1000)
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await ledger.exec('SELECT first, last, rows FROM sealed_details')).toEqual([{ first: 0, last: 2, rows: 2 }])
    for (const position of [0, 2])
      expect(await ledger.find(position, days(8) + 1000)).toMatchObject({ outcome: 'found' })
    expect(await ledger.find(1, days(8) + 1000)).toEqual({ outcome: 'not_kept' })
  })

  it('keeps what has a moment left, and deletes it then', async () => {
    await ledger.append(start, 8)
    await ledger.append(start, 8)
    const { entry } = await ledger.append(start + 1, 8)
    await ledger.completeTile(start + 1)
    await ledger.sweepAll(days(8) - 1)
    for (const position of [0, 1, 2]) {
      expect(await ledger.find(position, days(8) - 1)).toMatchObject({ outcome: 'found' })
    }
    await ledger.sweepAll(days(8))
    expect(await ledger.find(1, days(8))).toEqual({ outcome: 'not_kept' })
    expect(await ledger.findBytes(2, days(8))).toBe(entry)
  })

  it('empties what is over behind a receipt that is not in the public log yet, that receipt too', async () => {
    await ledger.appendReceipt(start, 7)
    await ledger.append(start, 7)
    await ledger.append(start, 30)
    await ledger.appendReceipt(start, 7)
    await ledger.append(days(1), 7)
    await ledger.completeTile(days(1))
    await ledger.sweepAll(days(7), -1)
    expect(await ledger.positionsAtHand()).toEqual([2, 4])
    for (const position of [0, 3]) expect(await ledger.find(position, days(7))).toEqual({ outcome: 'not_kept' })
    await ledger.sweepAll(days(8), -1)
    expect([await ledger.positionsAtHand(), await ledger.rowsAtHand()]).toEqual([[2], { first: 0, n: 256 }])
    await ledger.sweepAll(days(8), 3)
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    expect(await rangesStored()).toEqual(['2-2'])
  })

  it('empties a thousand at a time behind such a receipt', async () => {
    await ledger.appendReceipt(start)
    await ledger.exec(entriesFrom(1, 1500, days(7)))
    expect(await ledger.sweep(days(8), -1)).toBe(true)
    expect((await ledger.positionsAtHand()).length).toBe(501)
    expect(await ledger.sweep(days(8), -1)).toBe(true)
    expect(await ledger.positionsAtHand()).toEqual([0])
    expect(await ledger.sweep(days(8), -1)).toBe(false)
    expect(await ledger.rowsAtHand()).toEqual({ first: 0, n: 1501 })
  })

  it('looks through all that is a week old, some of it at a time, and works out no more than a part of it in one step', async () => {
    await ledger.appendReceipt(start, 30)
    await ledger.exec(entriesFrom(1, 20_500, days(30)))
    await ledger.exec(entriesFrom(20_501, 25_000, days(7)))
    const { snapshots, steps } = await ledger.inLedger(async ({ storage: { sql }, leaving, archiveLimits }) => {
      const retired = (): number =>
        sql.exec<{ before: number }>("SELECT before FROM snapshots WHERE name = 'oldest'").toArray()[0]?.before ?? 0
      const places = [retired()]
      for (let step = 1; ; step += 1) {
        if (!(await leaving.step(archiveLimits(-1, days(8)), days(8)))) return { snapshots: places, steps: step }
        places.push(retired())
      }
    })
    const moved = snapshots.slice(1).map((place, at) => place - (snapshots[at] ?? 0))
    expect(Math.max(...moved)).toBeLessThanOrEqual(2000)
    expect(snapshots.at(-1)).toBe(25_001)
    expect(steps).toBeLessThan(25)
    expect((await ledger.positionsAtHand()).length).toBe(20_501)
  })

  it('deletes a sealed object when its last day is over, and not before', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
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
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    ledger.failWith({ delete: () => Promise.reject(new Error('unreachable')) })
    await expect(ledger.sweepAll(days(32))).rejects.toThrow('unreachable')
    expect((await ledger.exec('SELECT * FROM sealed_details')).length).toBe(1)
    ledger.failWith({})
    await ledger.sweepAll(days(32))
    expect(await objectNames()).toEqual([])
    expect(await ledger.exec('SELECT * FROM sealed_details')).toEqual([])
  })

  it('is late for nobody where the clock was a year ahead for a while', async () => {
    await ledger.append(start)
    for (let n = 0; n < 3; n += 1) await ledger.append(days(365))
    await ledger.append(start)
    await ledger.append(days(1))
    await ledger.completeTile(days(1))
    await ledger.sweepAll(days(7))
    expect(await ledger.positionsAtHand()).toEqual([5])
    await ledger.sweepAll(days(8))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    for (const position of [1, 2, 3]) {
      expect(await ledger.find(position, days(365 + 29))).toMatchObject({ outcome: 'found' })
    }
  })

  it('waits where the newest entries alone are of a clock that was ahead', async () => {
    await ledger.append(start)
    await ledger.append(days(365))
    await ledger.completeTile(days(365))
    await ledger.sweepAll(days(8))
    expect([await ledger.positionsAtHand(), await ledger.rowsAtHand()]).toEqual([[1], { first: 1, n: 255 }])
    await ledger.sweepAll(days(365 + 7))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
  })
})

/** Entries of one byte each at positions that are named, written at the start. */
const entriesFrom = (first: number, last: number, expiresAt: number): string => `
  WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})
  INSERT INTO entries (position, hash, kind, at, expires_at, entry)
  SELECT i, zeroblob(32), 'operator_act', ${start}, ${expiresAt}, x'00' FROM n`

const rangesStored = async (): Promise<string[]> =>
  (await objectNames()).flatMap((name) => /(\d+-\d+)-\w+$/.exec(name)?.[1] ?? []).toSorted()
