// The data region where calls are decided: the narrowest of policy, key and request chooses the routes, and nothing adds one later.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RouteFacts } from '../../../../src/organisation/admit/choose-routes.ts'
import type { Act } from '../../../../src/organisation/append-act.ts'
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import type { DataRegion } from '../../../../src/platform/data-region.ts'
import { withApprovals } from '../approvals/approved-organisation.ts'
import {
  foundOrganisation,
  hashOf,
  noon,
  type ChatKey,
  type ChatOrganisation,
  type FactsChange,
} from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const act: Act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' }

const route = (endpoint: RouteFacts['endpoint'], provider: string, dataRegion: DataRegion, cost = 0): RouteFacts => ({
  model: 'gpt-4.1-mini',
  costEffective: true,
  endpoint,
  provider,
  dataRegion,
  upFrontMicroeur: cost,
  inputMicroeur: cost,
  microeurPerMillion: cost,
})

const ROUTES: FactsChange['routes'] = [
  route('openai', 'openai', 'any', 100),
  route('openai-eu', 'openai', 'eea_ch', 110),
  route('bedrock-eu-west-1', 'bedrock', 'eu', 120),
]

async function founded({ within, ofKey }: { within?: DataRegion; ofKey?: DataRegion } = {}, settings: object = {}) {
  const organisation = await foundOrganisation({ tier: 'pro', enabled_providers: ['openai', 'bedrock'], ...settings })
  if (within !== undefined) await put(organisation, { data_region: { within } })
  const key = await organisation.issueKey(ofKey === undefined ? {} : { data_region: ofKey })
  return { organisation, key }
}

const put = async ({ id }: ChatOrganisation, document: PolicyDocument) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id)).policy.change({ document, ifVersion: null }, act)

const send = (organisation: ChatOrganisation, key: ChatKey, dataRegion: DataRegion | null, more: FactsChange = {}) =>
  organisation.admit(key, { routes: ROUTES, dataRegion, ...more })

const routesAt = (endpoints: readonly string[]) => endpoints.map((endpoint) => ({ model: 'gpt-4.1-mini', endpoint }))

const EVERYWHERE = ['openai', 'openai-eu', 'bedrock-eu-west-1']
const EEA = ['openai-eu', 'bedrock-eu-west-1']
const EU = ['bedrock-eu-west-1']

describe('the routes of a call', () => {
  it.each<[string, { within?: DataRegion; ofKey?: DataRegion }, DataRegion | null, DataRegion, string[]]>([
    ['nothing', {}, null, 'any', EVERYWHERE],
    ['its policy', { within: 'eea_ch' }, null, 'eea_ch', EEA],
    ['its key, within its policy', { within: 'eea_ch', ofKey: 'eu' }, null, 'eu', EU],
    ['its policy, within its key', { within: 'eu', ofKey: 'eea_ch' }, null, 'eu', EU],
    ['its header', { ofKey: 'any' }, 'eea_ch', 'eea_ch', EEA],
    ['its header, within both', { within: 'any', ofKey: 'eea_ch' }, 'eu', 'eu', EU],
    ['an equal header', { within: 'eu' }, 'eu', 'eu', EU],
  ])('are limited by %s', async (_, limits, header, region, endpoints) => {
    const { organisation, key } = await founded(limits)
    const admission = await send(organisation, key, header)
    expect(admission).toMatchObject({ outcome: 'admitted', dataRegion: region, routes: routesAt(endpoints) })
    const named = region === 'any' ? [] : [`data_region.${region}`]
    expect(admission).toMatchObject({
      record: { policy_applied: [...named, 'loop_guard', 'model_allowlist', 'rate_limit'] },
    })
  })

  it('are those of enabled providers alone', async () => {
    const { organisation, key } = await founded({}, { enabled_providers: ['bedrock'] })
    expect(await send(organisation, key, null)).toMatchObject({ outcome: 'admitted', routes: routesAt(EU) })
    expect((await organisation.entries()).at(-1)).toMatchObject({ provider: 'bedrock' })
  })

  it('are reserved for at the dearest of them', async () => {
    const { organisation, key } = await founded()
    await send(organisation, key, null)
    await send(organisation, key, 'eea_ch', {
      routes: [route('openai', 'openai', 'any', 900), route('openai-eu', 'openai', 'eea_ch', 110)],
    })
    const reserved = (await organisation.entries()).map(({ reserve_microeur: amount }) => amount)
    expect(reserved.slice(-2)).toEqual([120, 110])
  })
})

describe('the routes to further models of a request', () => {
  const other = (model: string, costEffective: boolean): RouteFacts => ({
    ...route('bedrock-eu-west-1', 'bedrock', 'eu', 500),
    model,
    costEffective,
  })
  const lists: FactsChange = { routes: [route('openai-eu', 'openai', 'eea_ch'), other('claude-opus-5', false)] }

  it('come after those to its own model, and count for what is reserved', async () => {
    const { organisation, key } = await founded()
    const routes = [
      { model: 'gpt-4.1-mini', endpoint: 'openai-eu' },
      { model: 'claude-opus-5', endpoint: 'bedrock-eu-west-1' },
    ]
    expect(await send(organisation, key, null, lists)).toMatchObject({ outcome: 'admitted', routes })
    expect((await organisation.entries()).at(-1)).toMatchObject({ reserve_microeur: 500 })
  })

  it.each<[string, object, PolicyDocument]>([
    ['the tier', { tier: 'free' }, {}],
    ['the policy', {}, { model_allowlist: { models: ['gpt-4.1-mini'] } }],
    ['the enabled providers', { enabled_providers: ['openai'] }, {}],
  ])('are left out where %s excludes the model', async (_, settings, document) => {
    const { organisation, key } = await founded({}, settings)
    await put(organisation, document)
    expect(await send(organisation, key, null, lists)).toMatchObject({ routes: routesAt(['openai-eu']) })
  })

  it('are the only ones where the region excludes its own', async () => {
    const { organisation, key } = await founded({ within: 'eu' })
    expect(await send(organisation, key, null, lists)).toMatchObject({
      outcome: 'admitted',
      routes: [{ model: 'claude-opus-5', endpoint: 'bedrock-eu-west-1' }],
    })
  })

  it('need an approval where one of their models does', async () => {
    const { organisation, key } = await founded()
    await put(organisation, {
      human_approval: { when: [{ models: ['claude-opus-5'] }], expires_seconds: 300, approvals_required: 1 },
    })
    expect((await send(organisation, key, null, lists)).outcome).toBe('approval_required')
    expect((await send(organisation, key, null, { routes: [route('openai', 'openai', 'any')] })).outcome).toBe(
      'admitted',
    )
  })
})

describe('a call without a route inside', () => {
  it('is blocked with a signed record, and told which regions have one', async () => {
    const { organisation, key } = await founded({ within: 'eu' }, { enabled_providers: ['openai'] })
    const refused = await send(organisation, key, null)
    expect(refused).toMatchObject({
      outcome: 'policy_blocked',
      policy: 'data_region',
      reason: 'no_route',
      dataRegions: ['eea_ch', 'any'],
      record: { outcome: 'BLOCKED', policy_applied: ['data_region'] },
    })
    expect((await organisation.entries()).at(-1)).toMatchObject({ reason: 'no_route', data_region: 'eu' })
    const { months } = await organisation.state()
    expect(months.open.size).toBe(0)
  })

  it('is blocked by its key or its header too, where no policy has the rule', async () => {
    const nowhere: FactsChange = { routes: [route('openai', 'openai', 'any')] }
    for (const [limits, header] of [
      [{ ofKey: 'eu' }, null],
      [{}, 'eea_ch'],
    ] as const) {
      const { organisation, key } = await founded(limits)
      expect(await send(organisation, key, header, nowhere)).toMatchObject({
        policy: 'data_region',
        dataRegions: ['any'],
      })
    }
  })

  it('is refused by the model’s rule first', async () => {
    const { organisation, key } = await founded()
    await put(organisation, { model_allowlist: { models: ['sonar'] }, data_region: { within: 'eu' } })
    expect(await send(organisation, key, null, { routes: [route('openai', 'openai', 'any')] })).toMatchObject({
      policy: 'model_allowlist',
    })
  })
})

describe('a header that is wider than the limit', () => {
  it.each<[{ within?: DataRegion; ofKey?: DataRegion }, DataRegion]>([
    [{ within: 'eu' }, 'eea_ch'],
    [{ within: 'eea_ch' }, 'any'],
    [{ ofKey: 'eu' }, 'any'],
    [{ within: 'any', ofKey: 'eea_ch' }, 'any'],
  ])('%o: %s is invalid and leaves no entry', async (limits, header) => {
    const { organisation, key } = await founded(limits)
    const before = await organisation.entries()
    expect((await send(organisation, key, header)).outcome).toBe('data_region_wider')
    expect(await organisation.entries()).toEqual(before)
  })
})

describe('what is stored for a region', () => {
  it('is in the cache of that region alone', async () => {
    const { organisation, key } = await founded()
    await put(organisation, { cache: { ttl_seconds: 60 } })
    const keyOf = async (region: DataRegion | null, n: number) => {
      const same = { requestHash: hashOf('same'), loopHash: hashOf(`once ${n}`), temperature: 0 }
      const admission = await send(organisation, key, region, same)
      return admission.outcome === 'admitted' ? admission.keep?.cacheEntry?.key.toHex() : admission.outcome
    }
    const keys = [await keyOf(null, 1), await keyOf('eea_ch', 2), await keyOf('eu', 3), await keyOf('any', 4)]
    expect(new Set(keys.slice(0, 3)).size).toBe(3)
    expect(keys[3]).toBe(keys[0])
    expect(keys).not.toContain(undefined)
  })

  it('is not the answer to the same request with another region under one idempotency key', async () => {
    const { organisation, key } = await founded()
    const same = { idempotencyKeyHash: Uint8Array.fromHex(hashOf('k')), requestHash: hashOf('a request') }
    expect((await send(organisation, key, null, same)).outcome).toBe('admitted')
    expect((await send(organisation, key, 'eu', same)).outcome).toBe('other_request')
    expect((await send(organisation, key, null, same)).outcome).toBe('repeated')
  })
})

describe('an approval', () => {
  const approvedFor = async (region: DataRegion | null) => {
    const practice = await withApprovals()
    const asked = await practice.send({
      routes: [route('openai', 'openai', 'any'), route('openai-eu', 'openai', 'eea_ch')],
      dataRegion: region,
    })
    if (asked.outcome !== 'approval_required' || asked.approval === null) throw new Error(asked.outcome)
    await practice.decide(asked.approval.id)
    const run = (header: DataRegion | null) =>
      practice.send({
        routes: [route('openai', 'openai', 'any'), route('openai-eu', 'openai', 'eea_ch')],
        dataRegion: header,
        approval: asked.approval?.id ?? null,
      })
    return run
  }

  it('holds for its region and a narrower one', async () => {
    expect(await (await approvedFor(null))('eea_ch')).toMatchObject({
      outcome: 'admitted',
      routes: routesAt(['openai-eu']),
    })
    expect(await (await approvedFor('eea_ch'))('eea_ch')).toMatchObject({
      outcome: 'admitted',
      routes: routesAt(['openai-eu']),
    })
  })

  it('is of no use in a wider one', async () => {
    expect(await (await approvedFor('eea_ch'))(null)).toMatchObject({
      outcome: 'approval_required',
      reason: 'data_region_differs',
    })
  })
})
