// A clock that jumps ahead and steps back, at random: no window is opened twice, and nobody waits for a clock that was wrong.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decideLimit } from '../../../src/keys/rate-limits.policy.ts'
import { DAILY_READING_MICROEUR } from '../../../src/organisation/admit/admit-referral.ts'
import { Journal } from '../../../src/organisation/journal/journal.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { countsAt } from '../../../src/organisation/journal/state/calls.ts'
import { MOST_STEP_BACK_MS } from '../../../src/organisation/journal/state/state-event.ts'
import { listMonths } from '../../../src/organisation/journal/state/monthly-usage.ts'
import { DAY_MS, MINUTE_MS, utcDay, utcMonth } from '../../../src/platform/time.ts'
import { countOutcomes, foundOrganisation, hashOf, noon, positionOf } from './chat-organisation.ts'
import { runs } from '../../support/runs.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const SUBJECT = 'key_of_a_test'
const PER_MINUTE = 3

let objects = 0

type Counter = { journal: Journal; call: (now: number, perDay?: number) => boolean }

const inStore = (work: (counter: Counter) => void): Promise<void> => {
  const id = env.ORGANISATIONS.idFromName(`org_of_clocks_${(objects += 1)}`)
  return runInDurableObject(env.ORGANISATIONS.get(id), (_, { storage: { sql } }) => {
    const journal = new Journal(sql)
    work({
      journal,
      call(now, perDay = Infinity) {
        const { state, at } = journal.at(now)
        const { allowed } = decideLimit({ perMinute: PER_MINUTE, perDay }, countsAt(state.calls, SUBJECT, at), at)
        journal.storeCall({ keyId: SUBJECT, ofGateway: false, outcome: allowed ? 'counted' : 'rate' }, now)
        return allowed
      },
    })
    expect(journal.beginCheck().step()?.differences).toEqual([])
  })
}

const stepBack = fc.oneof(
  fc.integer({ min: 1, max: MOST_STEP_BACK_MS }),
  fc.integer({ min: MOST_STEP_BACK_MS, max: 3 * DAY_MS }),
  fc.constantFrom(1, MINUTE_MS, MOST_STEP_BACK_MS, MOST_STEP_BACK_MS + 1, DAY_MS),
)
const stepAhead = fc.oneof(fc.integer({ min: 1, max: 3 * DAY_MS }), fc.constantFrom(MINUTE_MS, DAY_MS))
const elapsedMs = fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constantFrom(0, 1, MINUTE_MS - 1, MINUTE_MS))

const history = fc.array(
  fc.record({
    elapsedMs,
    stepMs: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: stepBack.map((ms) => -ms) },
      { weight: 1, arbitrary: stepAhead },
    ),
    isForgotten: fc.boolean(),
  }),
  { maxLength: 80 },
)

describe('any 60 seconds that really pass', () => {
  it('let no more calls through than the limit, however far the clock steps back in them', async () => {
    await fc.assert(
      fc.asyncProperty(history, (steps) =>
        inStore(({ journal, call }) => {
          const passed: number[] = []
          let elapsed = 0
          let offset = 0
          // A clock that jumps ahead cannot be told from a pause: what came before the jump is not looked at.
          let since = 0
          for (const { elapsedMs: ms, stepMs, isForgotten } of steps) {
            elapsed += ms
            offset += stepMs
            if (stepMs > 0) since = passed.length
            if (isForgotten) journal.forget()
            if (!call(noon + elapsed + offset)) continue
            passed.push(elapsed)
            const inMinute = passed.slice(since).filter((at) => at > elapsed - MINUTE_MS)
            expect(inMinute.length).toBeLessThanOrEqual(PER_MINUTE)
          }
        }),
      ),
      { numRuns: runs(60) },
    )
  })

  it('are all that is waited for once a clock has stepped back from further ahead', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: MOST_STEP_BACK_MS + 1, max: 3 * DAY_MS }), (steps, aheadMs) =>
        inStore(({ journal, call }) => {
          let now = noon
          for (const { elapsedMs: ms, stepMs } of steps) call((now += ms + stepMs))
          const right = (journal.state.clock.latest || now) - aheadMs
          for (let n = 0; n < 5; n += 1) call(right)
          expect(call(right + MINUTE_MS)).toBe(true)
        }),
      ),
      { numRuns: runs(70) },
    )
  })
})

describe('a day', () => {
  const perDay = 10

  it('holds the calls of a clock that was days ahead for a while, and lends none of them to the next day', async () => {
    const early = fc.nat(9)
    const late = fc.nat(9)
    await fc.assert(
      fc.asyncProperty(early, late, fc.constantFrom(1, 2, 30), (before, during, days) =>
        inStore(({ journal, call }) => {
          const start = utcDay(noon) * DAY_MS
          const made = (at: number, calls: number) =>
            Array.from({ length: calls }, (_, n) => call(at + n * MINUTE_MS, perDay)).filter(Boolean).length
          const first = made(start, before)
          const second = made(start + days * DAY_MS + 30 * MINUTE_MS, during)
          expect([first, second]).toEqual([before, during])
          expect(made(start + 60 * MINUTE_MS, 20)).toBe(Math.max(0, perDay - before - during))
          expect(countsAt(journal.state.calls, SUBJECT, start + DAY_MS).inDay).toBe(0)
          expect(made(start + DAY_MS, 20)).toBe(perDay)
        }),
      ),
      { numRuns: 60 },
    )
  })

  it('is not begun again by a clock that steps back over midnight by minutes', () =>
    inStore(({ call }) => {
      const midnight = (utcDay(noon) + 1) * DAY_MS
      expect([call(midnight, 2), call(midnight + 1, 2)]).toEqual([true, true])
      for (const backMs of [1, MINUTE_MS, MOST_STEP_BACK_MS]) expect(call(midnight + 1 - backMs, 2)).toBe(false)
      expect(call(midnight + 5 * MINUTE_MS, 2)).toBe(false)
    }))
})

describe('an organisation that made a call while the clock was a day ahead', () => {
  const jump = async <T>(work: () => Promise<T>, aheadMs = DAY_MS): Promise<T> => {
    vi.setSystemTime(noon + aheadMs)
    const done = await work()
    vi.setSystemTime(noon + 1000)
    return done
  }

  it('makes calls again within the minute', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await jump(() => organisation.admit(key))
    const admissions = []
    for (let n = 0; n < 6; n += 1) admissions.push(await organisation.admit(key))
    expect(countOutcomes(admissions)).toEqual({ admitted: 4, rate_limit_exceeded: 2 })
    vi.setSystemTime(noon + 1000 + MINUTE_MS)
    expect((await organisation.admit(key)).outcome).toBe('admitted')
  })

  it('has spent it in the month that it was, and not in the next', async () => {
    const organisation = await foundOrganisation({
      tier: 'enterprise',
      requests_per_month: 3,
      monthly_budget_eur: 0.0001,
    })
    const key = await organisation.issueKey()
    await organisation.admit(key, { upFrontMicroeur: 10 })
    const position = positionOf(await jump(() => organisation.admit(key, { upFrontMicroeur: 60 }), 30 * DAY_MS))
    expect(await organisation.admit(key, { upFrontMicroeur: 31 })).toMatchObject({ reason: 'budget' })
    expect((await organisation.admit(key, { upFrontMicroeur: 30 })).outcome).toBe('admitted')
    await organisation.settle(position, 5)
    expect(listMonths((await organisation.state()).months)).toEqual([
      { month: utcMonth(noon), requests: 3, spentMicroeur: 5, reservedMicroeur: 40 },
    ])
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'quota_exceeded', reason: 'requests' })
  })

  it('is out of a loop after a minute of quiet', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const again = { loopHash: hashOf('again') }
    await jump(async () => {
      for (let n = 0; n < 5; n += 1) await organisation.admit(key, again)
    })
    expect((await organisation.admit(key, again)).outcome).toBe('loop_detected')
    vi.setSystemTime(noon + 1000 + MINUTE_MS)
    expect((await organisation.admit(key, again)).outcome).toBe('admitted')
  })

  it('settles what nobody settled a quarter of an hour later, and hands its receipts over in seconds', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    await jump(() => organisation.admit(key, { upFrontMicroeur: 7 }))
    await organisation.describe(key)
    expect(await organisation.alarmAt()).toBeLessThanOrEqual(noon + 1000 + 30_000)
    // It wakes by itself for each.
    for (let wakeAt = 0; wakeAt <= noon + 1000 + 15 * MINUTE_MS; wakeAt = (await organisation.alarmAt()) ?? Infinity) {
      vi.setSystemTime(Math.max(wakeAt, Date.now()))
      await organisation.runAlarm()
    }
    const { months } = await organisation.state()
    expect(months.open.size).toBe(0)
    expect(listMonths(months)).toMatchObject([{ spentMicroeur: 7 }])
  })
})

it('is cleaned every day again where the last cleaning was while the clock was a month ahead', async () => {
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  const cleanedAt = async () =>
    (await organisation.query<{ at: number }>('SELECT cleaned_at AS at FROM progress'))[0]?.at
  vi.setSystemTime(noon + 30 * DAY_MS)
  for (let n = 0; n < 3; n += 1) await organisation.runAlarm()
  expect(await cleanedAt()).toBe(noon + 30 * DAY_MS)
  for (const days of [0, 1, 2]) {
    vi.setSystemTime(noon + 1000 + days * DAY_MS)
    await organisation.admit(key)
    await organisation.runAlarm()
    expect(await cleanedAt()).toBe(noon + 1000 + days * DAY_MS)
  }
})

describe('what readings cost in a day', () => {
  const reading = async (
    organisation: { id: string },
    key: { keyId: string; secretHash: Uint8Array },
    euro: number,
  ) => {
    const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
    const admission = await runInDurableObject(stub, (object: Organisation) =>
      object.admit({
        keyId: key.keyId,
        secretHash: key.secretHash,
        scope: 'referral:read',
        entry: { kind: 'referral_decision', content: {} },
        reserveMicroeur: (euro * DAILY_READING_MICROEUR) / 20,
      }),
    )
    return admission.outcome
  }

  it.each([
    ['by minutes over midnight', MINUTE_MS, 5 * MINUTE_MS],
    ['by a day', DAY_MS, DAY_MS],
    ['by two days', 2 * DAY_MS, 2 * DAY_MS],
  ])('holds when the clock steps back %s', async (_, aheadMs, backMs) => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey({ prefix: 'vk_live_' })
    const evening = Date.UTC(2091, 2, 15, 23, 59, 30)
    vi.setSystemTime(evening + aheadMs)
    expect(await reading(organisation, key, 15)).toBe('admitted')
    vi.setSystemTime(evening + aheadMs - backMs)
    expect(await reading(organisation, key, 6)).toBe('rate_limit_exceeded')
    expect(await reading(organisation, key, 5)).toBe('admitted')
    vi.setSystemTime(evening + aheadMs - backMs + 1)
    expect(await reading(organisation, key, 1)).toBe('rate_limit_exceeded')
  })

  it('is known again of the day before, where the clock was a day ahead', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey({ prefix: 'vk_live_' })
    expect(await reading(organisation, key, 12)).toBe('admitted')
    vi.setSystemTime(noon + DAY_MS)
    expect(await reading(organisation, key, 5)).toBe('admitted')
    vi.setSystemTime(noon + 1000)
    expect(await reading(organisation, key, 4)).toBe('rate_limit_exceeded')
    expect(await reading(organisation, key, 3)).toBe('admitted')
  })
})
