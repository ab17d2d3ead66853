// An organisation whose object is from before its present tables: it goes on from what it has counted, reserved, spent and seen.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts'
import { hashOf, noon } from './chat-organisation.ts'
import { foundOlder, objectOf, wake } from './older-object.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

describe('an older organisation', () => {
  it('at its rate limit stays refused, until its minute is over', async () => {
    const { organisation, key } = await foundOlder(
      (worker, { key: { id } }) => {
        for (let n = 0; n < 3; n += 1)
          for (const subject of ['organisation', id]) worker.count(subject, noon - 30_000 + n)
      },
      { requests_per_minute: 3 },
    )
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'rate_limit_exceeded', retryAt: noon + 30_000 })
    vi.setSystemTime(noon + 29_999)
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
    vi.setSystemTime(noon + 30_000)
    expect((await organisation.admit(key)).outcome).toBe('admitted')
    expect((await organisation.admit(key)).outcome).toBe('rate_limit_exceeded')
  })

  it('goes on in its month, settles what it had admitted once, and holds its budget to the micro-euro', async () => {
    const open: number[] = []
    const older = await foundOlder(
      (worker) => {
        worker.spend(noon, 10, 500_000)
        open.push(worker.decide(noon - 1000, { open: true, microeur: 90 }).position)
      },
      { monthly_budget_eur: 1 },
    )
    const { organisation, key } = older
    const month = async () => (await objectOf(organisation).readUsage()).months[0]
    expect(await month()).toMatchObject({ requests: 11, spentMicroeur: 500_000, reservedMicroeur: 90 })
    const [position = -1] = open
    expect((await organisation.settle(position, 40)).outcome).toBe('settled')
    expect(await organisation.settle(position, 40)).toEqual({ outcome: 'not_open' })
    expect(await month()).toMatchObject({ requests: 11, spentMicroeur: 500_040, reservedMicroeur: 0 })
    expect(await organisation.admit(key, { upFrontMicroeur: 499_961 })).toMatchObject({
      outcome: 'quota_exceeded',
      reason: 'budget',
    })
    expect((await organisation.admit(key, { upFrontMicroeur: 499_960 })).outcome).toBe('admitted')
    expect((await objectOf(organisation).checkState()).differences).toEqual([])
  })

  it('has what it had open settled as interrupted, a quarter of an hour after it was admitted', async () => {
    const { organisation } = await foundOlder((worker) => {
      worker.decide(noon - 14 * MINUTE_MS, { open: true, microeur: 90 })
    })
    await objectOf(organisation).recordAct({ actor: 'operator', act: 'keys.list', requestId: 'req_1' })
    await organisation.runAlarm()
    expect((await objectOf(organisation).readUsage()).months[0]).toMatchObject({
      spentMicroeur: 0,
      reservedMicroeur: 90,
    })
    vi.setSystemTime(noon + MINUTE_MS)
    await organisation.runAlarm()
    expect((await objectOf(organisation).readUsage()).months[0]).toMatchObject({
      spentMicroeur: 90,
      reservedMicroeur: 0,
    })
    expect((await organisation.entries()).at(-1)).toMatchObject({ settles: 0, ended: 'interrupted' })
  })

  it('stays in the loop that it was in', async () => {
    const loopHash = hashOf('again and again')
    const { organisation, key } = await foundOlder((worker, { key: { id } }) => {
      worker.count(id, noon - 1000)
      worker.see(
        id,
        loopHash.slice(0, 32),
        [4, 3, 2, 1].map((seconds) => noon - seconds * 1000),
      )
    })
    expect((await organisation.admit(key)).outcome).toBe('admitted')
    expect((await organisation.admit(key, { loopHash })).outcome).toBe('loop_detected')
  })

  it('goes on with its readings: what is open, what the day has cost, what is abandoned', async () => {
    const open: number[] = []
    const older = await foundOlder((worker, { reader: { id } }) => {
      open.push(worker.beginReading(id, noon - 3 * DAY_MS, 50), worker.beginReading(id, noon - 1000, 19_999_990))
    })
    const { organisation, reader } = older
    const object = objectOf(organisation)
    const asReader = { keyId: reader.keyId, secretHash: reader.secretHash, scope: 'referral:read' as const }
    const entry = { kind: 'referral_decision' as const, content: {} }
    expect((await object.admit({ ...asReader, entry, reserveMicroeur: 11 })).outcome).not.toBe('admitted')
    expect((await object.admit({ ...asReader, entry, reserveMicroeur: 10 })).outcome).toBe('admitted')
    const [abandoned = -1, position = -1] = open
    const settled = { keyId: reader.keyId, position, costMicroeur: 8, content: {} }
    expect((await object.settleReading(settled)).outcome).toBe('settled')
    expect((await object.settleReading(settled)).outcome).not.toBe('settled')
    await organisation.runAlarm()
    expect((await organisation.entries()).at(-1)).toMatchObject({ kind: 'settlement', settles: abandoned })
    expect((await object.checkState()).differences).toEqual([])
  })

  it('settles a reading of a day whose costs were not kept', async () => {
    const open: number[] = []
    const { organisation, reader } = await foundOlder((worker, { reader: { id } }) => {
      open.push(worker.beginReading(id, noon - DAY_MS, 50), worker.beginReading(id, noon - DAY_MS, 70))
      worker.sql.exec('DELETE FROM day_costs')
    })
    for (const position of open) {
      const settlement = { keyId: reader.keyId, position, costMicroeur: 8, content: {} }
      expect((await objectOf(organisation).settleReading(settlement)).outcome).toBe('settled')
    }
    await organisation.evict()
    expect(await organisation.query('SELECT before FROM snapshots')).toHaveLength(1)
    expect((await organisation.state()).readings.days.values().next().value?.get(reader.id)).toBe(16)
  })

  it('knows when its keys were used last, and its settings', async () => {
    const { organisation, key } = await foundOlder(
      (worker, { key: { id } }) => {
        worker.count(id, noon - 5000)
        worker.writeSettings({ loop_repeats: 7, retention_days: 60, enabled_providers: 'google openai' })
      },
      { tier: 'enterprise' },
    )
    const { lastUsedAt } = (await objectOf(organisation).readKey(key.id as `key_${string}`)) ?? { lastUsedAt: null }
    expect(lastUsedAt).toBe(noon - 5000)
    expect(await organisation.set({ loop_window_seconds: 61 })).toMatchObject({
      tier: 'enterprise',
      loop_repeats: 7,
      retention_days: 60,
      enabled_providers: ['openai', 'google'],
    })
  })

  it('from before its settings, days and key makers were so many has a default for each', async () => {
    const older = await foundOlder(
      (worker, { key: { id } }) => {
        worker.sql.exec(`INSERT INTO costs (subject, day, microeur) VALUES ('key_of_before', 7, 5)`)
        worker.sql.exec(
          'INSERT INTO call_counts (subject, n, last_at, day, in_day) VALUES (?, 2, ?, ?, 2)',
          id,
          noon - 5000,
          Math.floor(noon / DAY_MS),
        )
      },
      { requests_per_minute: 50, monthly_budget_eur: 1 },
      19,
    )
    const { organisation, key } = older
    expect((await organisation.admit(key)).outcome).toBe('admitted')
    const { calls, readings } = await organisation.state()
    expect(calls.get(key.id)?.today.calls).toBe(3)
    expect(readings.days.get(7)?.get('key_of_before')).toBe(5)
    expect(await organisation.set({ enabled_providers: ['google'] })).toMatchObject({
      tier: 'pro',
      requests_per_minute: 50,
      monthly_budget_eur: 1,
      enabled_providers: ['google'],
      default_max_tokens: 16_384,
      cache_instructions: false,
      idempotent_replays: false,
      unsupported: 'drop',
      retention_days: null,
      content_logging: null,
      loop_repeats: 5,
      loop_window_seconds: 60,
      loop_cycle_rounds: 5,
      loop_cycle_window_seconds: 300,
    })
  })
})

describe('the operator’s older ledger', () => {
  it('knows what was erased, and takes in more, once each', async () => {
    const erased = (id: `era_${string}`) => ({
      id,
      subject: 'usr_1',
      jurisdiction: null,
      requestedBy: 'usr_1',
      requestedAt: noon - DAY_MS,
      dueAt: noon,
      record: null,
    })
    const older = await foundOlder((worker) => {
      const position = worker.append('operator_act', { act: 'person.erased' }, noon - DAY_MS)
      worker.sql.exec(
        `INSERT INTO erased (erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, record, position)
         VALUES ('era_1', 'usr_1', NULL, 'usr_1', ?, ?, NULL, ?)`,
        noon - DAY_MS,
        noon,
        position,
      )
    })
    const ledger = objectOf(older.organisation)
    await ledger.recordErased(erased('era_1'))
    await ledger.recordErased(erased('era_2'))
    await ledger.recordErased(erased('era_2'))
    expect(await ledger.listErased(10, undefined)).toEqual([erased('era_2'), erased('era_1')])
    expect(await older.organisation.acts()).toHaveLength(2)
    await wake(older)
    await older.organisation.evict()
    expect(await ledger.findErased('era_1')).toEqual(erased('era_1'))
  })
})
