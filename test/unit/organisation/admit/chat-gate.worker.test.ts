// The Worker's side of a chat call: fails closed, tells the rate, and keeps a flood from the object.
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createChatGate, type ChatGate } from '../../../../src/organisation/admit/chat-gate.ts'
import { organisationOpener, type OpenOrganisation } from '../../../../src/organisation/organisation-client.ts'
import type { ChatSettlement } from '../../../../src/organisation/admit/settle-chat.ts'
import type { AppContext } from '../../../../src/platform/context.ts'
import { renderError } from '../../../../src/platform/render-error.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { createApi } from '../../../../src/platform/router.ts'
import {
  factsOf,
  foundOrganisation,
  NO_FACTS,
  positionOf,
  type ChatKey,
  type ChatOrganisation,
} from '../chat-organisation.ts'

const reachable = organisationOpener(env.ORGANISATIONS, false)

let opened = 0
let now = 0
beforeEach(() => {
  opened = 0
  now = Date.now()
})

const counting: OpenOrganisation = (address) => {
  opened += 1
  return reachable(address)
}

const unreachable: OpenOrganisation = () => {
  throw new Error('gone: req_secret')
}

/** One request whose handler makes this call at the gate. */
async function within(call: (c: AppContext) => Promise<{ outcome: string }>): Promise<Response> {
  const api = createApi()
  api.use(requestContext)
  api.onError(renderError)
  api.get('/', async (c) => c.json(await call(c)))
  return api.fetch(new Request('http://countersign.test/'), env, createExecutionContext())
}

const outcomeOf = async (response: Response): Promise<string> => (await response.json<{ outcome: string }>()).outcome

const admit = (gate: ChatGate, key: ChatKey, more = {}) => within((c) => gate.admitChat(c, key, factsOf(key, more)))

/** Returns what memory knows of a key before any work for it. */
const recalled = async (gate: ChatGate, key: ChatKey): Promise<unknown> =>
  (await within(async (c) => gate.recall(c, key) ?? { outcome: 'not known' })).json()

const settlement = (position: number): ChatSettlement => ({
  position,
  factsSha256: NO_FACTS,
  retentionDays: 7,
  ended: 'completed',
  costMicroeur: 3,
  usage: null,
  estimated: false,
  upstreamMs: 1,
  finishReason: 'stop',
  errorCause: null,
})

describe('the chat gate', () => {
  it.each<[string, (gate: ChatGate, c: AppContext, key: ChatKey) => Promise<{ outcome: string }>]>([
    ['a request', (gate, c, key) => gate.admitChat(c, key, factsOf(key))],
    ['an invalid request', (gate, c, key) => gate.admitInvalid(c, key)],
    ['a list of models', (gate, c, key) => gate.describe(c, key)],
  ])('answers %s with 503 when the object cannot be reached, and says nothing of why', async (_, call) => {
    const key = await (await foundOrganisation()).issueKey()
    const gate = createChatGate(unreachable, () => now)
    const response = await within((c) => call(gate, c, key))
    const body = await response.text()
    expect([response.status, body.includes('gone')]).toEqual([503, false])
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'service_unavailable' } })
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
  })

  it('tells the rate of every answer but that to a bad key', async () => {
    const key = await (await foundOrganisation({ enabled_providers: ['google'] })).issueKey()
    const gate = createChatGate(counting, () => now)
    const remaining: (string | null)[] = []
    for (const provider of ['google', 'openai']) {
      remaining.push((await admit(gate, key, { provider })).headers.get('x-ratelimit-remaining'))
    }
    const invalid = await within((c) => gate.admitInvalid(c, key))
    const bad = await admit(gate, { ...key, secretHash: new Uint8Array(32) })
    remaining.push(invalid.headers.get('x-ratelimit-remaining'), bad.headers.get('x-ratelimit-remaining'))
    expect(remaining).toEqual(['4', '3', '2', null])
    expect(await outcomeOf(bad)).toBe('invalid_api_key')
    expect(invalid.headers.get('server-timing')).toContain('organisation;dur=')
  })

  it('sends the organisation and the request that the Worker knows, whatever the facts say', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const gate = createChatGate(counting, () => now)
    const response = await admit(gate, key, { requestId: 'req_made_up', organisationId: 'org_made_up' })
    expect(await response.json()).toMatchObject({ outcome: 'admitted', organisationId: organisation.id })
    const [entry] = await organisation.entries()
    expect(entry?.['request_id']).not.toBe('req_made_up')
  })
})

describe('the memory of refusals', () => {
  const exhaust = async (organisation: ChatOrganisation, gate: ChatGate) => {
    const key = await organisation.issueKey()
    for (let n = 0; n < 10; n++) await admit(gate, key)
    opened = 0
    return key
  }

  it('refuses a flood over the rate without touching the object, for a second at most', async () => {
    const gate = createChatGate(counting, () => now)
    const key = await exhaust(await foundOrganisation(), gate)
    const flood = [
      await admit(gate, key),
      await within((c) => gate.admitInvalid(c, key)),
      await within((c) => gate.describe(c, key)),
    ]
    expect(await Promise.all(flood.map(outcomeOf))).toEqual(Array(3).fill('rate_limit_exceeded'))
    expect(flood.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(Array(3).fill('0'))
    expect(opened).toBe(0)
    // The object gives back the idempotency key of a call that it has admitted before.
    expect(await outcomeOf(await admit(gate, key, { insteadOf: crypto.randomUUID() }))).toBe('rate_limit_exceeded')
    expect(opened).toBe(1)
    now += 1_000
    await admit(gate, key)
    expect(opened).toBe(2)
  })

  it.each([
    ['a raised quota', { requests_per_month: 100 }, 'admitted'],
    ['a revoked key', null, 'invalid_api_key'],
  ])('does not keep %s from the next call', async (_, change, outcome) => {
    const gate = createChatGate(counting, () => now)
    const organisation = await foundOrganisation({ tier: 'enterprise', requests_per_month: 1 })
    const key = await organisation.issueKey()
    expect(await outcomeOf(await admit(gate, key))).toBe('admitted')
    for (let n = 0; n < 3; n++) expect(await outcomeOf(await admit(gate, key))).toBe('quota_exceeded')
    const path = `/organisations/${organisation.id}`
    if (change === null) await organisation.service.operate('DELETE', `${path}/keys/${key.id}`)
    else await organisation.service.operate('PATCH', path, change)
    expect(await outcomeOf(await admit(gate, key))).toBe(outcome)
  })

  it('refuses a flood over the monthly quota likewise, but not the list of models', async () => {
    const gate = createChatGate(counting, () => now)
    const key = await exhaust(await foundOrganisation({ tier: 'enterprise', requests_per_month: 1 }), gate)
    expect(await outcomeOf(await admit(gate, key))).toBe('quota_exceeded')
    expect(await recalled(gate, key)).toMatchObject({ outcome: 'quota_exceeded', reason: 'requests' })
    expect(await outcomeOf(await within((c) => gate.admitInvalid(c, key)))).toBe('quota_exceeded')
    expect(opened).toBe(0)
    expect(await outcomeOf(await within((c) => gate.describe(c, key)))).toBe('admitted')
  })

  it('refuses a flood of a revoked key likewise, whatever is asked, and says what is wrong with it', async () => {
    const organisation = await foundOrganisation()
    const gate = createChatGate(counting, () => now)
    const key = await organisation.issueKey()
    await admit(gate, key)
    expect(await recalled(gate, key)).toEqual({ outcome: 'not known' })
    await organisation.service.operate('DELETE', `/organisations/${organisation.id}/keys/${key.id}`)
    opened = 0
    for (let n = 0; n < 200; n++) {
      expect(await (await admit(gate, key)).json()).toEqual({ outcome: 'invalid_api_key', why: 'revoked' })
    }
    expect(await outcomeOf(await within((c) => gate.describe(c, key)))).toBe('invalid_api_key')
    expect(opened).toBe(5)
    now += 1_000
    await admit(gate, key)
    expect(opened).toBe(6)
  })

  it('of a wrong secret says nothing of the right one', async () => {
    const gate = createChatGate(counting, () => now)
    const key = await (await foundOrganisation()).issueKey()
    expect(await outcomeOf(await admit(gate, { ...key, secretHash: new Uint8Array(32) }))).toBe('invalid_api_key')
    expect(await outcomeOf(await admit(gate, key))).toBe('admitted')
  })

  it('never holds that a key is good', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const gate = createChatGate(counting, () => now)
    const key = await organisation.issueKey()
    for (let n = 0; n < 3; n++) expect(await outcomeOf(await admit(gate, key))).toBe('admitted')
    await organisation.service.operate('DELETE', `/organisations/${organisation.id}/keys/${key.id}`)
    expect(await outcomeOf(await admit(gate, key))).toBe('invalid_api_key')
  })

  it('does not remember a budget, which may have room for a smaller request', async () => {
    const gate = createChatGate(counting, () => now)
    const key = await (await foundOrganisation({ monthly_budget_eur: 0.00001 })).issueKey()
    expect(await outcomeOf(await admit(gate, key, { upFrontMicroeur: 11 }))).toBe('quota_exceeded')
    expect(await outcomeOf(await admit(gate, key, { upFrontMicroeur: 10 }))).toBe('admitted')
  })
})

describe('settling', () => {
  const failing = (failure: object, failures: number): OpenOrganisation => {
    let left = failures
    return (address) => {
      opened += 1
      if (left-- > 0) throw Object.assign(new Error('connection lost'), failure)
      return reachable(address)
    }
  }

  it('tries again when the connection was lost, and settles once', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 5 }))
    await createChatGate(failing({ retryable: true }, 2), () => now).settleChat(key, settlement(position))
    expect((await organisation.entries()).map(({ kind }) => kind)).toEqual(['chat_decision', 'settlement'])
  })

  it.each([
    ['the object is overloaded', { retryable: true, overloaded: true }, 1],
    ['the error would come again', {}, 1],
    ['the connection stays lost', { retryable: true }, 3],
  ])('gives up without throwing when %s', async (_, failure, attempts) => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key))
    await createChatGate(failing(failure, 9), () => now).settleChat(key, settlement(position))
    expect(opened).toBe(attempts)
    expect(await organisation.settle(position, 3)).toMatchObject({ outcome: 'settled' })
  })
})
