// Tests the notifications of an organisation: each thing once, as facts alone, and nothing while nobody subscribes.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EVENT_TYPES, type NotificationEvent } from '../../../src/notifications/webhook-events.ts'
import { notify } from '../../../src/notifications/notify.ts'
import type { KeyId } from '../../../src/platform/ids.ts'
import { openStores } from '../../../src/organisation/organisation-stores.ts'
import { createTurnRunner } from '../../../src/organisation/turns.ts'
import type { PolicyDocument } from '../../../src/policies/document/policy-document.ts'
import { hook, objectOf, receive, type Receiver } from '../notifications/receiver.ts'
import {
  foundOrganisation,
  hashOf,
  noon,
  positionOf,
  type ChatKey,
  type ChatOrganisation,
} from './chat-organisation.ts'

let organisation: ChatOrganisation
let key: ChatKey
let receiver: Receiver

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  receiver = receive()
  organisation = await foundOrganisation({ tier: 'enterprise', monthly_budget_eur: 0.001 })
  key = await organisation.issueKey()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const again = (of = organisation, by = key, text = 'again') => of.admit(by, { loopHash: hashOf(text) })

/** At a time of its own, so that messages sort by when they were written. */
async function spend(microeur: number, by = key): Promise<void> {
  vi.setSystemTime(Date.now() + 1)
  await organisation.settle(positionOf(await organisation.admit(by, { upFrontMicroeur: microeur })), microeur)
}

const setPolicy = (budget: NonNullable<PolicyDocument['budget_guard']>) =>
  objectOf(organisation).policy.change(
    { document: { budget_guard: budget }, ifVersion: null },
    { actor: 'operator', act: 'policies.update', requestId: 'req_test' },
  )

const waiting = async (of = organisation): Promise<Record<string, unknown>[]> =>
  (await of.query<{ body: string }>('SELECT body FROM webhook_messages WHERE body IS NOT NULL ORDER BY id')).map(
    ({ body }) => JSON.parse(body) as Record<string, unknown>,
  )

/** Of calls, unless other types are named. */
const data = async (types = /^(loop|budget)/): Promise<Record<string, unknown>[]> =>
  (await waiting())
    .filter(({ type }) => types.test(String(type)))
    .map((message) => Object.assign({ type: message['type'] }, message['data']))

describe('a stopped answer', () => {
  const FOUND = { payment_card: 1, pps_number: 2 }

  it('is told at most once a key in 60 seconds, with names and counts', async () => {
    await hook(organisation)
    const stop = async (by = key) => {
      vi.setSystemTime(Date.now() + 1)
      const admission = await organisation.admit(by)
      const scan = { coverage: 'none', found: FOUND, redacted: 0, stopped: ['payment_card'], unread: [] } as const
      await organisation.settle(positionOf(admission), 5, { ended: 'withheld', answerScan: scan })
      const attestation_id = 'record' in admission ? admission.record.attestation_id : null
      return {
        type: 'answer.withheld',
        key_id: by.id,
        model: 'gpt-4.1-mini',
        attestation_id,
        found: FOUND,
        stopped: ['payment_card'],
      }
    }
    const told = [await stop()]
    await stop()
    told.push(await stop(await organisation.issueKey()))
    await organisation.evict()
    await stop()
    expect(await data(/^answer/)).toEqual(told)
    vi.setSystemTime(noon + 61_000)
    told.push(await stop())
    expect(await data(/^answer/)).toEqual(told)
    await organisation.settle(positionOf(await organisation.admit(key)), 5)
    expect(await data(/^answer/)).toEqual(told)
  })
})

describe('a loop', () => {
  it('is told once, however long it goes on, and once more when it comes back', async () => {
    await hook(organisation)
    for (let n = 0; n < 4; n += 1) await again()
    expect(await waiting()).toEqual([])
    const found = await again()
    for (let n = 0; n < 20; n += 1) await again()
    await organisation.evict()
    await again()
    const detected = {
      type: 'loop.detected',
      key_id: key.id,
      model: 'gpt-4.1-mini',
      attestation_id: 'record' in found ? found.record.attestation_id : null,
      quiet_seconds: 60,
      suppressed: true,
    }
    expect(await data()).toEqual([detected])
    vi.setSystemTime(noon + 120_000)
    for (let n = 0; n < 6; n += 1) await again()
    expect((await data()).length).toBe(2)
  })

  it('is told for each key and each request', async () => {
    await hook(organisation)
    const other = await organisation.issueKey()
    for (let n = 0; n < 6; n += 1) {
      await again()
      await again(organisation, other)
      await again(organisation, key, 'another')
    }
    const keys = (await data()).map((told) => String(told['key_id']))
    expect(keys.toSorted()).toEqual([key.id, key.id, other.id].toSorted())
  })
})

describe('a budget', () => {
  const month = { period: 'month', period_start: '2091-03-01', key_id: null, budget_microeur: 1000 }

  it('is told at 50, 80 and 100 percent of what was spent, each once', async () => {
    await hook(organisation)
    const told: unknown[] = []
    for (const microeur of [499, 1, 1, 298, 1, 199, 1]) {
      await spend(microeur)
      await organisation.evict()
      told.push((await data()).map((event) => event['percent']))
    }
    expect(told).toEqual([[], [50], [50], [50], [50, 80], [50, 80], [50, 80, 100]])
    expect((await data())[1]).toEqual({
      type: 'budget.threshold_reached',
      ...month,
      percent: 80,
      spent_microeur: 800,
    })
  })

  it('is told at the highest of those that are passed at once, and anew in the next month', async () => {
    await hook(organisation)
    await spend(900)
    vi.setSystemTime(Date.UTC(2091, 3, 1))
    await spend(500)
    expect((await data()).map((event) => [event['period_start'], event['percent']])).toEqual([
      ['2091-03-01', 80],
      ['2091-04-01', 50],
    ])
  })

  it('is told as used up with the first call that does not fit, once a month', async () => {
    await hook(organisation)
    await organisation.admit(key, { upFrontMicroeur: 400 })
    for (let n = 0; n < 3; n += 1) await organisation.admit(key, { upFrontMicroeur: 601 })
    const exhausted = { type: 'budget.exhausted', ...month, spent_microeur: 0, reserved_microeur: 400 }
    expect(await data()).toEqual([exhausted])
    vi.setSystemTime(Date.UTC(2091, 3, 1))
    await organisation.admit(key, { upFrontMicroeur: 1001 })
    expect((await data()).length).toBe(2)
  })

  it('of another size is told anew', async () => {
    await hook(organisation)
    await spend(500)
    await organisation.set({ monthly_budget_eur: 0.002 })
    await spend(499)
    await spend(1)
    expect((await data()).map((event) => [event['budget_microeur'], event['percent']])).toEqual([
      [1000, 50],
      [2000, 50],
    ])
  })

  it('of a policy is told at the parts that it names, for a day, and for a key by its id', async () => {
    await hook(organisation)
    await setPolicy({ day_eur: 0.0005, key_day_eur: 0.0004, alert_percent: [10, 25] })
    const other = await organisation.issueKey()
    await spend(100)
    await spend(1, other)
    const day = { type: 'budget.threshold_reached', period: 'day', period_start: '2091-03-15', spent_microeur: 100 }
    expect(await data()).toEqual(
      expect.arrayContaining([
        { type: 'budget.threshold_reached', ...month, percent: 10, spent_microeur: 100 },
        { ...day, key_id: null, budget_microeur: 500, percent: 10 },
        { ...day, key_id: key.id, budget_microeur: 400, percent: 25 },
      ]),
    )
    expect((await data()).length).toBe(3)
    await organisation.admit(key, { upFrontMicroeur: 301 })
    const exhausted = (await data()).filter(({ type }) => type === 'budget.exhausted')
    expect(exhausted).toMatchObject([{ period: 'day', key_id: key.id, budget_microeur: 400 }])
  })

  it('of a policy that names no parts is told only as used up', async () => {
    await hook(organisation)
    await setPolicy({ alert_percent: [] })
    await spend(1000)
    await organisation.admit(key, { upFrontMicroeur: 1 })
    expect((await data()).map(({ type }) => type)).toEqual(['budget.exhausted'])
  })

  it('is told of a call that was cut off too', async () => {
    await hook(organisation)
    await organisation.admit(key, { upFrontMicroeur: 700 })
    vi.setSystemTime(noon + 16 * 60_000)
    await organisation.runAlarm()
    expect((await data()).length + receiver.received.length).toBe(1)
  })
})

describe('a change', () => {
  const changes = () => data(/^(policy|settings|key|member)\./)
  const byOperator = { actor: 'operator', request_id: 'req_test' }

  it('of the policy is told with the rules that changed, and not where nothing does', async () => {
    await hook(organisation)
    for (const [n, day_eur] of [1, 1, 2].entries()) {
      vi.setSystemTime(noon + n)
      await setPolicy({ day_eur })
    }
    vi.setSystemTime(noon + 3)
    const object = objectOf(organisation)
    const act = { actor: 'key_manager', act: 'policies.update', requestId: 'req_2' } as const
    await object.policy.change({ document: { loop_guard: { repeats: 7 } }, ifVersion: 1 }, act)
    await object.policy.change({ document: { loop_guard: { repeats: 7 } }, ifVersion: null }, act)
    const { sha256 } = await object.policy.read()
    const changed = { type: 'policy.changed', ...byOperator, sha256: expect.any(String) as string }
    expect(await changes()).toEqual([
      { ...changed, version: 1, changed_rules: ['budget_guard'] },
      { ...changed, version: 2, changed_rules: ['budget_guard'] },
      {
        ...changed,
        actor: 'key_manager',
        request_id: 'req_2',
        version: 3,
        sha256,
        changed_rules: ['budget_guard', 'loop_guard'],
      },
    ])
  })

  it('of settings is told by their names, and not where nothing does', async () => {
    await hook(organisation)
    await organisation.set({ monthly_budget_eur: 7 })
    await organisation.set({ monthly_budget_eur: 7 })
    const told = { type: 'settings.changed', actor: 'operator', settings: ['monthly_budget_microeur'] }
    expect(await changes()).toEqual([{ ...told, request_id: expect.any(String) as string }])
  })

  it('that makes a key is told once, by ids: made, issued or rotated, and not where it is refused', async () => {
    await hook(organisation)
    const { keys } = objectOf(organisation)
    const first: KeyId = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d10'
    const second: KeyId = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
    const minted = {
      id: first,
      prefix: 'aqta_' as const,
      name: 'marked-name',
      lastFour: 'mark',
      scopes: ['chat' as const],
      secretHash: new Uint8Array(32),
      requestsPerMinute: null,
      requestsPerDay: null,
      dataRegion: null,
      evaluation: false,
      createdAt: noon,
      expiresAt: noon + 1000,
    }
    const admin = { kind: 'person', id: 'usr_admin', reach: 'all', isFresh: true } as const
    const request = { actor: admin, requestId: 'req_test', claim: null }
    expect(await keys.make({ ...minted, expiresAt: noon }, request)).toMatchObject({ outcome: 'invalid' })
    await keys.make(minted, request)
    vi.setSystemTime(noon + 1)
    const successor = { id: second, secretHash: new Uint8Array(32), lastFour: 'mark' }
    await keys.rotate({ id: minted.id, successor, overlapMs: 0 }, request)
    vi.setSystemTime(noon + 2)
    const issued = await organisation.issueKey({ name: 'marked-name', scopes: ['manage'] })
    const created = { type: 'key.created', prefix: 'aqta_', evaluation: false, request_id: 'req_test' }
    const byAdmin = {
      ...created,
      actor: 'usr_admin',
      created_by: 'usr_admin',
      scopes: ['chat'],
      expires_at: new Date(noon + 1000).toISOString(),
    }
    expect(await changes()).toEqual([
      { ...byAdmin, key_id: first },
      { ...byAdmin, key_id: second },
      {
        ...created,
        actor: 'operator',
        request_id: expect.any(String) as string,
        key_id: issued.id,
        scopes: ['manage'],
        expires_at: null,
        created_by: 'operator',
      },
    ])
    expect(JSON.stringify(await waiting())).not.toContain('mark')
  })

  it('of a member is told once, however often it is delivered, with how many keys it ended', async () => {
    await hook(organisation)
    await organisation.query(`UPDATE keys SET created_by = 'usr_member' WHERE id = '${key.keyId}'`)
    await organisation.evict()
    const facts = { change: 'role', role: 'auditor', previous_role: 'developer' } as const
    const rights = { personId: 'usr_member', mayDecide: false, keysReach: null, changedAt: noon } as const
    const act = { actor: 'usr_owner', act: 'member.role', requestId: 'req_test' } as const
    const change = { ...rights, facts, messageId: 'msg_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d10' } as const
    for (let n = 0; n < 3; n += 1) await objectOf(organisation).keys.changeMember(change, act)
    expect(await changes()).toEqual([
      {
        type: 'member.changed',
        actor: 'usr_owner',
        request_id: 'req_test',
        member_id: 'usr_member',
        ...facts,
        keys_revoked: 1,
      },
    ])
  })
})

it('is nothing while no webhook is set, or it wants other events', async () => {
  const all = async () => {
    for (let n = 0; n < 6; n += 1) await again()
    await spend(900)
    await organisation.admit(key, { upFrontMicroeur: 900 })
  }
  await all()
  expect(await organisation.query('SELECT 1 FROM webhook UNION ALL SELECT 1 FROM webhook_messages')).toEqual([])
  await hook(organisation, 'https://hooks.example.org/', ['budget.exhausted'])
  vi.setSystemTime(Date.UTC(2091, 3, 1))
  await all()
  expect((await data()).map(({ type }) => type)).toEqual(['budget.exhausted'])
})

it('is of the organisation’s own alone', async () => {
  const other = await foundOrganisation({ tier: 'pro' })
  const otherKey = await other.issueKey()
  await hook(organisation, 'https://hooks.example.org/one')
  await hook(other, 'https://hooks.example.org/two')
  for (let n = 0; n < 5; n += 1) {
    await again()
    await again(other, otherKey)
  }
  await organisation.runAlarm()
  await other.runAlarm()
  const [one, two] = receiver.received
  expect([one?.url, one?.message.organisation_id]).toEqual(['https://hooks.example.org/one', organisation.id])
  expect([two?.url, two?.message.organisation_id]).toEqual(['https://hooks.example.org/two', other.id])
  for (const id of [other.id, otherKey.id]) expect(one?.body).not.toContain(id)
  for (const id of [organisation.id, key.id]) expect(two?.body).not.toContain(id)
})

it('is written in the turn that it tells of, or not at all', async () => {
  await hook(organisation)
  const told: NotificationEvent = {
    type: 'loop.detected',
    data: { key_id: key.id, model: 'gpt-4.1-mini', attestation_id: 'a', quiet_seconds: 60, suppressed: true },
  }
  await runInDurableObject(objectOf(organisation), (_, { storage }) => {
    const stores = openStores(storage.sql, 'an object')
    const takeTurn = createTurnRunner(storage, stores)
    const write = (fails: boolean) => () => {
      const webhook = stores.outbox.webhook.read()
      if (webhook !== null) stores.outbox.webhook.write({ ...webhook, dropped: 7 })
      notify(stores.outbox, told, noon)
      if (fails) throw new Error('the turn fails')
    }
    expect(() => takeTurn(write(true))).toThrow('the turn fails')
    expect(stores.outbox.webhook.read()?.dropped).toBe(0)
    expect(stores.outbox.messages.countWaiting()).toBe(0)
    takeTurn(write(false))
    expect(stores.outbox.messages.countWaiting()).toBe(1)
  })
})

it('leaves an entry of what is set, with its origin alone', async () => {
  await hook(organisation, 'https://hooks.example.org:8443/in/invented-token?x=1')
  const acts = (await organisation.acts()).filter(({ act }) => act === 'notifications.set')
  expect(acts).toMatchObject([
    {
      origin: 'https://hooks.example.org:8443',
      events: EVENT_TYPES,
    },
  ])
  expect(JSON.stringify(acts)).not.toContain('invented-token')
  await organisation.state()
})
