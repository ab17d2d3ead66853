// Tests the public log's intake: each receipt once, in its source's order, even if sent twice, late or unordered.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PublicLogFiles } from '../../../src/public-log/public-log-files.store.ts'
import { openPublicIndex, openPublicLog, type SubmittedReceipt } from '../../../src/public-log/public-log.client.ts'
import { parseId } from '../../../src/platform/ids.ts'
import { append, evict, grow, inLog, leafHashes, receiptsAt, storedHead } from './opened-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
const noon = Date.UTC(2091, 2, 15, 12)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const object = () => openPublicLog(env.PUBLIC_LOG, false)
const alarmAt = () => inLog((storage) => storage.getAlarm())
const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => hash.toHex())

function receiptWith(change: Partial<SubmittedReceipt>): SubmittedReceipt[] {
  const [receipt] = receiptsAt([3])
  return receipt === undefined ? [] : [{ ...receipt, ...change }]
}

describe('a batch', () => {
  it('becomes leaves in its order, and says how far the log has it', async () => {
    const receipts = receiptsAt([2, 5, 6, 40])
    expect(await append('a', -1, receipts)).toEqual({ takenTo: 40 })
    expect(hex(await leafHashes())).toEqual(hex(receipts.map(({ leafHash }) => leafHash)))
  })

  it('that comes twice, as after a crash, is taken once', async () => {
    const receipts = receiptsAt([1, 2, 3])
    await append('a', -1, receipts)
    await evict()
    expect(await append('a', -1, receipts)).toEqual({ takenTo: 3 })
    expect((await leafHashes()).length).toBe(3)
  })

  it('that has grown since it came the first time is taken from where it had not been', async () => {
    const receipts = receiptsAt([1, 2, 3, 8])
    await append('a', -1, receipts.slice(0, 2))
    expect(await append('a', -1, receipts)).toEqual({ takenTo: 8 })
    expect(hex(await leafHashes())).toEqual(hex(receipts.map(({ leafHash }) => leafHash)))
  })

  it('that comes after a gap is refused whole, by saying what the log has', async () => {
    await append('a', -1, receiptsAt([1, 2]))
    expect(await append('a', 5, receiptsAt([6, 7]))).toEqual({ takenTo: 2 })
    expect(await append('never seen', 5, receiptsAt([6]))).toEqual({ takenTo: -1 })
    expect((await leafHashes()).length).toBe(2)
  })

  it('that is empty changes nothing', async () => {
    await append('a', -1, receiptsAt([1]))
    expect(await append('a', 1, [])).toEqual({ takenTo: 1 })
    expect(await append('b', -1, [])).toEqual({ takenTo: -1 })
    expect((await leafHashes()).length).toBe(1)
  })

  it.each([
    ['out of order', receiptsAt([3, 2])],
    ['with a receipt twice', receiptsAt([3, 3])],
    ['with an id that is no UUID', receiptWith({ attestationId: 'att_1' })],
    ['with a short hash', receiptWith({ leafHash: new Uint8Array(31) })],
    ['with a position that is no number', receiptsAt([Number.NaN])],
    ['before the one it says it follows', receiptsAt([-1])],
  ])('%s is refused whole', async (_, receipts) => {
    const good = receiptsAt([0, 1, 2])
    await append('a', -1, receiptsAt([0]))
    await runInDurableObject(object(), (log) => {
      expect(() => log.appendReceipts({ source: 'a', after: -1, receipts: [...good, ...receipts] })).toThrow()
    })
    expect((await leafHashes()).length).toBe(1)
  })

  it('of each source is taken for itself, however they are interleaved, repeated and cut', async () => {
    const move = fc.record({
      source: fc.constantFrom('a', 'b', 'c'),
      from: fc.integer({ min: 0, max: 12 }),
      length: fc.integer({ min: 0, max: 8 }),
      isEvicted: fc.boolean(),
    })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
        const name = (source: string): string => `${source} of run ${runs}`
        runs += 1
        const all = new Map(['a', 'b', 'c'].map((source) => [source, receiptsAt([1, 2, 4, 7, 9, 11, 12, 20, 21, 30])]))
        const taken = new Map([...all.keys()].map((source) => [source, 0]))
        const expected: Uint8Array[] = await leafHashes()
        for (const { source, from, length, isEvicted } of moves) {
          const receipts = all.get(source) ?? []
          const before = taken.get(source) ?? 0
          const start = Math.min(from, receipts.length)
          const part = receipts.slice(start, start + length)
          const answer = await append(name(source), receipts[start - 1]?.position ?? -1, part)
          const now = start > before ? before : Math.max(before, start + part.length)
          expected.push(...receipts.slice(before, now).map(({ leafHash }) => leafHash))
          taken.set(source, now)
          expect(answer.takenTo).toBe(receipts[now - 1]?.position ?? -1)
          if (isEvicted) await evict()
        }
        expect(hex(await leafHashes())).toEqual(hex(expected))
      }),
      { numRuns: 25 },
    )
  })
})

describe('the log’s alarm', () => {
  it('goes off five seconds after the first new leaf, however many follow, and serves them all under one head', async () => {
    await grow(1, 'a')
    vi.setSystemTime(noon + 900)
    await grow(1, 'b')
    expect(await alarmAt()).toBe(noon + 5000)
    vi.setSystemTime(noon + 5000)
    await runDurableObjectAlarm(object())
    await runDurableObjectAlarm(object())
    expect((await new PublicLogFiles(env.FILES).readHead())?.head.tree_size).toBe(2)
    expect(await storedHead()).toMatchObject({ tree_size: 2 })
    // For the next checkpoint.
    expect(await alarmAt()).toBe(noon + 50_000)
  })

  it('goes off for leaves that were taken in before an eviction', async () => {
    await grow(1)
    await evict()
    expect(await alarmAt()).toBe(noon + 5000)
  })

  it('goes off sooner while a whole head’s leaves are left, and then as always', async () => {
    await grow(16_400)
    const waits: number[] = []
    for (let head = 0; head < 3; head += 1) {
      await runDurableObjectAlarm(object())
      waits.push(((await alarmAt()) ?? 0) - noon)
    }
    expect(waits).toEqual([1500, 1500, 5000])
  })

  it('is set again, later each time, while the log cannot be served', async () => {
    await grow(1)
    await env.FILES.put('public-log/head.json', 'not JSON')
    const waits: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await runDurableObjectAlarm(object())
      waits.push(((await alarmAt()) ?? 0) - noon)
    }
    expect(waits).toEqual([10_000, 20_000, 30_000, 30_000, 30_000, 30_000, 30_000])
    await env.FILES.delete('public-log/head.json')
    await runDurableObjectAlarm(object())
    expect(await storedHead()).not.toBeNull()
  })
})

describe('what was taken in', () => {
  const [receipt] = receiptsAt([3])

  it.each([
    ['UPDATE batches SET hashes = zeroblob(32)', 'a batch never changes'],
    ['UPDATE batches SET ids = zeroblob(16)', 'a batch never changes'],
    ['INSERT OR REPLACE INTO batches SELECT * FROM batches', 'a batch is appended at the end'],
    ['DELETE FROM batches WHERE first = 0', 'a batch goes once its leaves are in tiles and in the index'],
    ['DELETE FROM batches', 'the newest batch stays'],
  ])('is sealed: %s', async (statement, refusal) => {
    await append('a', -1, receipt === undefined ? [] : [receipt])
    await append('b', -1, statement.includes('first') ? receiptsAt([3]) : [])
    await inLog(({ sql }) => expect(() => sql.exec(statement)).toThrow(refusal))
  })

  it.each([
    ['UPDATE entries SET position = 9', 'an entry never changes'],
    ['DELETE FROM entries', 'an entry is never removed'],
    ['UPDATE entries SET origin = 9', 'an entry never changes'],
    ['UPDATE entries SET origin = NULL', 'an entry never changes'],
    [
      'INSERT OR REPLACE INTO entries (attestation_id, position) SELECT attestation_id, 9 FROM entries',
      'an attestation is in the log once',
    ],
  ])('is sealed in the index: %s', async (statement, refusal) => {
    const attestationId = parseId('', receipt?.attestationId ?? '') ?? new Uint8Array()
    await openPublicIndex(env.PUBLIC_LOG_INDEX, false).insertEntries(0, [{ attestationId, position: 0, origin: 3 }])
    const shard = env.PUBLIC_LOG_INDEX.get(env.PUBLIC_LOG_INDEX.idFromName('shard-0'))
    await runInDurableObject(shard, (_, { storage }) => expect(() => storage.sql.exec(statement)).toThrow(refusal))
  })
})
