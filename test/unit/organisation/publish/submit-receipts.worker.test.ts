// Receipts on their way to the public log: all of them and nothing else, once each, a few seconds late and never in the way.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LogProgressStore } from '../../../../src/organisation/journal/log-progress.store.ts'
import { openPublicLog, type ReceiptBatch, type IntakeProgress } from '../../../../src/public-log/public-log.client.ts'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { ReceiptSubmitter } from '../../../../src/organisation/publish/submit-receipts.ts'
import { foundOrganisation, noon, positionOf, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'

let organisation: ChatOrganisation
let key: ChatKey

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  organisation = await foundOrganisation({ tier: 'pro' })
  key = await organisation.issueKey()
})
afterEach(() => vi.useRealTimers())

const publicLeaves = (): Promise<string[]> =>
  runInDurableObject(openPublicLog(env.PUBLIC_LOG, false), (_, { storage }) =>
    storage.sql
      .exec<{ hashes: ArrayBuffer }>('SELECT hashes FROM batches ORDER BY first')
      .toArray()
      .flatMap(({ hashes }) => new Uint8Array(hashes).toHex().match(/.{64}/g) ?? []),
  )

/** The leaf hashes of the organisation's chat decisions, oldest first. */
const receiptLeaves = async (): Promise<string[]> =>
  (
    await organisation.query<{ hash: ArrayBuffer }>('SELECT hash FROM entries WHERE id IS NOT NULL ORDER BY position')
  ).map(({ hash }) => new Uint8Array(hash).toHex())

const inObject = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)), (_, { storage }) =>
    work(storage),
  )

const cursor = () => inObject(({ sql }) => new LogProgressStore(sql).read())

/** Hands over to this log in the public one's place, in the organisation's own database. */
const submitTo = (appendReceipts: (batch: ReceiptBatch) => Promise<IntakeProgress>): Promise<{ retryAt: number }> =>
  inObject(async (storage) => {
    const submitter = new ReceiptSubmitter({ storage, source: 'a test', openLog: () => ({ appendReceipts }) })
    await submitter.submit()
    return { retryAt: submitter.dueAt(noon) ?? 0 }
  })

describe('receipts', () => {
  it('become leaves of the public log: admitted, blocked and suppressed, in their order', async () => {
    await organisation.set({ enabled_providers: ['openai'] })
    const loop = { loopHash: 'f'.repeat(64) }
    for (let n = 0; n < 6; n += 1) await organisation.admit(key, loop)
    await organisation.admit(key, { provider: 'google', model: 'gemini-3.8-flash' })
    await organisation.runAlarm()
    const expected = await receiptLeaves()
    expect(expected.length).toBe(7)
    expect(await publicLeaves()).toEqual(expected)
  })

  it('go without the ledger’s other entries: settlements, operators’ acts, readings', async () => {
    await organisation.settle(positionOf(await organisation.admit(key)), 0)
    await organisation.service.fetch('/v1/specialties', { headers: { authorization: 'Bearer vk_test_invented' } })
    await organisation.runAlarm()
    const { n } = (await organisation.query<{ n: number }>('SELECT COUNT(*) AS n FROM entries'))[0] ?? { n: 0 }
    expect(n).toBeGreaterThan(1)
    expect((await publicLeaves()).length).toBe(1)
  })

  it('of two organisations are all there, each’s in its own order', async () => {
    const first = organisation
    await first.admit(key)
    await first.admit(key)
    const expected = await receiptLeaves()
    organisation = await foundOrganisation({ tier: 'pro' })
    await organisation.admit(await organisation.issueKey())
    await first.runAlarm()
    await organisation.runAlarm()
    expect(await publicLeaves()).toEqual([...expected, ...(await receiptLeaves())])
  })

  it('are handed over once, though alarms go on and the object is evicted', async () => {
    for (let n = 0; n < 3; n += 1) {
      await organisation.admit(key)
      await organisation.runAlarm()
      await organisation.evict()
    }
    await organisation.set({ tier: 'enterprise' })
    await organisation.runAlarm()
    expect(await publicLeaves()).toEqual(await receiptLeaves())
  })

  it('are handed over once though the cursor was lost after the log had them', async () => {
    await organisation.admit(key)
    await organisation.admit(key)
    await organisation.runAlarm()
    await inObject(({ sql }) => new LogProgressStore(sql).write({ submittedTo: -1, lastReceipt: -1 }))
    await organisation.admit(key)
    await organisation.runAlarm()
    expect(await publicLeaves()).toEqual(await receiptLeaves())
    expect((await receiptLeaves()).length).toBe(3)
  })

  it('that the log has lost are handed over again', async () => {
    for (let n = 0; n < 4; n += 1) await organisation.admit(key)
    const batches: ReceiptBatch[] = []
    const forgets = async (batch: ReceiptBatch): Promise<IntakeProgress> => {
      batches.push(batch)
      const positions = batch.receipts.map(({ position }) => position)
      return Promise.resolve({ takenTo: batch.after > -1 ? -1 : (positions.at(-1) ?? -1) })
    }
    await submitTo(forgets)
    await organisation.admit(key)
    await submitTo(forgets)
    expect(batches.map(({ receipts }) => receipts.length)).toEqual([4, 1, 5])
  })

  it('from before decisions were signed records stay where they are', async () => {
    await inObject((storage) =>
      storage.transactionSync(() => {
        storage.sql.exec(
          `INSERT INTO entries (position, hash, kind, at, expires_at, key_id, outcome, entry)
             SELECT MAX(position) + 1, randomblob(32), 'chat_decision', ${noon}, 9e15, 'key_a', 'BLOCKED', x'83' FROM entries`,
        )
      }),
    )
    await organisation.evict()
    await organisation.admit(key)
    await organisation.runAlarm()
    expect(await publicLeaves()).toEqual(await receiptLeaves())
    expect((await receiptLeaves()).length).toBe(1)
  })

  it('go on, and it is said, where the log has more than was ever handed over', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    await organisation.admit(key)
    await submitTo(() => Promise.resolve({ takenTo: 1000 }))
    expect(said.mock.calls.map(([line]) => JSON.parse(String(line)) as object)).toEqual([
      { level: 'error', event: 'submission_failed', outcome: 'log_is_ahead' },
    ])
    said.mockRestore()
    await organisation.admit(key)
    const handed: number[] = []
    await submitTo(({ receipts }) => {
      handed.push(receipts.length)
      return Promise.resolve({ takenTo: receipts.at(-1)?.position ?? -1 })
    })
    expect(handed).toEqual([1])
  })

  it('are looked for in steps where other entries are many, and none is left out', async () => {
    await inObject((storage) => {
      storage.transactionSync(() => {
        for (let n = 0; n < 1500; n += 1) {
          storage.sql.exec(
            `INSERT INTO entries (position, hash, kind, at, expires_at, settles, microeur, entry)
               SELECT MAX(position) + 1, randomblob(32), 'settlement', ${noon}, 9e15, 0, 0, x'80' FROM entries`,
          )
        }
      })
    })
    await organisation.evict()
    await organisation.admit(key)
    const sizes: number[] = []
    await submitTo((batch) => {
      sizes.push(batch.receipts.length)
      return Promise.resolve({ takenTo: batch.receipts.at(-1)?.position ?? -1 })
    })
    expect(sizes).toEqual([1])
    expect((await cursor()).submittedTo).toBe((await cursor()).lastReceipt)
  })
})

describe('the alarm', () => {
  it('hands a receipt over five seconds after it was written, though others follow and the object is evicted', async () => {
    await organisation.admit(key)
    for (const seconds of [1, 2, 4]) {
      vi.setSystemTime(noon + seconds * 1000)
      await organisation.evict()
      await organisation.admit(key)
      expect(await organisation.alarmAt()).toBe(noon + 5000)
    }
  })

  it('waits half a minute after the last receipts were sent, and after an eviction, which forgets that, five seconds', async () => {
    await organisation.admit(key)
    await organisation.runAlarm()
    vi.setSystemTime(noon + 10_000)
    await organisation.admit(key)
    expect(await organisation.alarmAt()).toBe(noon + 30_000)
    await organisation.runAlarm()
    expect((await publicLeaves()).length).toBe(2)
    vi.setSystemTime(noon + 11_000)
    await organisation.evict()
    await organisation.admit(key)
    expect(await organisation.alarmAt()).toBe(noon + 16_000)
  })

  it('waits half a minute at most where the clock was ahead when the last receipts were sent', async () => {
    vi.setSystemTime(noon + 3_600_000)
    await organisation.admit(key)
    const due = await inObject(async (storage) => {
      const openLog = () => ({
        appendReceipts: ({ receipts }: ReceiptBatch) => Promise.resolve({ takenTo: receipts.at(-1)?.position ?? -1 }),
      })
      const submitter = new ReceiptSubmitter({ storage, source: 'a test', openLog })
      await submitter.submit()
      return submitter.dueAfter(noon)
    })
    expect(due).toBe(noon + 30_000)
  })

  it('is set for a refusal too, which is a receipt', async () => {
    await organisation.set({ enabled_providers: ['google'] })
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'model_not_allowed' })
    expect(await organisation.alarmAt()).toBe(noon + 5000)
  })

  it('is not moved by an operator’s act', async () => {
    await organisation.admit(key)
    vi.setSystemTime(noon + 3000)
    await organisation.set({ monthly_budget_eur: 5 })
    expect(await organisation.alarmAt()).toBe(noon + 5000)
  })
})

describe('entries that are no receipts', () => {
  it('are passed over some at a time, so that the next receipt is never looked for among many', async () => {
    await organisation.admit(key)
    await runInDurableObject(
      env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id)),
      (object: Organisation) => {
        for (let n = 0; n < 2500; n += 1)
          object.log.recordAct({ actor: 'operator', act: 'test', requestId: 'req_test' })
      },
    )
    const handed: number[] = []
    const takes = async ({ receipts }: ReceiptBatch): Promise<IntakeProgress> => {
      handed.push(receipts.length)
      return { takenTo: receipts.at(-1)?.position ?? -1 }
    }
    const lookFrom = (submittedTo: number) =>
      inObject((storage) => {
        new LogProgressStore(storage.sql).write({ submittedTo })
        const submitter = new ReceiptSubmitter({
          storage,
          source: 'a test',
          openLog: () => ({ appendReceipts: takes }),
        })
        return [submitter.oldestWaiting()?.position, submitter.dueAt(noon)]
      })
    expect(await lookFrom(-1)).toEqual([2, noon + 5000])
    expect(await lookFrom(2)).toEqual([1002, noon + 5000])
    expect(await lookFrom(1502)).toEqual([2502, noon + 5000])
    expect(await lookFrom(1503)).toEqual([undefined, null])
    await inObject(({ sql }) => new LogProgressStore(sql).write({ submittedTo: -1 }))
    await submitTo(takes)
    expect(handed).toEqual([1])
    expect(await cursor()).toMatchObject({ submittedTo: 2502, lastReceipt: 2 })
  })
})

describe('a log that does not answer', () => {
  const fails = (): Promise<IntakeProgress> => Promise.reject(new Error('unreachable'))

  it('is asked again, later each time, and loses nothing', async () => {
    await organisation.admit(key)
    await inObject(async (storage) => {
      const submitter = new ReceiptSubmitter({
        storage,
        source: 'a test',
        openLog: () => ({ appendReceipts: fails }),
      })
      const waits: number[] = []
      for (let attempt = 0; attempt < 5; attempt += 1) {
        await submitter.submit()
        waits.push((submitter.dueAt(noon) ?? 0) - noon)
      }
      expect(waits).toEqual([10_000, 20_000, 30_000, 30_000, 30_000])
      expect(submitter.dueAfter(noon)).toBe(noon + 30_000)
    })
    expect((await cursor()).submittedTo).toBe(-1)
    await organisation.runAlarm()
    expect(await publicLeaves()).toEqual(await receiptLeaves())
  })

  it('keeps nothing else from being done: what nobody settled is settled', async () => {
    await organisation.admit(key, { upFrontMicroeur: 9 })
    await runInDurableObject(openPublicLog(env.PUBLIC_LOG, false), (_, { storage }) =>
      storage.sql.exec('DROP TABLE sources'),
    )
    vi.setSystemTime(noon + 15 * 60_000)
    await organisation.runAlarm()
    expect((await organisation.entries()).at(-1)).toMatchObject({ kind: 'settlement', ended: 'interrupted' })
    expect((await cursor()).submittedTo).toBe(-1)
    expect(await organisation.alarmAt()).toBe(noon + 15 * 60_000 + 10_000)
  })

  it('does not hold up calls while it is waited for, and has what they wrote the next time', async () => {
    await organisation.admit(key)
    const meanwhile: string[] = []
    const handed: number[] = []
    const takes = async ({ receipts }: ReceiptBatch): Promise<IntakeProgress> => {
      if (meanwhile.length === 0) meanwhile.push((await organisation.admit(key)).outcome)
      handed.push(receipts.length)
      return { takenTo: receipts.at(-1)?.position ?? -1 }
    }
    await submitTo(takes)
    expect([meanwhile, handed]).toEqual([['admitted'], [1]])
    await submitTo(takes)
    expect(handed).toEqual([1, 1])
    expect((await cursor()).submittedTo).toBe((await cursor()).lastReceipt)
  })
})
