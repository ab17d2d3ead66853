// Refusals that the Worker gives from memory reach no counter of the organisation. The rows of coverage entries whose counter can be
// too low are these, and those of calls that never reach the organisation.
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ParsedKey } from '../../../../src/keys/key-format.ts'
import type { ReferralAdmission } from '../../../../src/organisation/admit/admit-referral.ts'
import { createChatGate } from '../../../../src/organisation/admit/chat-gate.ts'
import type { CallRefusal } from '../../../../src/organisation/admit/check-call.ts'
import { createReferralGate } from '../../../../src/organisation/admit/referral-gate.ts'
import { WRITES_NONE } from '../../../../src/organisation/coverage/surface.ts'
import { refusalError } from '../../../../src/organisation/refusal-errors.ts'
import type { AppContext } from '../../../../src/platform/context.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { createApi } from '../../../../src/platform/router.ts'
import { foundOrganisation, noon } from '../chat-organisation.ts'

// The clock stands, so that nothing is forgotten meanwhile.
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** Codes whose calls may not be counted though no gate remembers them, and why. */
const NOT_REACHED = {
  internal_error: 'the service failed before it asked the organisation',
  not_found: 'a path that does not exist asks none',
  organisation_closing: 'a sealed organisation counts nothing more',
  payload_too_large: 'a body declared too large outranks a remembered limit',
  service_unavailable: 'the organisation could not be reached',
}

type Refusal = CallRefusal | Exclude<ReferralAdmission, { outcome: 'admitted' }>

const rate = { limit: 60, remaining: 0, resetAt: 100 }
const later = { rate, retryAt: noon + 60_000, retryAfterSeconds: 60 }

/** Every refusal that an organisation gives, in its variants. */
const REFUSALS: { [Outcome in Refusal['outcome']]: Extract<Refusal, { outcome: Outcome }>[] } = {
  invalid_api_key: [{ outcome: 'invalid_api_key', why: 'unknown' }],
  rate_limit_exceeded: [
    { outcome: 'rate_limit_exceeded', ...later, over: 'minute' },
    { outcome: 'rate_limit_exceeded', ...later, over: 'cost' },
  ],
  quota_exceeded: [
    { outcome: 'quota_exceeded', ...later, reason: 'requests', period: 'month', of: 'organisation' },
    { outcome: 'quota_exceeded', ...later, reason: 'budget', period: 'day', of: 'key' },
  ],
  organisation_closing: [{ outcome: 'organisation_closing', rate }],
  scope_required: [{ outcome: 'scope_required', rate, scope: 'chat' }],
  outside_region: [{ outcome: 'outside_region', rate, ofKey: 'eu', ofReaders: 'any' }],
  repeated: [{ outcome: 'repeated', rate }],
}

const KEY = { organisationId: 'org_x', keyId: 'key_x', secretHash: new Uint8Array(32), jurisdiction: 'none' }

async function within(call: (c: AppContext) => Promise<unknown>): Promise<void> {
  const api = createApi()
  api.use(requestContext)
  api.get('/', async (c) => {
    await call(c)
    return c.text('')
  })
  const response = await api.fetch(new Request('http://countersign.test/'), env, createExecutionContext())
  expect(response.status).toBe(200)
}

const CALLS = 10

/** Returns how many of ten calls that are refused so reach the organisation, by either gate. */
async function reached(refusal: Refusal): Promise<number[]> {
  const counts: number[] = []
  let asks = 0
  const answer = async () => {
    asks += 1
    return refusal
  }
  const open = () => ({ admitWithoutModel: answer, admit: answer }) as never
  const key = KEY as unknown as ParsedKey
  const chats = createChatGate(open, Date.now)
  const readings = createReferralGate(open, Date.now)
  for (const ask of [
    (c: AppContext) => chats.admitInvalid(c, key),
    (c: AppContext) => readings.admit(c, key, { scope: 'referral:read', entry: null }),
  ]) {
    asks = 0
    for (let n = 0; n < CALLS; n += 1) await within(ask)
    counts.push(asks)
  }
  return counts
}

describe('a counter that can be too low', () => {
  it('is that of each refusal that a gate remembers, or whose call reaches no organisation, and of no other', async () => {
    const remembered = new Set<string>()
    for (const refusal of Object.values(REFUSALS).flat()) {
      if ((await reached(refusal)).some((asks) => asks < CALLS)) remembered.add(refusalError(refusal).code)
    }
    expect([...remembered].toSorted()).toEqual(['invalid_api_key', 'quota_exceeded', 'rate_limit_exceeded'])
    const uncounted = new Set<string>(WRITES_NONE.flatMap(({ codes, counted }) => (counted === null ? codes : [])))
    const expected = [...remembered, ...Object.keys(NOT_REACHED)].filter((code) => !uncounted.has(code))
    const bounds: string[] = WRITES_NONE.filter((row) => 'at_least' in row).flatMap(({ codes }) => codes)
    expect(bounds.toSorted()).toEqual(expected.toSorted())
  })

  it.each([
    ['rate_limit_exceeded', '2'],
    ['payload_too_large', '5000000'],
  ])('is too low after a flood of %s', async (code, length) => {
    const organisation = await foundOrganisation()
    const { key } = await organisation.service.createKey({ prefix: 'aqta_', requests_per_minute: 1 }, organisation.id)
    const send = () =>
      organisation.service.fetch('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': length },
        body: '{}',
      })
    const codes: string[] = []
    for (let n = 0; n <= CALLS; n += 1) {
      codes.push((await (await send()).json<{ error: { code: string } }>()).error.code)
    }
    expect(codes.filter((one) => one === code).length).toBeGreaterThanOrEqual(CALLS)
    expect((await organisation.calls()).length).toBeLessThan(CALLS)
  })
})
