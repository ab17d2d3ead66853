// Anomalies as an organisation's object finds them: looked for by itself, kept once, told once, and listed for their days.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BiasDetected, WantedBias } from '../../../../src/organisation/bias/detect-bias.ts'
import { anomalySubject } from '../../../../src/organisation/bias/anomaly.ts'
import { GroupCounts } from '../../../../src/organisation/bias/group-counts.ts'
import { eraseTables } from '../../../../src/organisation/erasure/erased-tables.ts'
import { DAY_MS, utcDay } from '../../../../src/platform/clock.ts'
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

type Kept = { kind: string; series: string; since: number }

const anomaliesOf = (organisation: ChatOrganisation): Promise<Kept[]> =>
  organisation.query<Kept>('SELECT kind, series, since FROM anomalies ORDER BY kind, series, since')

/** Eight days of calls of which one in 80 fails, up to the Sunday before. */
async function usualDays(organisation: ChatOrganisation, key: ChatKey): Promise<void> {
  for (let day = MONDAY - 8; day < MONDAY; day += 1) {
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
  it('are found once by the object itself, in each series that they are in, and told', async () => {
    const { organisation, key } = await found()
    const { received } = receive()
    await hook(organisation)
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(8.5))
    expect(await anomaliesOf(organisation)).toEqual([])

    await wakeAt(organisation, mondayAt(10))
    const series = ['all', `key:${key.id}`, 'model:gpt-4.1-mini', 'use_case:(none)']
    expect(await anomaliesOf(organisation)).toEqual(
      series.map((one) => ({ kind: 'failed_rate', series: one, since: mondayAt(8) })),
    )
    await organisation.runAlarm()
    const told = received
      .filter(({ message }) => message.type === 'anomaly.detected')
      .map(({ message }) => message.data)
    expect(told.map((one) => String(one['series'])).toSorted()).toEqual(series)
    expect(told[0]).toMatchObject({
      kind: 'failed_rate',
      since: `${new Date(mondayAt(8)).toISOString().slice(0, 13)}:00:00Z`,
      value: 1,
    })

    await serve(organisation, mondayAt(11), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(14))
    expect(await anomaliesOf(organisation)).toHaveLength(4)
    await organisation.runAlarm()
    expect(received.filter(({ message }) => message.type === 'anomaly.detected')).toHaveLength(4)
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

  it('of a Sunday’s last hour are found on the Monday', async () => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    await wakeAt(organisation, mondayAt(6 * 24))
    await serve(organisation, mondayAt(7 * 24 - 1), [{ key, count: 40, ending: 'failed' }])
    await wakeAt(organisation, mondayAt(7 * 24 + 5))
    expect(await anomaliesOf(organisation)).toMatchObject([
      { kind: 'failed_rate', since: mondayAt(7 * 24 - 1) },
      {},
      {},
      {},
    ])
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
  const detect = async (organisation: ChatOrganisation, days: Partial<WantedBias> = {}): Promise<BiasDetected> => {
    const today = utcDay(Date.now())
    const asked = { first: today - 29, last: today, by: 'model', outcome: 'failed', reference: null } as const
    const act = { actor: 'usr_asking', act: 'compliance.bias_report', requestId: 'req_test' } as const
    return objectOf(organisation).detectBias({ ...asked, ...days }, act)
  }

  it('looks first where that is due, and lists the anomalies that began in its days', async () => {
    const { organisation, key } = await found()
    await usualDays(organisation, key)
    await serve(organisation, mondayAt(8), [{ key, count: 40, ending: 'failed' }])
    vi.setSystemTime(mondayAt(40))
    const detected = await detect(organisation)
    const anomalies = detected.outcome === 'detected' ? detected.report.anomalies : []
    expect(anomalies.map(anomalySubject)).toContain(
      `anomaly:failed_rate:model:gpt-4.1-mini:${new Date(mondayAt(8)).toISOString().slice(0, 13)}:00:00Z`,
    )
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
    const [closed = [], open = []] = await runInDurableObject(objectOf(organisation), (_, { storage: { sql } }) => {
      expect(sql.exec('SELECT day FROM usage_margins WHERE dimension = 0').toArray()).toEqual([{ day: range.first }])
      const counts = new GroupCounts(sql)
      return [range.first, range.last].map((day) =>
        (['all', 'key', 'model', 'use_case'] as const).map((dimension) =>
          counts
            .days(dimension, range)
            .filter((row) => row.day === day)
            .map(({ day: _day, ...row }) => row),
        ),
      )
    })
    expect(closed).toEqual(open)
    expect(closed[0]).toMatchObject([{ group: '(none)', completed: 4, blocked: 2, refused: 1, costMicroeur: 400 }])
    expect(closed[3]).toMatchObject([
      { group: '(none)', completed: 1 },
      { group: 'triage', completed: 3 },
    ])
  })
})
