// Whatever breaks off while entries leave, comes late or is undone loses none of them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { putAfter, putThenFail, type BucketMethods } from '../../../support/unit/bucket-with.ts'
import { ALL, objectNames, openArchivedLedger, type ArchivedLedger, type OpenedLedger } from './archived-ledger.ts'

const start = Date.UTC(2091, 2, 15, 12)
const days = (count: number) => start + count * DAY_MS

let ledger: ArchivedLedger
beforeEach(() => {
  ledger = openArchivedLedger()
})

const rowsOfObjects = () => ledger.exec('SELECT first, last, data_key FROM sealed_details ORDER BY first')

/** One step, of what all may leave. */
const stepOn = ({ leaving, archiveLimits }: OpenedLedger, now: number): Promise<boolean> =>
  leaving.step(archiveLimits(ALL, now), now)

describe('what is cut off', () => {
  it('before the object is stored is done again', async () => {
    const { entry } = await ledger.append(start)
    await ledger.completeTile(start)
    ledger.failWith({ put: () => Promise.reject(new Error('unreachable')) })
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('unreachable')
    await ledger.evict()
    expect(await ledger.find(0, days(8))).toMatchObject({ outcome: 'found' })
    expect(await ledger.rowsAtHand()).toEqual({ first: 0, n: 256 })
    ledger.failWith({})
    await ledger.sweepAll(days(9))
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
  })

  it('between the object and the entries’ going is done again under the same name, whatever has come due since', async () => {
    const { entry } = await ledger.append(start)
    const { entry: later } = await ledger.append(days(1))
    await ledger.completeTile(days(1))
    ledger.failWith({ put: putThenFail })
    await expect(ledger.sweepAll(days(7))).rejects.toThrow('cut off')
    const [name, ...rest] = await objectNames()
    expect(rest).toEqual([])
    await ledger.evict()
    expect(await ledger.positionsAtHand()).toEqual([0, 1])
    ledger.failWith({})
    await ledger.sweepAll(days(8))
    expect((await objectNames()).toSorted()).toEqual([name, expect.stringContaining('/1-1-')])
    expect([await ledger.findBytes(0, days(9)), await ledger.findBytes(1, days(9))]).toEqual([entry, later])
    expect(await ledger.exec('SELECT COUNT(*) AS n FROM sealed_details')).toEqual([{ n: 2 }])
  })

  it('by a transaction that fails leaves the entries in the database and the object unread', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.exec(
      `CREATE TRIGGER full BEFORE DELETE ON entries WHEN OLD.position = 0 BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    )
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('the disk is full')
    expect(await ledger.rowsAtHand()).toEqual({ first: 0, n: 256 })
    expect(await rowsOfObjects()).toEqual([{ first: 0, last: 0, data_key: null }])
    await ledger.exec('DROP TRIGGER full')
    await ledger.sweepAll(days(8))
    expect(await ledger.find(0, days(8))).toMatchObject({ outcome: 'found' })
    expect(await rowsOfObjects()).toEqual([{ first: 0, last: 0, data_key: 1 }])
  })

  it('by a plan that cannot be stored leaves nothing planned, and the state as it was', async () => {
    await ledger.append(start, 7)
    await ledger.append(start)
    await ledger.completeTile(start)
    const snapshots = await ledger.exec('SELECT * FROM snapshots')
    await ledger.exec("CREATE TRIGGER full BEFORE INSERT ON sealed_details BEGIN SELECT RAISE(ABORT, 'full'); END")
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('full')
    expect([await ledger.positionsAtHand(), await ledger.rowsAtHand()]).toEqual([[0, 1], { first: 0, n: 256 }])
    expect(await ledger.exec('SELECT * FROM snapshots')).toEqual(snapshots)
    await ledger.exec('DROP TRIGGER full')
    await ledger.sweepAll(days(8))
    expect(await ledger.find(1, days(8))).toMatchObject({ outcome: 'found' })
    expect(await ledger.checkState()).toEqual([])
  })

  it('and stays so until the day is over leaves neither entries nor an object', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    ledger.failWith({ put: putThenFail })
    await expect(ledger.sweepAll(days(7))).rejects.toThrow('cut off')
    ledger.failWith({})
    await ledger.sweepAll(days(31))
    expect(await objectNames()).toEqual([])
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    expect(await ledger.exec('SELECT * FROM sealed_details')).toEqual([])
  })

  it('after one of several objects goes on with the others, and no entry leaves before all are stored', async () => {
    for (const retentionDays of [30, 90, 365]) await ledger.append(start, retentionDays)
    await ledger.completeTile(start)
    let puts = 0
    ledger.failWith({
      put: putAfter(() => {
        if ((puts += 1) === 2) throw new Error('cut off')
      }),
    })
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('cut off')
    expect((await objectNames()).length).toBe(1)
    expect(await ledger.positionsAtHand()).toEqual([0, 1, 2])
    await ledger.sweepAll(days(8))
    expect((await objectNames()).length).toBe(3)
    expect(await ledger.positionsAtHand()).toEqual([])
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
  async function passTimeWhenAsked<T>(
    work: (parts: OpenedLedger) => Promise<T>,
    method: keyof BucketMethods,
  ): Promise<T> {
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const waits = (): Promise<never> => {
      isAsked()
      return never()
    }
    ledger.failWith({ [method]: waits })
    return ledger.inLedger(async (parts) => {
      const done = work(parts)
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
    await ledger.completeTile(start)
    // Tiles are stored, and nothing has left yet.
    await ledger.sweepAll(method === 'delete' ? days(8) : start)
    const sweep = (parts: OpenedLedger) => stepOn(parts, days(day)).then(String, String)
    expect(await passTimeWhenAsked(sweep, method)).toContain('TimeLimitError')
    expect((await ledger.exec('SELECT * FROM sealed_details')).length).toBe(1)
    ledger.failWith({})
    await ledger.sweepAll(days(32))
    expect(await objectNames()).toEqual([])
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
  })

  it('is waited for no longer when an entry is looked for', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    const found = await passTimeWhenAsked(({ archive }) => archive.findEntry(0, days(9)), 'get')
    expect(found).toEqual({ outcome: 'unreadable', cause: 'storage_failed' })
  })
})

describe('two steps at a time', () => {
  it('do not put less in the place of what one of them has stored', async () => {
    const { entry } = await ledger.append(start)
    await ledger.append(start, 90)
    await ledger.completeTile(start)
    let puts = 0
    let other: Promise<boolean> | undefined
    ledger.failWith({
      put: putAfter(async () => {
        // Before the first object is stored, another step comes and stores both.
        if ((puts += 1) === 1) await other
      }),
    })
    await ledger.sweepAll(start)
    const late = await ledger.inLedger((parts) => {
      const first = stepOn(parts, days(8)).then(String, String)
      other = stepOn(parts, days(8))
      return first
    })
    expect(late).toContain('not the entries that were planned')
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.find(1, days(9))).toMatchObject({ outcome: 'found', position: 1 })
  })

  it('take nothing out that only the other one has planned', async () => {
    const long = { n: 'x'.repeat(700_000) }
    for (let n = 0; n < 2; n += 1) await ledger.append(start, 30, long)
    await ledger.completeTile(start)
    await ledger.sweepAll(start)
    let puts = 0
    let quicker: Promise<unknown> | undefined
    ledger.failWith({
      put: putAfter(async () => {
        const put = (puts += 1)
        if (put === 1) await quicker
        // The quicker one has begun with the second batch, and gets no further.
        if (put === 3) throw new Error('cut off')
      }),
    })
    await ledger.inLedger(async (parts) => {
      const slow = stepOn(parts, days(8)).then(String, String)
      quicker = stepOn(parts, days(8)).then(() => stepOn(parts, days(8)).then(String, String))
      await quicker
      await slow
    })
    expect(puts).toBe(3)
    expect(await ledger.find(1, days(8))).toMatchObject({ outcome: 'found' })
    ledger.failWith({})
    await ledger.sweepAll(days(8))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    for (const position of [0, 1]) expect(await ledger.find(position, days(8))).toMatchObject({ outcome: 'found' })
  })
})

describe('entries that are archived', () => {
  const long = { text: 'x'.repeat(700_000) }

  it('stay in the database until their object is stored, and are read once meanwhile and afterwards', async () => {
    const entries = [await ledger.append(start, 30, long), await ledger.append(start, 30, long)]
    await ledger.completeTile(start)
    await ledger.append(days(8))
    expect(await ledger.sweep(days(8))).toBe(true)
    expect(await rowsOfObjects()).toEqual([{ first: 0, last: 0, data_key: 1 }])
    expect(await ledger.rowsAtHand()).toEqual({ first: 1, n: 256 })
    const pages = async () =>
      (await ledger.readAll(days(8))).flatMap((page) => page.entries.map(({ position }) => position))
    expect(await pages()).toEqual([0, 1, 256])
    ledger.failWith({ put: () => Promise.reject(new Error('cut off')) })
    await expect(ledger.sweepAll(days(8))).rejects.toThrow('cut off')
    await ledger.evict()
    expect(await ledger.rowsAtHand()).toEqual({ first: 1, n: 256 })
    expect(await pages()).toEqual([0, 1, 256])
    ledger.failWith({})
    await ledger.sweepAll(days(8))
    expect(await ledger.rowsAtHand()).toEqual({ first: 256, n: 1 })
    expect(await pages()).toEqual([0, 1, 256])
    for (const { position, entry } of entries) expect(await ledger.findBytes(position, days(8))).toBe(entry)
  })

  it('stay while their tile is not complete', async () => {
    await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.append(start)
    await ledger.sweepAll(days(8))
    expect(await ledger.rowsAtHand()).toEqual({ first: 256, n: 1 })
    await ledger.completeTile(start)
    await ledger.sweepAll(days(8))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
  })

  it('are deleted once they have expired also while R2 takes nothing, and none that is to be sealed', async () => {
    await ledger.append(start, 7)
    await ledger.append(start, 8)
    await ledger.append(start, 30)
    await ledger.completeTile(start)
    ledger.failWith({ put: () => Promise.reject(new Error('cut off')) })
    await expect(ledger.sweepAll(days(7))).rejects.toThrow('cut off')
    expect(await ledger.positionsAtHand()).toEqual([1, 2])
    // Its day is over, and so is that of the object that it was to be sealed in.
    await expect(ledger.sweepAll(days(9))).rejects.toThrow('cut off')
    expect(await ledger.positionsAtHand()).toEqual([2])
    expect(await ledger.findBytes(1, days(7))).toBeNull()
    ledger.failWith({})
    await ledger.sweepAll(days(9))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    expect(await ledger.find(2, days(9))).toMatchObject({ outcome: 'found' })
  })

  it('are not sealed where all have expired', async () => {
    for (let n = 0; n < 20; n += 1) await ledger.append(start, 7)
    await ledger.completeTile(start)
    await ledger.sweepAll(days(7))
    expect(await ledger.rowsAtHand()).toEqual({ first: null, n: 0 })
    expect(await ledger.exec('SELECT * FROM sealed_details')).toEqual([])
  })

  it('are told as unreadable where their object is gone', async () => {
    for (let n = 0; n < 40; n += 1) await ledger.append(start, 30, { padding: 'x'.repeat(60_000) })
    await ledger.completeTile(start)
    await ledger.append(days(8))
    await ledger.sweepAll(days(8))
    expect(await ledger.positionsAtHand()).toEqual([256])
    ledger.failWith({ get: () => Promise.resolve(null) })
    const pages = await ledger.readAll(days(8))
    expect(pages.reduce((sum, { unreadable }) => sum + unreadable, 0)).toBe(40)
  })
})

describe('a database that was taken back to before its data key', () => {
  it('makes another of the same number, and what the first has sealed can be read again once that is undone', async () => {
    const { entry } = await ledger.append(start)
    await ledger.completeTile(start)
    await ledger.sweepAll(start)
    const before = await copyTables()
    await ledger.sweepAll(days(8))
    const after = await copyTables()
    await restore(before)
    await ledger.sweepAll(days(8))
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
    expect(await ledger.exec('SELECT number FROM data_keys')).toEqual([{ number: 1 }])
    await restore(after)
    expect(await ledger.findBytes(0, days(9))).toBe(entry)
  })

  const TABLES = ['entries', 'data_keys', 'sealed_details', 'progress', 'snapshots'] as const
  type Copy = Record<(typeof TABLES)[number], Record<string, SqlStorageValue>[]>

  const copyTables = (): Promise<Copy> =>
    ledger.inStorage(
      ({ sql }) =>
        Object.fromEntries(TABLES.map((table) => [table, sql.exec(`SELECT * FROM ${table}`).toArray()])) as Copy,
    )

  /** As the platform does it, which asks no trigger. */
  const restore = (copy: Copy): Promise<void> =>
    ledger.inStorage(({ sql }) => {
      const triggers = sql.exec<{ name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
      )
      const stopped = triggers.toArray()
      for (const { name } of stopped) sql.exec(`DROP TRIGGER ${name}`)
      for (const table of TABLES) {
        sql.exec(`DELETE FROM ${table}`)
        for (const row of copy[table]) {
          const values = Object.values(row)
          sql.exec(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, ...values)
        }
      }
      for (const { sql: made } of stopped) sql.exec(made)
    })
})
