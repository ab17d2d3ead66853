// An owner corrects the cost of an interrupted call: the log has it, and list, figures, budgets and checks follow.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../../../src/management/calls/calls.schema.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { idOf, noon, positionOf, type ChatKey } from '../../organisation/chat-organisation.ts'
import { hook } from '../../notifications/receiver.ts'
import { objectOf } from '../export/exported.ts'
import { errorOf, manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const REASON = 'The provider’s usage page.'

const correct = ({ ask }: Asker, id: string, cost_eur: unknown, reason: unknown = REASON) =>
  ask('PUT', `/api/calls/${id}/cost`, { cost_eur, reason })

/** A call that reserves 90 micro-euro and is interrupted, so that it counts at all of them. */
async function interrupt({ organisation }: Managed, key: ChatKey): Promise<string> {
  const admission = await organisation.admit(key, { upFrontMicroeur: 90, useCase: 'triage-notes' })
  vi.setSystemTime(Date.now() + 15 * MINUTE_MS)
  await organisation.runAlarm()
  return idOf(admission)
}

async function interrupted() {
  const managed = await manage({ tier: 'healthcare' })
  const [owner, key] = [await managed.signIn('owner'), await managed.organisation.issueKey()]
  return { managed, owner, key, id: await interrupt(managed, key) }
}

const figuresOf = async ({ ask }: Asker): Promise<unknown> => {
  const response = await ask('GET', '/api/analytics/costs?bucket=total')
  return (await response.json<{ totals: { cost_eur: number } }>()).totals.cost_eur
}

const callOf = async ({ ask }: Asker, id: string): Promise<Call | undefined> => {
  const response = await ask('GET', '/api/calls')
  return (await response.json<{ data: Call[] }>()).data.find((call) => call.id === id)
}

const monthsOf = async (managed: Managed) => (await objectOf(managed).usage.read()).months

describe('the cost of an interrupted call', () => {
  it('is what an owner says, in the log, the list, the figures and the budgets', async () => {
    const { managed, owner, key, id } = await interrupted()
    const other = await interrupt(managed, key)
    expect(await callOf(owner, id)).toMatchObject({
      cost_eur: 0.00009,
      cost_estimated: true,
      cost_correction_index: null,
    })
    expect(await figuresOf(owner)).toBe(0.00018)
    const response = await correct(owner, id, 0.00002)
    const { index, ...corrected } = await response.json<{ index: number }>()
    expect([response.status, corrected]).toEqual([
      200,
      {
        id,
        object: 'corrected_cost',
        created_at: new Date(Date.now()).toISOString(),
        cost_eur: 0.00002,
        earlier_cost_eur: 0.00009,
      },
    ])
    expect(await callOf(owner, id)).toMatchObject({
      cost_eur: 0.00002,
      cost_estimated: false,
      cost_correction_index: index,
    })
    expect(await callOf(owner, other)).toMatchObject({ cost_eur: 0.00009, cost_estimated: true })
    expect(await figuresOf(owner)).toBe(0.00011)
    expect(await monthsOf(managed)).toMatchObject([{ spentMicroeur: 110, reservedMicroeur: 0 }])
    const entry = (await managed.organisation.entries()).find(({ act }) => act === 'call.correct_cost')
    expect(entry).toMatchObject({
      kind: 'member_act',
      actor: owner.id,
      attestation_id: id,
      cost_microeur: 20,
      before_microeur: 90,
      reason: REASON,
    })
  })

  it('may be corrected again, up and down, and stays so after a restart', async () => {
    const { managed, owner, id } = await interrupted()
    for (const [cost, earlier] of [
      [0.5, 0.00009],
      [0, 0.5],
      [0.00001, 0],
    ]) {
      const response = await correct(owner, id, cost)
      expect(await response.json()).toMatchObject({ cost_eur: cost, earlier_cost_eur: earlier })
    }
    await managed.organisation.evict()
    const object = objectOf(managed)
    expect(await monthsOf(managed)).toMatchObject([{ spentMicroeur: 10 }])
    expect(await figuresOf(owner)).toBe(0.00001)
    expect(await object.usage.check()).toMatchObject({ differences: [], unreadable: 0 })
    expect(await object.log.checkState()).toMatchObject({ differences: [] })
  })

  it('is told to the webhook if it reaches a part of a budget', async () => {
    const { managed, owner, id } = await interrupted()
    await owner.ask('PUT', '/api/policies', { budget_guard: { month_eur: 1 } })
    await hook(managed.organisation)
    expect((await correct(owner, id, 0.8)).status).toBe(200)
    const [message] = await managed.organisation.query<{ body: string }>('SELECT body FROM webhook_messages')
    expect(JSON.parse(message?.body ?? '{}')).toMatchObject({
      type: 'budget.threshold_reached',
      data: { percent: 80, spent_microeur: 800_000 },
    })
  })

  it('is corrected until its day is closed', async () => {
    const { managed, id } = await interrupted()
    vi.setSystemTime(noon - (noon % DAY_MS) + 2 * DAY_MS - MINUTE_MS)
    const owner = await managed.signIn('owner')
    expect((await correct(owner, id, 0.00002)).status).toBe(200)
    vi.setSystemTime(noon - (noon % DAY_MS) + 2 * DAY_MS)
    for (let alarm = 0; alarm < 3; alarm += 1) await managed.organisation.runAlarm()
    expect(await errorOf(await correct(owner, id, 0.00003))).toMatchObject({ status: 409, code: 'conflict' })
    expect(await objectOf(managed).usage.check()).toMatchObject({ differences: [] })
  })
})

describe('a cost is not corrected', () => {
  it('for a call that ended otherwise, still runs, or does not exist', async () => {
    const { managed, owner, key } = await interrupted()
    const completed = await managed.organisation.admit(key, { upFrontMicroeur: 5 })
    await managed.organisation.settle(positionOf(completed), 4)
    const running = await managed.organisation.admit(key, { upFrontMicroeur: 6 })
    for (const call of [completed, running]) {
      expect(await errorOf(await correct(owner, idOf(call), 1))).toMatchObject({ status: 409, code: 'conflict' })
    }
    for (const id of [crypto.randomUUID(), 'no-id', '%00']) {
      expect(await errorOf(await correct(owner, id, 1))).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect(await monthsOf(managed)).toMatchObject([{ spentMicroeur: 94 }])
  })

  it.each([-1, 0.0000001, 10_000.01, 1e9, '1', null])('to %s', async (cost) => {
    const { owner, id } = await interrupted()
    expect(await errorOf(await correct(owner, id, cost))).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it.each(['', ' ', 'x'.repeat(201), 'a\nb', undefined])('for the reason %j', async (reason) => {
    const { owner, id } = await interrupted()
    const body = { cost_eur: 1, ...(reason !== undefined && { reason }) }
    expect(await errorOf(await owner.ask('PUT', `/api/calls/${id}/cost`, body))).toMatchObject({ status: 400 })
  })

  it('by anybody but an owner', async () => {
    const { managed, id } = await interrupted()
    for (const role of ['admin', 'developer', 'auditor', 'clinician'] as const) {
      const asker = await managed.signIn(role)
      expect(await errorOf(await correct(asker, id, 1))).toMatchObject({ status: 403, code: 'role_required' })
    }
    const key = await managed.automate()
    expect(await errorOf(await correct(key, id, 1))).toMatchObject({ status: 403, code: 'role_required' })
    expect(await monthsOf(managed)).toMatchObject([{ spentMicroeur: 90 }])
  })
})
