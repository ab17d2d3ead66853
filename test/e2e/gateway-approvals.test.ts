// People's approval through the built Worker, from the refusal to the answer: what the caller is told and may send, what people
// decide, and that its provider sees the request once.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ask,
  readEvents,
  sharedGateway,
  type ErrorAqta,
  type Gateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'
import { signInAs, type SignedIn } from '../support/e2e/members.ts'
import { keepFile, verify } from '../support/e2e/verify.ts'

let gateway: Gateway
let key: GatewayKey
let admin: SignedIn

beforeAll(async () => {
  gateway = await sharedGateway()
})
beforeEach(async () => {
  gateway.emulator.reset()
  key = await gateway.createKey()
  admin = await signInAs(gateway.service, key.organisationId, 'admin')
  await byAdmin(200, 'PUT', '/api/policies', { human_approval: { when: [{ use_cases: ['letters'] }] } })
})

async function byAdmin(status: number, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await gateway.service.fetch(path, {
    method,
    headers: { ...admin.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  expect([response.status, answer]).toEqual([status, answer])
  return answer
}

type Refused = {
  error: { code: string; policy: string; reason: string; approval_id: string; expires_at: string; location: string }
  aqta: ErrorAqta
}

const LETTERS = { 'x-aqta-use-case': 'letters' }
const send = (body: object, approval?: string) =>
  gateway.chat(key.key, body, {
    headers: { ...LETTERS, ...(approval === undefined ? {} : { 'x-aqta-approval': approval }) },
  })

async function refusalOf(body: object, approval?: string): Promise<Refused> {
  const response = await send(body, approval)
  expect([response.status, response.headers.get('x-should-retry')]).toEqual([403, 'false'])
  expect(response.headers.get('x-aqta-status')).toBe('blocked')
  return (await response.json()) as Refused
}

const decide = (id: string, decision: string) => byAdmin(200, 'POST', `/api/approvals/${id}/decision`, { decision })

const look = async (location: string): Promise<{ status: number; state: string }> => {
  const response = await gateway.service.fetch(location, { headers: { authorization: `Bearer ${key.key}` } })
  return { ...((await response.json()) as { state: string }), status: response.status }
}

describe('a request that a person must approve', () => {
  it.each([false, true])('is refused, waited for, approved and answered once (stream: %s)', async (stream) => {
    const body = ask('gpt-4.1-mini', { stream })
    const { error, aqta } = await refusalOf(body)
    expect(error).toMatchObject({ code: 'approval_required', policy: 'human_approval', reason: 'approval_required' })
    expect(error.location).toBe(`/v1/approvals/${error.approval_id}`)
    expect(Date.parse(error.expires_at)).toBeGreaterThan(Date.now())
    const record = await gateway.record(key, aqta.attestation_id)
    expect(record).toMatchObject({ outcome: 'BLOCKED', policy_applied: ['human_approval'] })
    expect(await look(error.location)).toMatchObject({ status: 200, state: 'pending' })

    const waited = look(`${error.location}?wait=50`)
    const decided = await decide(error.approval_id, 'approve')
    expect(await waited).toMatchObject({ status: 200, state: 'approved' })
    expect(gateway.emulator.requests()).toHaveLength(0)

    const answer = await send(body, error.approval_id)
    expect(answer.status).toBe(200)
    if (stream) expect((await readEvents(answer)).done).toBe(true)
    else await answer.text()
    await gateway.settlements(key.organisationId)
    expect((await refusalOf(body, error.approval_id)).error.reason).toBe('used')
    expect(gateway.emulator.requests()).toHaveLength(1)
    expect(await look(error.location)).toMatchObject({ state: 'executed' })

    const [{ acceptance }] = decided['decisions'] as [{ acceptance: { public_key: string } }]
    const args = [keepFile(acceptance), '--profile', 'accept-1', '--key', acceptance.public_key]
    const { status, said } = await verify(...args, '--subject', keepFile(record))
    expect([status, said]).toEqual([0, expect.stringMatching(/^valid +acceptance .*OVERRIDDEN/)])
  })

  it('does not run with the approval of another request, nor by another wire format', async () => {
    const body = ask('gpt-4.1-mini')
    const { error } = await refusalOf(body)
    await decide(error.approval_id, 'approve')
    expect((await refusalOf(ask('gpt-4.1-mini'), error.approval_id)).error.reason).toBe('request_hash_differs')
    const responses = await gateway.service.fetch('/v1/responses', {
      method: 'POST',
      headers: {
        ...LETTERS,
        authorization: `Bearer ${key.key}`,
        'content-type': 'application/json',
        'x-aqta-approval': error.approval_id,
      },
      body: JSON.stringify({ model: 'gpt-4.1-mini', input: 'Hello' }),
    })
    expect(responses.status).toBe(403)
    expect(gateway.emulator.requests()).toHaveLength(0)
  })

  it('does not run once it is denied, nor once the policy has changed', async () => {
    const [denied, withdrawn] = [ask('gpt-4.1-mini'), ask('gpt-4.1-mini')]
    const [one, other] = [await refusalOf(denied), await refusalOf(withdrawn)]
    await decide(one.error.approval_id, 'deny')
    expect((await refusalOf(denied, one.error.approval_id)).error.reason).toBe('denied')
    await decide(other.error.approval_id, 'approve')
    await byAdmin(200, 'PUT', '/api/policies', { human_approval: { when: [{}] }, withdraw_waiting: true })
    expect((await refusalOf(withdrawn, other.error.approval_id)).error.reason).toBe('withdrawn')
    expect(gateway.emulator.requests()).toHaveLength(0)
  })
})

describe('the header and the address', () => {
  it('take an approval_id of this key and nothing else', async () => {
    const response = await send(ask('gpt-4.1-mini'), 'approved!')
    const { error } = (await response.json()) as { error: { code: string; param: string } }
    expect([response.status, error.code, error.param]).toEqual([400, 'invalid_request', 'x-aqta-approval'])

    const refused = await refusalOf(ask('gpt-4.1-mini'))
    const asOther = async (path: string, by: GatewayKey) =>
      (await gateway.service.fetch(path, { headers: { authorization: `Bearer ${by.key}` } })).status
    const stranger = await gateway.createKey()
    expect(await asOther(refused.error.location, stranger)).toBe(404)
    expect(await asOther('/v1/approvals/apr_1', key)).toBe(404)
    for (const wait of ['51', '-1', 'x', '1.5']) {
      expect(await asOther(`${refused.error.location}?wait=${wait}`, key)).toBe(400)
    }
    expect(await asOther(`${refused.error.location}?wait=51`, { ...key, key: `${key.key.slice(0, -1)}_` })).toBe(401)
  })

  it('cost nothing and are not needed where no case fits', async () => {
    const response = await gateway.chat(key.key, ask('gpt-4.1-mini'), {
      headers: { 'x-aqta-approval': `apr_${crypto.randomUUID()}` },
    })
    expect(response.status).toBe(200)
  })
})
