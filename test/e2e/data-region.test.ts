// A marked prompt under a data region, with an emulator of its own for each endpoint. However the endpoints inside misbehave, the mark
// is in no request to an endpoint outside, and the settlement names the hosts that got it. Without the region the same run reaches
// endpoints outside, or the test would prove nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BEHAVIOURS } from '../../scripts/emulator/behaviours.ts'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { emulatedProviders } from '../../scripts/local/emulated-providers.ts'
import { seededRandom } from '../../scripts/seeded-random.ts'
import { isWithin, type DataRegion } from '../../src/platform/data-region.ts'
import { catalogueSha256, findRoutes } from '../../src/providers/model-catalogue.ts'
import { ENDPOINT_IDS, PROVIDER_IDS, type EndpointId } from '../../src/providers/provider-registry.ts'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'
import { SettlementSchema, type Settlement } from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

/** A model with three routes, of which two are in the EU, and one with two, of which one is in the EEA and Switzerland. */
const MODELS = ['claude-haiku-5-5', 'gpt-6-luna'] as const
const LIMIT_MS = '400'

let emulators: ReadonlyMap<EndpointId, Emulator>
let service: Deployment
let inside: { key: string; organisationId: string }
let anywhere: { key: string; organisationId: string }

const emulatorOf = (endpoint: EndpointId): Emulator => {
  const emulator = emulators.get(endpoint)
  if (emulator === undefined) throw new Error(`${endpoint} has no emulator`)
  return emulator
}

beforeAll(async () => {
  const started = await Promise.all(
    ENDPOINT_IDS.map(async (endpoint) => [endpoint, await startEmulator({ record: true })] as const),
  )
  emulators = new Map(started)
  const limits = {
    PROVIDER_HEADERS_LIMIT_MS: LIMIT_MS,
    PROVIDER_SILENCE_LIMIT_MS: LIMIT_MS,
    PROVIDER_TOTAL_LIMIT_MS: '5000',
  }
  service = await deploy({ sample: false, vars: { ...emulatedProviders((one) => emulatorOf(one).url), ...limits } })
  ;[inside, anywhere] = await Promise.all([found(), found()])
  await putPolicy({ data_region: { within: 'eea_ch' } })
})
afterAll(async () => {
  await service.close()
  await Promise.all([...emulators.values()].map((emulator) => emulator.close()))
})
beforeEach(() => {
  for (const emulator of emulators.values()) emulator.reset()
})

async function found() {
  const terms = {
    name: 'A test practice',
    tier: 'enterprise',
    requests_per_minute: 30_000,
    enabled_providers: PROVIDER_IDS,
  }
  const { id: organisationId } = await service.operate<{ id: string }>('POST', '/organisations', terms)
  const key = { prefix: 'aqta_', name: 'A test key', scopes: ['chat', 'manage'] }
  const made = await service.operate<{ key: string }>('POST', `/organisations/${organisationId}/keys`, key)
  return { ...made, organisationId }
}

async function putPolicy(document: object): Promise<void> {
  const response = await service.fetch('/api/policies', {
    method: 'PUT',
    headers: { authorization: `Bearer ${inside.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(document),
  })
  expect(response.status).toBe(200)
}

let marks = 0

type Sending = { stream?: boolean; header?: Record<string, string>; more?: object; isMessage?: boolean }

/** Sends a request with a mark that no other has. Returns the mark and the answer, read to its end. */
async function send(
  key: string,
  model: string,
  { stream = false, header = {}, more = {}, isMessage = false }: Sending = {},
) {
  const mark = `quicksilver-marigold-${(marks += 1)}-end`
  const response = await service.fetch(isMessage ? '/v1/messages' : '/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...header },
    body: JSON.stringify({
      model,
      stream,
      [isMessage ? 'max_tokens' : 'max_completion_tokens']: 50,
      messages: [{ role: 'user', content: mark }],
      ...more,
    }),
  })
  const text = await response.text()
  return { mark, response, text }
}

/** The endpoints whose emulator got the mark, in any member. */
const reachedBy = (mark: string): EndpointId[] =>
  ENDPOINT_IDS.filter((endpoint) => JSON.stringify(emulatorOf(endpoint).requests()).includes(mark))

const regionOf = (endpoint: EndpointId): DataRegion => {
  const route = MODELS.flatMap(findRoutes).find((one) => one.endpoint === endpoint)
  return route?.dataRegion ?? 'any'
}
const isOutside = (endpoint: EndpointId): boolean => !isWithin(regionOf(endpoint), 'eea_ch')

async function lastSettlement(organisationId: string, count: number): Promise<Settlement | undefined> {
  const read = async () =>
    (await service.ledger(organisationId)).flatMap((entry) => SettlementSchema.safeParse(entry).data ?? [])
  return (await until(`${count} settlements`, read, (settled) => settled.length >= count)).at(-1)
}

/** Checks that the settlement names the endpoints that got the mark, and the host of the last one. */
function expectTold(settlement: Settlement | undefined, reached: readonly EndpointId[]): void {
  const told =
    settlement?.attempts?.map(({ route }) => route) ?? (settlement?.route === undefined ? [] : [settlement.route])
  expect(new Set(told)).toEqual(new Set(reached))
  const last = reached.find((endpoint) => endpoint === settlement?.route)
  expect(settlement?.host).toBe(last && new URL(emulatorOf(last).url).host)
  if (settlement?.route !== undefined) expect(settlement.catalogue).toBe(catalogueSha256())
}

/** Every misbehaviour of the emulator, and a redirect to an endpoint outside. */
const misbehaviours = (): string[] => [
  ...BEHAVIOURS.map(([usage]) => usage.split(/[ ,]/)[0] ?? '').filter(
    (name) => !['until-released', 'redirect'].includes(name),
  ),
  `redirect,${encodeURIComponent(`${emulatorOf('anthropic').url}/anthropic/v1/messages`)}`,
  `redirect,${encodeURIComponent(`${emulatorOf('openai').url}/openai/v1/chat/completions`)}`,
]

const candidatesOf = (model: string): EndpointId[] =>
  findRoutes(model).flatMap(({ endpoint }) => (isOutside(endpoint) ? [] : [endpoint]))

let settled = 0

/** Sends a marked request inside the region, as a chat or as a message. Returns the endpoints that it reached. */
async function sendInside(model: string, stream: boolean): Promise<EndpointId[]> {
  const { mark, response } = await send(inside.key, model, { stream, isMessage: marks % 4 > 1 })
  expect(response.headers.get('x-aqta-data-region')).toBe('eea_ch')
  settled += 1
  const settlement = await lastSettlement(inside.organisationId, settled)
  const reached = reachedBy(mark)
  expect(reached.filter(isOutside)).toEqual([])
  expectTold(settlement, reached)
  return reached
}

describe('a marked prompt inside eea_ch', () => {
  it('reaches no endpoint outside, whatever every endpoint inside does', { timeout: 120_000 }, async () => {
    const reached = new Set<string>()
    for (const model of MODELS) {
      for (const behaviour of misbehaviours()) {
        for (const endpoint of candidatesOf(model))
          emulatorOf(endpoint).behave(endpoint, Array<string>(4).fill(behaviour))
        for (const endpoint of await sendInside(model, marks % 2 === 0)) reached.add(endpoint)
        for (const emulator of emulators.values()) emulator.reset()
      }
    }
    expect([...reached].toSorted()).toEqual(['bedrock-eu-central-1', 'bedrock-eu-west-1', 'openai-eu'])
  })

  it(
    'reaches none with 200 seeds of faults, and the same run without the region does',
    { timeout: 240_000 },
    async () => {
      const faults: readonly [string, ...string[]] = [
        'ok',
        '429,0',
        '503',
        '529',
        '401',
        '403',
        '404',
        '500',
        'html',
        'cut',
        'malformed',
        'mid-error',
        'quota',
        'truncate',
      ]
      const outside = new Set<EndpointId>()
      let hops = 0
      for (let seed = 1; seed <= 200; seed += 1) {
        const random = seededRandom(seed)
        const draw = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0]
        const model = draw(MODELS)
        const drawn = findRoutes(model).map(
          ({ endpoint }) => [endpoint, Array.from({ length: 3 }, () => draw(faults))] as const,
        )
        const stream = random() < 0.5
        const behave = () => {
          for (const [endpoint, list] of drawn) emulatorOf(endpoint).behave(endpoint, list)
        }
        behave()
        const reached = await sendInside(model, stream)
        if (reached.length > 1) hops += 1
        for (const emulator of emulators.values()) emulator.reset()
        behave()
        const { mark } = await send(anywhere.key, model, { stream })
        for (const endpoint of reachedBy(mark).filter(isOutside)) outside.add(endpoint)
        for (const emulator of emulators.values()) emulator.reset()
      }
      expect([...outside].toSorted()).toEqual(['anthropic', 'openai'])
      expect(hops).toBeGreaterThan(10)
    },
  )
})

describe('what a caller is told', () => {
  const luna = 'gpt-6-luna'

  it('names the route and the region, in aqta and in headers', async () => {
    const { response, text } = await send(anywhere.key, luna, { header: { 'x-aqta-data-region': 'eea_ch' } })
    expect(response.headers.get('x-aqta-data-region')).toBe('eea_ch')
    expect(JSON.parse(text)).toMatchObject({ aqta: { provider: 'openai', route: 'openai-eu', data_region: 'eea_ch' } })
    const schema = {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', properties: {} } } },
    }
    const withSchema = await send(anywhere.key, luna, { header: { 'x-aqta-data-region': 'eea_ch' }, more: schema })
    expect(JSON.parse(withSchema.text)).toMatchObject({ aqta: { outside: ['schema'] } })
    const plain = await send(anywhere.key, luna, { more: schema })
    expect(JSON.parse(plain.text)).toMatchObject({ aqta: { route: 'openai', data_region: 'any' } })
    expect(plain.text).not.toContain('"outside"')
  })

  it('counts the attempts where a second route was asked', async () => {
    emulatorOf('bedrock-eu-west-1').behave('bedrock-eu-west-1', ['529'])
    const { response, text, mark } = await send(inside.key, 'claude-haiku-5-5')
    settled += 1
    expect(response.headers.get('x-aqta-route-attempts')).toBe('2')
    expect(JSON.parse(text)).toMatchObject({ aqta: { route: 'bedrock-eu-central-1', provider: 'bedrock' } })
    expect(reachedBy(mark)).toEqual(['bedrock-eu-west-1', 'bedrock-eu-central-1'])
    expect((await lastSettlement(inside.organisationId, settled))?.attempts).toEqual([
      { route: 'bedrock-eu-west-1', cause: 'overloaded', billed: 'no' },
      { route: 'bedrock-eu-central-1', cause: null, billed: 'maybe' },
    ])
  })

  it('names the places of every route that was asked, because each provider got the text', async () => {
    emulatorOf('anthropic').behave('anthropic', ['529'])
    const elsewhere = await found()
    const { mark } = await send(elsewhere.key, 'claude-haiku-5-5')
    expect(reachedBy(mark)).toEqual(['anthropic', 'bedrock-eu-west-1'])
    const settlement = await lastSettlement(elsewhere.organisationId, 1)
    expect([settlement?.route, settlement?.places]).toEqual([
      'bedrock-eu-west-1',
      ['US', 'DE', 'ES', 'FR', 'IE', 'IT', 'SE'],
    ])
  })

  it.each(['500', 'cut', 'mid-error', 'malformed', 'refuse,400', 'silent'])(
    'is never asked again by another route after %s, which may have been billed or is the request’s fault',
    async (behaviour) => {
      emulatorOf('bedrock-eu-west-1').behave('bedrock-eu-west-1', [behaviour])
      const { mark } = await send(inside.key, 'claude-haiku-5-5', { stream: behaviour === 'mid-error' })
      settled += 1
      await lastSettlement(inside.organisationId, settled)
      expect(reachedBy(mark)).toEqual(['bedrock-eu-west-1'])
    },
  )

  it('is blocked with a record where no route stays inside, before any provider', async () => {
    const { response, text, mark } = await send(inside.key, 'sonar')
    expect(response.status).toBe(403)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'policy_blocked', policy: 'data_region', reason: 'no_route', data_regions: ['any'] },
    })
    expect(reachedBy(mark)).toEqual([])
  })

  it.each(['EU', 'eu, any', 'eu,eu', '', 'uk', 'null'])('a header %j is invalid', async (value) => {
    const { response, text, mark } = await send(anywhere.key, luna, { header: { 'x-aqta-data-region': value } })
    expect([response.status, JSON.parse(text)]).toMatchObject([400, { error: { param: 'x-aqta-data-region' } }])
    expect(reachedBy(mark)).toEqual([])
  })

  it('a wider header than the policy is invalid, and nothing is sent', async () => {
    const { response, text, mark } = await send(inside.key, luna, { header: { 'x-aqta-data-region': 'any' } })
    expect([response.status, JSON.parse(text)]).toMatchObject([
      400,
      { error: { code: 'invalid_request', param: 'x-aqta-data-region' } },
    ])
    expect(reachedBy(mark)).toEqual([])
  })
})

describe('further models that a caller lists', () => {
  const ask = (models: string[], stream = false) => send(inside.key, 'gpt-6-luna', { more: { models }, stream })

  it('are asked in order while each one before certainly did nothing, and named in answer and settlement', async () => {
    emulatorOf('openai-eu').behave('openai-eu', ['429'])
    emulatorOf('bedrock-eu-west-1').behave('bedrock-eu-west-1', ['529'])
    const { text, mark, response } = await ask(['claude-haiku-5-5', 'mistral-medium-3-5'])
    settled += 1
    expect(response.headers.get('x-aqta-route-attempts')).toBe('3')
    expect(JSON.parse(text)).toMatchObject({
      aqta: { model: 'mistral-medium-3-5', route: 'mistral-eu', provider: 'mistral' },
    })
    expect(reachedBy(mark)).toEqual(['openai-eu', 'bedrock-eu-west-1', 'mistral-eu'])
    expect(await lastSettlement(inside.organisationId, settled)).toMatchObject({
      model: 'mistral-medium-3-5',
      ended: 'completed',
    })
  })

  it('are not asked after a failure that may have been billed', async () => {
    emulatorOf('openai-eu').behave('openai-eu', ['500'])
    const { mark, response } = await ask(['claude-haiku-5-5'], true)
    settled += 1
    await lastSettlement(inside.organisationId, settled)
    expect([response.status, reachedBy(mark)]).toEqual([502, ['openai-eu']])
  })

  it.each([
    [['gpt-2'], 404, 'models'],
    [['sonar-pro', 'gemini-3.7-flash'], 404, 'models'],
    [['a', 'b', 'c', 'd', 'e'], 400, 'models'],
  ])('%j is refused by the member', async (models, status, param) => {
    const { response, text, mark } = await ask(models)
    expect([response.status, JSON.parse(text)]).toMatchObject([status, { error: { param } }])
    expect(reachedBy(mark)).toEqual([])
  })

  it('must take the request as it is', async () => {
    const { response, text } = await send(inside.key, 'gpt-6-luna', { more: { models: ['claude-haiku-5-5'], n: 2 } })
    expect([response.status, JSON.parse(text)]).toMatchObject([400, { error: { param: 'models' } }])
  })
})

it('a cached answer is not given to a request that must stay elsewhere', async () => {
  const owner = await found()
  await service.fetch('/api/policies', {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cache: { ttl_seconds: 60 } }),
  })
  const body = { messages: [{ role: 'user', content: 'the same question' }], temperature: 0, reasoning_effort: 'none' }
  const routeOf = async (region: string) => {
    const { text } = await send(owner.key, 'gpt-6-luna', { more: body, header: { 'x-aqta-data-region': region } })
    const { aqta } = JSON.parse(text) as { aqta: { route: string | null; cached: boolean } }
    return [aqta.route, aqta.cached]
  }
  expect(await routeOf('any')).toEqual(['openai', false])
  await until(
    'the answer is cached',
    () => routeOf('any'),
    ([, isCached]) => isCached === true,
  )
  expect(await routeOf('eea_ch')).toEqual(['openai-eu', false])
})
