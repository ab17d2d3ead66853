// Tests the operator's settings of a gateway: shown as they are in force, refused if the tier forbids them.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { startService } from '../../support/unit/service.ts'
import { makeTables } from '../../support/unit/tables.ts'
import { foundOrganisation, writeSettings } from './chat-organisation.ts'

type Shown = { id: string } & Record<string, unknown>
type Refused = { error: { code: string; param?: string; fields?: { path: string; rule: string }[] } }

const openOrganisation = (id: string) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

const nothingSettled = {
  tier: 'free',
  enabled_providers: [],
  requests_per_minute: null,
  requests_per_month: null,
  monthly_budget_eur: null,
  cache_instructions: false,
  idempotent_replays: false,
  unsupported: 'drop',
}

describe('the settings of an organisation', () => {
  it('enable no provider and set no limits until somebody does', async () => {
    const shown = await startService().operate<Shown>('POST', '/organisations', { name: 'A test practice' })
    expect(shown).toMatchObject(nothingSettled)
  })

  it('change only where something is sent; null takes a limit away', async () => {
    const service = startService()
    const settled = {
      tier: 'enterprise',
      enabled_providers: ['anthropic', 'google'],
      requests_per_minute: 50,
      requests_per_month: 7000,
      monthly_budget_eur: 12.345678,
      cache_instructions: true,
      idempotent_replays: true,
      unsupported: 'refuse',
    }
    const { id } = await service.operate<Shown>('POST', '/organisations', { name: 'A test practice', ...settled })
    const path = `/organisations/${id}`
    expect(await service.operate('GET', path)).toMatchObject(settled)
    expect(await service.operate('PATCH', path, { name: 'Renamed' })).toMatchObject({ ...settled, name: 'Renamed' })
    const change = { requests_per_month: null, monthly_budget_eur: 0, enabled_providers: [] }
    expect(await service.operate('PATCH', path, change)).toMatchObject({ ...settled, ...change })
    expect(await service.operate('GET', path)).toMatchObject({ ...settled, ...change, name: 'Renamed' })
  })

  it('are in the ledger with each change, in micro-euro', async () => {
    const organisation = await foundOrganisation()
    await organisation.set({ tier: 'pro', monthly_budget_eur: 1.5 })
    expect(await organisation.acts()).toMatchObject([
      { act: 'organisation.create', tier: 'free', monthly_budget_microeur: null },
      { act: 'organisation.update', tier: 'pro', monthly_budget_microeur: 1_500_000 },
    ])
  })

  it.each([
    ['an unknown provider', { enabled_providers: ['elsewhere'] }, 'enabled_providers[0]'],
    ['a rate of none', { requests_per_minute: 0 }, 'requests_per_minute'],
    ['a rate beyond what one object holds', { requests_per_minute: 30_001 }, 'requests_per_minute'],
    ['parameters sent all the same', { unsupported: 'send' }, 'unsupported'],
    ['instructions kept now and then', { cache_instructions: 'sometimes' }, 'cache_instructions'],
    ['a default of no tokens', { default_max_tokens: 0 }, 'default_max_tokens'],
    ['half a request', { requests_per_month: 1.5 }, 'requests_per_month'],
    ['a budget below nothing', { monthly_budget_eur: -1 }, 'monthly_budget_eur'],
    ['a budget finer than a micro-euro', { monthly_budget_eur: 0.0000001 }, 'monthly_budget_eur'],
  ])('take no %s', async (_, change, path) => {
    const organisation = await foundOrganisation({ tier: 'enterprise' })
    const { error } = (await organisation.set(change)) as Refused
    expect([error.code, error.fields?.map((field) => field.path)]).toEqual(['invalid_request', [path]])
  })

  it.each([
    ['starter', { requests_per_minute: 10 }, 'requests_per_minute'],
    ['healthcare', { requests_per_minute: 10 }, 'requests_per_minute'],
    ['pro', { requests_per_month: 10 }, 'requests_per_month'],
  ])('let %s have no %o of its own, and change nothing', async (tier, change, param) => {
    const organisation = await foundOrganisation({ tier })
    const { error } = (await organisation.set({ ...change, name: 'Renamed' })) as Refused
    expect(error).toMatchObject({ code: 'invalid_request', param })
    expect(await organisation.service.operate('GET', `/organisations/${organisation.id}`)).toMatchObject({
      name: 'A test practice',
      requests_per_minute: null,
      requests_per_month: null,
    })
    const founding = { name: 'Another', tier, ...change }
    const refused = await organisation.service.operate<Refused>('POST', '/organisations', founding)
    expect(refused.error.param).toBe(param)
  })

  it('keep their tier while they have a limit of their own that another tier does not have', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', requests_per_minute: 7 })
    const key = await organisation.issueKey()
    const { error } = (await organisation.set({ tier: 'starter' })) as Refused
    expect(error).toMatchObject({ code: 'invalid_request', param: 'requests_per_minute' })
    expect(await organisation.admit(key)).toMatchObject({ rate: { limit: 7 } })
    expect(await organisation.set({ tier: 'starter', requests_per_minute: null })).toMatchObject({ tier: 'starter' })
    expect(await organisation.admit(key)).toMatchObject({ rate: { limit: 100 } })
  })

  it('may be changed otherwise where a limit was settled before its tier refused it', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', requests_per_minute: 7 })
    await writeSettings(organisation, { tier: 'starter' })
    expect(await organisation.service.operate('GET', `/organisations/${organisation.id}`)).toMatchObject({
      tier: 'starter',
      requests_per_minute: 7,
    })
    expect(await organisation.set({ enabled_providers: [] })).toMatchObject({ tier: 'starter', enabled_providers: [] })
  })

  it('are those of the free tier, with no provider, for an object about which nothing was settled', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const record = await openOrganisation(organisation.id).keys.find(key.keyId, null)
    if (record === null) throw new Error('there is no such key')
    const unsettled = openOrganisation('org_of_which_nothing_was_settled')
    await unsettled.keys.issue(record, { actor: 'operator', act: 'key.create', requestId: 'req_test' })
    expect(await unsettled.admitWithoutModel('models', key)).toMatchObject({
      tier: 'free',
      enabledProviders: [],
      rate: { limit: 5 },
    })
  })

  it('of an organisation founded before there were any read as nothing settled', async () => {
    await makeTables()
    await env.DB.exec(
      "INSERT INTO organisations (id, name, jurisdiction, created_at) VALUES ('org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11', 'Old', 'eu', 1)",
    )
    const shown = await startService().operate('GET', '/organisations/org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11')
    expect(shown).toMatchObject(nothingSettled)
  })
})
