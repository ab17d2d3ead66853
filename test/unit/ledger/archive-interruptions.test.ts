// Whatever breaks off while details are put away, comes late or is undone loses none of them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Archive } from '../../../src/ledger/archive.ts'
import { DAY_MS, utcDay } from '../../../src/platform/clock.ts'
import { putAfter, putThenFail, type BucketMethods } from '../../support/unit/bucket-with.ts'
import { objectNames, openArchivedLedger, type ArchivedLedger } from './archived-ledger.ts'

const start = Date.UTC(2091, 2, 15, 12)
const days = (count: number) => start + count * DAY_MS

let ledger: ArchivedLedger
beforeEach(() => {
  ledger = openArchivedLedger()
})

describe('what is cut off', () => {
  it('before the object is stored is done again', async () => {
    const { entry } = await ledger.append(start)
    ledger.failWith({ put: () => Promise.reject(new Error('unreachable')) })
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('unreachable')
    await ledger.evict()
    expect(await ledger.find(0, days(8))).toMatchObject({ outcome: 'found' })
    expect(await ledger.positionsAtHand()).toEqual([0])
    ledger.failWith({})
    await ledger.sweepAll(days(9))
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.positionsAtHand()).toEqual([])
  })

  it('between the object and the details’ going is done again under the same name, whatever has come due since', async () => {
    const { entry } = await ledger.append(start)
    await ledger.append(days(1))
    ledger.failWith({ put: putThenFail })
    await expect(ledger.sweepAll(days(7))).rejects.toThrow('cut off')
    const [name, ...rest] = await objectNames()
    expect(rest).toEqual([])
    await ledger.evict()
    expect(await ledger.positionsAtHand()).toEqual([0, 1])
    ledger.failWith({})
    await ledger.sweepAll(days(8))
    expect((await objectNames()).toSorted()).toEqual([name, expect.stringContaining('/1-1-')])
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.exec('SELECT COUNT(*) AS n FROM sealed_details')).toEqual([{ n: 2 }])
  })

  it('by a transaction that fails leaves the details in the database and the object unread', async () => {
    await ledger.append(start)
    await ledger.exec("CREATE TRIGGER full BEFORE DELETE ON details BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('the disk is full')
    expect(await ledger.positionsAtHand()).toEqual([0])
    expect(await ledger.exec('SELECT data_key FROM sealed_details')).toEqual([{ data_key: null }])
    await ledger.exec('DROP TRIGGER full')
    await ledger.sweepAll(days(8))
    expect(await ledger.find(0, days(8))).toMatchObject({ outcome: 'found' })
  })

  it('and stays so until the day is over leaves neither details nor an object', async () => {
    await ledger.append(start)
    ledger.failWith({ put: putThenFail })
    await expect(ledger.sweepAll(days(7))).rejects.toThrow('cut off')
    ledger.failWith({})
    await ledger.sweepAll(days(31))
    expect(await objectNames()).toEqual([])
    expect(await ledger.positionsAtHand()).toEqual([])
    expect(await ledger.exec('SELECT * FROM sealed_details')).toEqual([])
  })

  it('after one of several objects goes on with the others', async () => {
    for (const retentionDays of [30, 90, 365]) await ledger.append(start, retentionDays)
    let puts = 0
    ledger.failWith({
      put: putAfter(() => {
        if ((puts += 1) === 2) throw new Error('cut off')
      }),
    })
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('cut off')
    expect((await objectNames()).length).toBe(1)
    expect((await ledger.positionsAtHand()).length).toBe(2)
    await ledger.sweepAll(days(8))
    expect((await objectNames()).length).toBe(3)
    for (const position of [0, 1, 2]) {
      expect(await ledger.find(position, days(9))).toMatchObject({ outcome: 'found' })
    }
  })
})

describe('a bucket that does not answer', () => {
  const never = () => new Promise<never>(() => undefined)
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => vi.useRealTimers())

  /** Half a minute passes once the bucket has been asked. */
  async function passTimeWhenAsked<T>(work: (archive: Archive) => Promise<T>, method: keyof BucketMethods): Promise<T> {
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const waits = (): Promise<never> => {
      isAsked()
      return never()
    }
    ledger.failWith({ [method]: waits })
    return ledger.inArchive(async (archive) => {
      const done = work(archive)
      await asked
      vi.advanceTimersByTime(30_000)
      return done
    })
  }

  it.each([
    ['put', 8],
    ['delete', 32],
  ] as const)('is waited for no longer than half a minute, and asked again: %s', async (method, day) => {
    await ledger.append(start)
    if (method === 'delete') await ledger.sweepAll(days(8))
    const sweep = (archive: Archive) => archive.sweep(Number.MAX_SAFE_INTEGER, days(day)).catch(String)
    expect(await passTimeWhenAsked(sweep, method)).toContain('TimeLimitError')
    expect((await ledger.exec('SELECT * FROM sealed_details')).length).toBe(1)
    ledger.failWith({})
    await ledger.sweepAll(days(32))
    expect(await objectNames()).toEqual([])
    expect(await ledger.positionsAtHand()).toEqual([])
  })

  it('is waited for no longer when an entry is looked for', async () => {
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    const found = await passTimeWhenAsked((archive) => archive.findEntry(0, days(9)), 'get')
    expect(found).toEqual({ outcome: 'unreadable', cause: 'storage_failed' })
  })
})

describe('two steps at a time', () => {
  it('do not put less in the place of what one of them has stored', async () => {
    const { entry } = await ledger.append(start)
    await ledger.append(start, 90)
    let puts = 0
    let other: Promise<boolean> | undefined
    ledger.failWith({
      put: putAfter(async () => {
        // Before the first object is stored, another step comes and stores both.
        if ((puts += 1) === 1) await other
      }),
    })
    const late = await ledger.inArchive((archive) => {
      const first = archive.sweep(Number.MAX_SAFE_INTEGER, days(8)).catch(String)
      other = archive.sweep(Number.MAX_SAFE_INTEGER, days(8))
      return first
    })
    expect(late).toContain('not the details that were planned')
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.find(1, days(9))).toMatchObject({ outcome: 'found', position: 1 })
  })
})

describe('a database that was taken back to before its data key', () => {
  it('makes another of the same number, and what the first has sealed can be read again once that is undone', async () => {
    const { entry } = await ledger.append(start)
    const details = await ledger.exec('SELECT * FROM details')
    await ledger.sweepAll(days(8))
    const [keys, objects] = [
      await ledger.exec('SELECT * FROM data_keys'),
      await ledger.exec('SELECT * FROM sealed_details'),
    ]
    await restore({ details, data_keys: [], sealed_details: [] })
    await ledger.sweepAll(days(8))
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.exec('SELECT number FROM data_keys')).toEqual([{ number: 1 }])
    await restore({ details: [], data_keys: keys, sealed_details: objects })
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
  })

  async function restore(tables: Record<string, Record<string, SqlStorageValue>[]>): Promise<void> {
    await ledger.inStorage(({ sql }) => {
      for (const [table, rows] of Object.entries(tables)) {
        sql.exec(`DELETE FROM ${table}`)
        for (const row of rows) {
          const values = Object.values(row)
          sql.exec(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, ...values)
        }
      }
    })
  }
})

describe('objects from before their names had a key in them', () => {
  it('are finished, read and deleted under their names', async () => {
    const { entry } = await ledger.append(start)
    ledger.failWith({ put: () => Promise.reject(new Error('unreachable')) })
    await expect(ledger.sweep(days(8))).rejects.toThrow('unreachable')
    await ledger.exec('UPDATE sealed_details SET key_fingerprint = NULL')
    ledger.failWith({})
    await ledger.sweepAll(days(8))
    expect(await objectNames()).toEqual([`ledger/${await ledger.ledgerId()}/${utcDay(days(30))}/0-0`])
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    await ledger.sweepAll(days(32))
    expect(await objectNames()).toEqual([])
  })
})
