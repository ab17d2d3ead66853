// Anomalies as an organisation's object finds them: looked for by itself, kept once, told once, and listed for their days.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AnomaliesStore } from '../../../../src/organisation/bias/anomalies.store.ts'
import type { BiasDetected, BiasQuery } from '../../../../src/organisation/bias/bias.target.ts'
import { alarmSubject } from '../../../../src/organisation/bias/bias-measures.ts'
import { GroupCounts } from '../../../../src/organisation/bias/group-counts.ts'
import { eraseTables } from '../../../../src/organisation/erasure/erase-tables.ts'
import { NO_SUMS, Tally } from '../../../../src/organisation/usage/tally.ts'
import { UsageStore } from '../../../../src/organisation/usage/usage.store.ts'
import { DAY_MS, utcDay } from '../../../../src/platform/time.ts'
import { hook, objectOf, receive } from '../../notifications/receiver.ts'
import { foundOrganisation, noon, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'
import { morningOf, serve } from './served-calls.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const HOUR_MS = 3_600_000
/** The Monday after `noon`: what came before it says what is usual. */
const MONDAY = 4 + Math.ceil((utcDay(noon) - 4) / 7) * 7
const mondayAt = (hours: number): number => MONDAY * DAY_MS + hours * HOUR_MS

const KEPT = { series: 'all', value: 1, baseline: 1, statistic: 4, threshold: 3.5, change: null }

type Kept = { kind: string; series: string; since: number }

const anomaliesOf = (organisation: ChatOrganisation): Promise<Kept[]> =>
  organisation.query<Kept>('SELECT kind, series, since FROM anomalies ORDER BY kind, series, since')

/** Seven days of calls of which one in 80 fails, of the four weeks up to the Sunday before: no fewer say what is usual. */
async function usualDays(organisation: ChatOrganisation, key: ChatKey): Promise<void> {
  for (const before of [28, 6, 5, 4, 3, 2, 1]) {
    const day = MONDAY - before
    await serve(organisation, day * DAY_MS + HOUR_MS, [
      { key, count: 79, ending: 'completed' },
      { key, count: 1, ending: 'failed' },
    ])
  }
}

async function found(tier = 'healthcare') {
  const organisation = await foundOrganisation({ tier, enabled_providers: ['openai', 'anthropic', 'google'] })
  const key = await organisation.issueKey()
  return { organisation, key }
}

const wakeAt = async (organisation: ChatOrganisation, at: number): Promise<void> => {
  vi.setSystemTime(at)
  await organisation.runAlarm()
}

describe('calls of which many fail', () => {
  it('are found once by the object itself, in each series that they are in, and told as one', async () => {
    const { organisation, key } = await found()
    const { received } = receive()
    await hook(organisation)
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(9.5))
    expect(await anomaliesOf(organisation)).toEqual([])

    await wakeAt(organisation, mondayAt(10.5))
    const series = ['all', `key:${key.id}`, 'model:gpt-4.1-mini', 'use_case:(none)']
    expect(await anomaliesOf(organisation)).toEqual(
      series.map((one) => ({ kind: 'failed_rate', series: one, since: mondayAt(8) })),
    )
    await organisation.runAlarm()
    const told = () => received.filter(({ message }) => message.type === 'anomaly.detected')
    expect(told().map(({ message }) => message.data)).toMatchObject([
      {
        kind: 'failed_rate',
        series: 'model:gpt-4.1-mini',
        since: `${new Date(mondayAt(8)).toISOString().slice(0, 13)}:00:00Z`,
        value: 1,
      },
    ])

    await serve(organisation, mondayAt(11), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(14))
    expect(await anomaliesOf(organisation)).toHaveLength(4)
    await organisation.runAlarm()
    expect(told()).toHaveLength(1)
  })

  it('are kept once a week of each series, and not told where they join an anomaly that is kept', async () => {
    const { organisation, key } = await found()
    const { received } = receive()
    await hook(organisation)
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    await runInDurableObject(objectOf(organisation), (_, { storage: { sql } }) => {
      const kept = new AnomaliesStore(sql)
      kept.insert({ ...KEPT, kind: 'failed_rate', series: 'all', since: mondayAt(1) }, noon)
      kept.insert({ ...KEPT, kind: 'failed_rate', series: 'use_case:(none)', since: mondayAt(-1) }, noon)
    })
    await wakeAt(organisation, mondayAt(12))
    const today = (await anomaliesOf(organisation)).filter(({ since }) => since === mondayAt(8))
    expect(today.map(({ series }) => series)).toEqual([`key:${key.id}`, 'model:gpt-4.1-mini', 'use_case:(none)'])
    await organisation.runAlarm()
    expect(received.filter(({ message }) => message.type === 'anomaly.detected')).toEqual([])
  })

  it('are found after an eviction too: nothing of the sums is kept', async () => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    for (let hour = 8; hour < 12; hour += 1) {
      await serve(organisation, mondayAt(hour), [{ key, count: 5, ending: 'failed' }])
      await organisation.evict()
      await wakeAt(organisation, mondayAt(hour + 1) + 1)
    }
    await wakeAt(organisation, mondayAt(14))
    expect(await anomaliesOf(organisation)).toMatchObject([{ series: 'all', since: mondayAt(8) }, {}, {}, {}])
  })

  it('are looked for again after the clock was ahead', async () => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    await wakeAt(organisation, mondayAt(400))
    vi.setSystemTime(mondayAt(1))
    await organisation.runAlarm()
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(12))
    expect(await anomaliesOf(organisation)).toMatchObject([{ kind: 'failed_rate', series: 'all' }, {}, {}, {}])
  })

  it('go with all else where the organisation is erased', async () => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(12))
    await runInDurableObject(objectOf(organisation), (_, { storage }) => {
      storage.transactionSync(() => eraseTables(storage.sql))
    })
    expect(await anomaliesOf(organisation)).toEqual([])
    expect(await organisation.query('SELECT looked_at FROM anomaly_progress')).toEqual([])
  })

  it.each([
    ['of a Sunday’s last hour are found on the Monday', { lookedAt: 144, failedAt: 167, wakesAt: 173, finds: 4 }],
    ['of Monday are found by the sums of the week before', { lookedAt: 144, failedAt: 171, wakesAt: 178, finds: 4 }],
    [
      'of Thursday are not compared with the week before’s usual',
      { lookedAt: 144, failedAt: 250, wakesAt: 257, finds: 0 },
    ],
    ['are found four weeks after the last look', { lookedAt: 2, failedAt: 8, wakesAt: 28 * 24 + 2, finds: 4 }],
  ])('%s', async (_, { lookedAt, failedAt, wakesAt, finds }) => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    await wakeAt(organisation, mondayAt(lookedAt))
    await serve(organisation, mondayAt(failedAt), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(wakesAt))
    const anomalies = (await anomaliesOf(organisation)).map(({ kind, since }) => ({ kind, since }))
    expect(anomalies).toEqual(Array.from({ length: finds }, () => ({ kind: 'failed_rate', since: mondayAt(failedAt) })))
  })

  it('are not looked for in a tier that does not have it', async () => {
    const { organisation, key } = await found('pro')
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(34))
    expect(await anomaliesOf(organisation)).toEqual([])
    expect(await organisation.query('SELECT looked_at FROM anomaly_progress')).toEqual([])
  })
})

describe('a bias report', () => {
  const detect = async (organisation: ChatOrganisation, days: Partial<BiasQuery> = {}): Promise<BiasDetected> => {
    const today = utcDay(Date.now())
    const asked = { first: today - 29, last: today, by: 'model', outcome: 'failed', reference: null } as const
    const act = { actor: 'usr_asking', act: 'compliance.bias_report', requestId: 'req_test' } as const
    return objectOf(organisation).bias.detect({ ...asked, ...days }, act)
  }

  it('looks first where that is due, and lists the anomalies that began in its days', async () => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    vi.setSystemTime(mondayAt(40))
    const detected = await detect(organisation)
    const anomalies = detected.outcome === 'detected' ? detected.report.anomalies : []
    expect(anomalies.map(alarmSubject)).toEqual([
      `anomaly:failed_rate:model:gpt-4.1-mini:${new Date(mondayAt(8)).toISOString().slice(0, 13)}:00:00Z`,
    ])
    expect(await detect(organisation, { first: MONDAY, last: MONDAY })).toMatchObject({
      report: { anomalies: { length: anomalies.length } },
    })
    const before = await detect(organisation, { last: MONDAY - 1 })
    expect(before).toMatchObject({ outcome: 'detected', report: { anomalies: [] } })
  })

  it('says in the ledger how many there were', async () => {
    const { organisation } = await found()
    await detect(organisation)
    const acts = (await organisation.entries()).filter(({ act }) => act === 'compliance.bias_report')
    expect(acts).toMatchObject([{ by: 'model', outcome: 'failed', verdict: 'not_enough_data', anomalies: 0 }])
  })
})

describe('days that are unlike those before', () => {
  /** Four weeks of working days, and a Monday and Tuesday with ten times the calls, which cost and take ten times as much. */
  async function countDays(organisation: ChatOrganisation): Promise<void> {
    await runInDurableObject(objectOf(organisation), (_, { storage: { sql } }) => {
      const usage = new UsageStore(sql)
      const tally = new Tally()
      for (let day = MONDAY - 28; day <= MONDAY + 1; day += 1) {
        const times = day < MONDAY ? 1 : 10
        const sums = { ...NO_SUMS, requests: 1, cost_microeur: 1000 * times, timed: 1, upstream_ms: 100 * times }
        const call = { keyId: null, model: 'm', useCase: null, cohort: null, ending: 'completed', sums } as const
        for (let n = 0; n < 60 * times; n += 1) tally.add({ ...call, day, at: day * DAY_MS, position: n })
      }
      usage.add(tally, usage.names())
    })
  }

  it('are found when the second is over, in calls, cost and time, once a week of each series', async () => {
    const { organisation } = await found()
    await countDays(organisation)
    await runInDurableObject(objectOf(organisation), (_, { storage: { sql } }) => {
      const kept = new AnomaliesStore(sql)
      kept.insert({ ...KEPT, kind: 'volume', series: 'all', since: (MONDAY - 7) * DAY_MS }, noon)
      kept.insert({ ...KEPT, kind: 'volume', series: 'model:m', since: (MONDAY - 8) * DAY_MS }, noon)
    })
    const unlike = async () => (await anomaliesOf(organisation)).filter(({ since }) => since === MONDAY * DAY_MS)
    await wakeAt(organisation, mondayAt(48.5))
    expect(await unlike()).toEqual([])
    await wakeAt(organisation, mondayAt(50))
    const four = ['all', 'key:(none)', 'model:m', 'use_case:(none)']
    const names = (await unlike()).map(({ kind, series }) => `${kind} ${series}`)
    expect(names).toEqual([
      ...four.map((series) => `cost_per_call ${series}`),
      ...['all', 'model:m'].map((series) => `p95_latency ${series}`),
      ...four.slice(1).map((series) => `volume ${series}`),
    ])
  })
})

describe('an anomaly that is kept', () => {
  it('is listed where its first alarm began in the days, whatever else joined it, and known by its kind and series', async () => {
    const { organisation } = await found()
    await runInDurableObject(objectOf(organisation), (_, { storage: { sql } }) => {
      const kept = new AnomaliesStore(sql)
      for (const day of [0, 10, 11, 20]) kept.insert({ ...KEPT, kind: 'volume', since: day * DAY_MS }, noon)
      const listed = (first: number, last: number) =>
        kept
          .list({ since: first * DAY_MS, until: last * DAY_MS })
          .map((one) => one.alarms.map(({ since }) => since / DAY_MS))
      expect(listed(10, 11)).toEqual([[10, 11]])
      expect(listed(11, 20)).toEqual([])
      expect(kept.hasSince({ kind: 'volume', series: 'all' }, 20 * DAY_MS)).toBe(true)
      expect(kept.hasSince({ kind: 'cost_per_call', series: 'all' }, 0)).toBe(false)
      expect(kept.hasSince({ kind: 'volume', series: 'key:a' }, 0)).toBe(false)
      for (let at = 0; at < 5000; at += 1)
        kept.insert({ ...KEPT, kind: 'cost_per_call', since: 30 * DAY_MS + at }, noon)
      expect(kept.listAlarms()).toMatchObject({ length: 5000, 4999: { since: 30 * DAY_MS } })
    })
  })
})

describe('what is counted', () => {
  it('is the same of a day that is closed and of one that is not', async () => {
    const { organisation, key } = await found()
    for (const day of [0, 1]) {
      await serve(organisation, morningOf(noon, day), [
        { key, count: 3, ending: 'completed', facts: { useCase: 'triage' } },
        { key, count: 2, ending: 'blocked' },
        { key, count: 1, ending: 'refused' },
      ])
    }
    vi.setSystemTime(morningOf(noon, 2))
    for (let wake = 0; wake < 3; wake += 1) await organisation.runAlarm()
    const range = { first: utcDay(noon), last: utcDay(noon) + 1 }
    const {
      hours,
      latencies,
      days: [closed = [], open = []],
    } = await runInDurableObject(objectOf(organisation), (_, { storage: { sql } }) => {
      expect(sql.exec('SELECT day FROM usage_margins WHERE dimension = 0').toArray()).toEqual([{ day: range.first }])
      const counts = new GroupCounts(sql)
      const days = [range.first, range.last].map((day) =>
        (['all', 'key', 'model', 'use_case'] as const).map((dimension) =>
          counts
            .days(dimension, range)
            .filter((row) => row.day === day)
            .map(({ day: _day, ...row }) => row),
        ),
      )
      return {
        days,
        latencies: counts.latencies(range).map(({ day, model }) => [day - range.first, model]),
        hours: counts.hours('all', range.first * 24, (range.last + 1) * 24),
      }
    })
    expect(closed).toEqual(open)
    expect(latencies).toEqual([
      [0, 'gpt-4.1-mini'],
      [1, 'gpt-4.1-mini'],
    ])
    expect(hours.map(({ hour, completed, refused }) => [hour % 24, completed, refused])).toEqual([
      [1, 4, 1],
      [1, 4, 1],
    ])
    expect(closed[0]).toMatchObject([{ group: '(none)', completed: 4, blocked: 2, refused: 1, costMicroeur: 400 }])
    expect(closed[3]).toMatchObject([
      { group: '(none)', completed: 1 },
      { group: 'triage', completed: 3 },
    ])
  })
})
