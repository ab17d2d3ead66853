// Every operation of the OpenAPI document, with requests that fit it, nearly fit it or do not, from everybody who could send
// them: no answer is a failure of ours, and each is one that the document declares. PROPERTY_RUNS=100 asks for more of them.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROLES } from '../../src/accounts/access/roles.policy.ts'
import { KEY_SCOPES } from '../../src/keys/key.schema.ts'
import { operationsOf, requestsOf, type Operation } from '../support/e2e/fuzz/requests.ts'
import { startGateway, type StartedGateway } from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'
import { runs } from '../support/runs.ts'

const RUNS = runs(1)

let gateway: StartedGateway
let document: unknown

beforeAll(async () => {
  gateway = await startGateway({}, { sample: true })
  document = await (await gateway.service.fetch('/v1/openapi.json')).json()
})
afterAll(() => gateway.close())

type Caller = { who: string; headers: Record<string, string> }

type Cast = { callers: Caller[]; known: string[] }

let readers: Promise<Cast> | undefined

/** An organisation with everybody in it, and everybody outside. */
async function inviteEverybody(): Promise<Cast> {
  const { service } = gateway
  const { key, id, organisationId } = await gateway.createKey({ tier: 'enterprise', requests_per_minute: 30_000 })
  const people = await Promise.all(
    [...ROLES, null].map(async (role) => {
      const { personId, email, headers } = await signInAs(service, organisationId, role)
      return { who: role ?? 'a stranger', personId, email, headers: { cookie: headers.cookie } }
    }),
  )
  const keys = await Promise.all(
    KEY_SCOPES.map(async (scope) => {
      const prefix = scope === 'chat' || scope === 'manage' ? 'aqta_' : 'vk_test_'
      const wanted = { prefix, name: 'A fuzzed key', scopes: [scope] }
      const made = await service.operate<{ key: string }>('POST', `/organisations/${organisationId}/keys`, wanted)
      return { who: `a key for ${scope}`, headers: { authorization: `Bearer ${made.key}` } }
    }),
  )
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    callers: [
      { who: 'nobody', headers: {} },
      ...people.map(({ who, headers }) => ({ who, headers })),
      ...keys,
      { who: 'the operator', headers: bearer(service.operatorToken) },
    ],
    known: [organisationId, id, key, ...people.flatMap(({ personId, email }) => [personId, email]), 'current', '0'],
  }
}

describe('the whole document', () => {
  it('is held to by every operation, whoever asks', async () => {
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThan(29)
    const failures: string[] = []
    for (const operation of operations) failures.push(...(await fuzz(operation)))
    expect(failures).toEqual([])
  })
})

/** Operations that only read change nobody, so they share one cast. */
async function castFor({ method }: Operation): Promise<Cast> {
  readers ??= inviteEverybody()
  return method === 'GET' ? readers : inviteEverybody()
}

async function fuzz(operation: Operation): Promise<string[]> {
  const { callers, known } = await castFor(operation)
  const { url } = gateway.service
  const requests = fc.sample(requestsOf(document, operation, { known, origin: url }), callers.length * RUNS)
  const failures: string[] = []
  for (const [n, { path, method, headers, body }] of requests.entries()) {
    const caller = callers[n % callers.length]
    const sent = `${operation.operationId} by ${caller?.who}: ${method} ${path} ${JSON.stringify(headers)} ${body}`
    try {
      // Addresses of many networks, because calls from one soon reach its limit.
      const all = { 'cf-connecting-ip': `198.51.${n % 256}.1`, ...headers, ...caller?.headers }
      const send = () => gateway.service.fetch(path, { method, headers: all, body, redirect: 'manual' })
      const response = await send().catch(onceMore(send))
      if (response.status >= 500) failures.push(`${sent} -> ${response.status} ${await response.text()}`)
      else await response.body?.cancel()
    } catch (thrown) {
      failures.push(`${sent} -> ${String(thrown)}`)
    }
  }
  return failures
}

/** The runtime closes a connection 5 s after its last answer, at about which time `fetch` forgets it too. */
const onceMore = (send: () => Promise<Response>) => async (thrown: unknown) => {
  if (thrown instanceof TypeError) return send()
  throw thrown
}
