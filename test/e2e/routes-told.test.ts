// What people are told of a call by several routes: receipts, the audit trail, the report, approvals, lists and errors.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { emulatedProviders } from '../../scripts/local/emulated-providers.ts'
import { ENDPOINT_IDS, PROVIDER_IDS, type EndpointId } from '../../src/providers/provider-registry.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { until } from '../support/until.ts'

let emulators: ReadonlyMap<EndpointId, Emulator>
let service: Deployment

const emulatorOf = (endpoint: EndpointId): Emulator => {
  const emulator = emulators.get(endpoint)
  if (emulator === undefined) throw new Error(`${endpoint} has no emulator`)
  return emulator
}

beforeAll(async () => {
  const started = ENDPOINT_IDS.map(async (id) => [id, await startEmulator({ record: true })] as const)
  emulators = new Map(await Promise.all(started))
  service = await deploy({ sample: true, vars: emulatedProviders((one) => emulatorOf(one).url) })
})
afterAll(async () => {
  await service.close()
  await Promise.all([...emulators.values()].map((emulator) => emulator.close()))
})
beforeEach(() => {
  for (const emulator of emulators.values()) emulator.reset()
})

type Organisation = { key: string; organisationId: string }

async function found(terms: object = {}): Promise<Organisation> {
  const wanted = { name: 'A test practice', tier: 'enterprise', enabled_providers: PROVIDER_IDS, ...terms }
  const { id: organisationId } = await service.operate<{ id: string }>('POST', '/organisations', wanted)
  const key = { prefix: 'aqta_', name: 'A test key', scopes: ['chat', 'manage'] }
  const made = await service.operate<{ key: string }>('POST', `/organisations/${organisationId}/keys`, key)
  return { ...made, organisationId }
}

const JsonSchema = z.record(z.string(), z.unknown())

async function send(
  { key }: Organisation,
  path: string,
  { method = 'GET', body, header = {} }: { method?: string; body?: object; header?: Record<string, string> } = {},
) {
  const response = await service.fetch(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...header },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? JsonSchema.parse(JSON.parse(text)) : {}
  return { response, status: response.status, text, json }
}

let marks = 0

async function ask(who: Organisation, model: string, more: object = {}, header: Record<string, string> = {}) {
  const mark = `quicksilver-marigold-${(marks += 1)}-end`
  const body = { model, max_completion_tokens: 50, messages: [{ role: 'user', content: mark }], ...more }
  return { mark, ...(await send(who, '/v1/chat/completions', { method: 'POST', body, header })) }
}

const reachedBy = (mark: string): EndpointId[] =>
  ENDPOINT_IDS.filter((endpoint) => JSON.stringify(emulatorOf(endpoint).requests()).includes(mark))

const settled = (who: Organisation, count = 1) =>
  until(
    'settled',
    async () => (await service.ledger(who.organisationId)).filter((entry) => 'settles' in entry),
    (all) => all.length >= count,
  )

async function control(who: Organisation, id: string) {
  const { json } = await send(who, '/api/compliance/score')
  const list: unknown = json['controls']
  const read = z.array(z.looseObject({ id: z.string(), state: z.string(), evidence: JsonSchema.nullish() })).parse(list)
  return read.find((one) => one.id === id)
}

const EEA = { 'x-aqta-data-region': 'eea_ch' }

it('a receipt and its CSV name the provider that answered', async () => {
  const who = await found()
  emulatorOf('anthropic').behave('anthropic', ['529'])
  const { json } = await ask(who, 'claude-haiku-5-5')
  await settled(who)
  expect(json['aqta']).toMatchObject({ provider: 'bedrock' })
  const receipts = await send(who, '/api/health/receipts')
  const day = new Date().toISOString().slice(0, 10)
  const csv = await send(who, `/api/health/receipts/export?format=csv&start=${day}&end=${day}`)
  expect.soft(receipts.json).toMatchObject({ data: [{ provider: 'bedrock' }] })
  expect.soft(csv.text).toContain(',claude-haiku-5-5,bedrock,')
})

it('a receipt and the audit trail name the further model that answered', async () => {
  const who = await found()
  emulatorOf('openai-eu').behave('openai-eu', ['429'])
  const { json } = await ask(who, 'gpt-6-luna', { models: ['mistral-large-4'] }, EEA)
  await settled(who)
  expect(json['aqta']).toMatchObject({ provider: 'mistral', model: 'mistral-large-4' })
  const receipts = await send(who, '/api/health/receipts')
  expect.soft(receipts.json).toMatchObject({ data: [{ provider: 'mistral' }] })
  const trail = await send(who, '/api/compliance/audit-trail')
  expect(trail.json).toMatchObject({ data: [{ model: 'gpt-6-luna', other_model: 'mistral-large-4' }] })
})

it('the report names as recipients only providers that are enabled or got text', async () => {
  const who = await found({ enabled_providers: ['bedrock'] })
  const { mark } = await ask(who, 'claude-haiku-5-5', {}, { 'x-aqta-use-case': 'a' })
  await settled(who)
  expect(reachedBy(mark)).toEqual(['bedrock-eu-west-1'])
  const seen = await until(
    'counted',
    () => control(who, 'D5'),
    (one) => one?.state === 'pass',
  )
  expect(seen?.evidence).toMatchObject({ values: { recipients: ['bedrock'] } })
})

it('what only Bedrock refuses is told by its member, where Bedrock alone is enabled', async () => {
  const who = await found({ enabled_providers: ['bedrock'] })
  const { status, json } = await ask(who, 'claude-haiku-5-5', { user: 'a{b' })
  expect([status, json['error']]).toMatchObject([400, { param: 'user' }])
})

it('what only Bedrock refuses is told inside a region where it has the only route', async () => {
  const who = await found()
  const { status, json } = await ask(who, 'claude-haiku-5-5', { user: 'a{b' }, { 'x-aqta-data-region': 'eu' })
  expect([status, json['error']]).toMatchObject([400, { param: 'user' }])
})

it('a further model whose output limit is lower is refused', async () => {
  const who = await found()
  const more = { models: ['claude-haiku-4-5'], max_completion_tokens: 100_000 }
  const { status, json } = await ask(who, 'gpt-6-luna', more, EEA)
  expect([status, json['error']]).toMatchObject([400, { param: 'models' }])
})

it('aqta.outside tells of a schema that an earlier route got', async () => {
  const who = await found()
  emulatorOf('openai-eu').behave('openai-eu', ['429'])
  const schema = { name: 'a', schema: { type: 'object', properties: { quicksilver_member: { type: 'string' } } } }
  const more = { models: ['mistral-large-4'], response_format: { type: 'json_schema', json_schema: schema } }
  const { json } = await ask(who, 'gpt-6-luna', more, EEA)
  expect(reachedBy('quicksilver_member')).toContain('openai-eu')
  expect(json['aqta']).toMatchObject({ outside: ['schema'] })
})

it('a replay has the region and the attempts of the first answer in its headers', async () => {
  const who = await found()
  await send(who, '/api/settings', { method: 'PATCH', body: { idempotent_replays: true } })
  emulatorOf('bedrock-eu-west-1').behave('bedrock-eu-west-1', ['529'])
  const body = { messages: [{ role: 'user', content: 'once and again' }] }
  const header = { 'x-aqta-data-region': 'eu', 'idempotency-key': 'k1' }
  const told = async () => {
    const { response } = await ask(who, 'claude-haiku-5-5', body, header)
    return ['x-aqta-data-region', 'x-aqta-route-attempts'].map((name) => response.headers.get(name))
  }
  expect(await told()).toEqual(['eu', '2'])
  await settled(who)
  expect(await told()).toEqual(['eu', '2'])
})

it('GET /v1/models names a provider that the organisation has enabled', async () => {
  const who = await found({ enabled_providers: ['bedrock'] })
  const { json } = await send(who, '/v1/models/claude-haiku-5-5')
  expect(json['provider']).toBe('bedrock')
})

it('a call that only the first route got is not told as one of the second', async () => {
  const who = await found()
  emulatorOf('anthropic').behave('anthropic', ['529'])
  // Cloudflare’s 522: no connection was made.
  emulatorOf('bedrock-eu-west-1').behave('bedrock-eu-west-1', Array<string>(4).fill('html,522'))
  const { json } = await ask(who, 'claude-haiku-5-5')
  const [settlement] = await settled(who)
  expect.soft(json['aqta']).toMatchObject({ provider: 'anthropic', route: 'anthropic' })
  const trail = await send(who, '/api/compliance/audit-trail')
  expect.soft(trail.json).toMatchObject({ data: [{ provider: 'anthropic' }] })
  expect(settlement).toMatchObject({ route: 'anthropic' })
})

it('GET /api/providers names the host that the settlement names', async () => {
  const who = await found()
  await ask(who, 'sonar')
  const [settlement] = await settled(who)
  const { json } = await send(who, '/api/providers')
  const hosts = JSON.stringify(json['data'])
  expect(hosts).toContain(`"host":"${String(settlement?.['host'])}"`)
})

it('an approver sees the further models and the region of the request', async () => {
  const who = await found()
  await send(who, '/api/policies', { method: 'PUT', body: { human_approval: { when: [{}] } } })
  await ask(who, 'gpt-6-luna', { models: ['mistral-large-4', 'sonar'] })
  const { json } = await send(who, '/api/approvals')
  const facts = { other_models: ['mistral-large-4', 'sonar'], data_region: 'any' }
  expect(json).toMatchObject({ data: [{ facts }] })
})
