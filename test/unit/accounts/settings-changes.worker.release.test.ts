// Whose settings hold when several people change them at once, or when D1 is late, lost or of an earlier day: the object's.
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OrganisationsStore } from '../../../src/accounts/organisations.store.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { foundOrganisation, writeSettings, type ChatOrganisation } from '../organisation/chat-organisation.ts'
import { runs } from '../../support/runs.ts'

type Shown = { id: string } & Record<string, unknown>

const show = ({ service, id }: ChatOrganisation) => service.operate<Shown>('GET', `/organisations/${id}`)

async function listed({ service, id }: ChatOrganisation): Promise<Shown | undefined> {
  const { data } = await service.operate<{ data: Shown[] }>('GET', '/organisations?limit=100')
  return data.find((organisation) => organisation.id === id)
}

/** A service whose database answers nothing that writes. */
function serviceWithoutWrites(): Service {
  const failing = { bind: () => ({ run: async () => Promise.reject(new Error('cut off')) }) }
  const prepare = (statement: string) => (statement.startsWith('UPDATE') ? failing : env.DB.prepare(statement))
  return startService({ DB: { prepare } })
}

describe('changes of settings at the same time', () => {
  it('never bring a disabled provider back', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    for (let round = 0; round < 60; round += 1) {
      await organisation.set({ enabled_providers: ['openai', 'google'] })
      await Promise.all([organisation.set({ enabled_providers: [] }), organisation.set({ name: `Round ${round}` })])
      expect(await organisation.describe(key)).toMatchObject({ enabledProviders: [] })
      expect(await show(organisation)).toMatchObject({ enabled_providers: [], name: `Round ${round}` })
      expect(await listed(organisation)).toMatchObject({ enabled_providers: [], name: `Round ${round}` })
    }
  })

  it('all hold where each changes something else', async () => {
    const changes = fc.record(
      {
        name: fc.constantFrom('A practice', 'Another practice'),
        enabled_providers: fc.subarray(['openai', 'anthropic', 'google', 'perplexity']),
        requests_per_minute: fc.integer({ min: 1, max: 30_000 }),
        requests_per_month: fc.integer({ min: 1, max: 1000 }),
        monthly_budget_eur: fc.nat(1000),
        default_max_tokens: fc.integer({ min: 1, max: 1000 }),
        cache_instructions: fc.boolean(),
        idempotent_replays: fc.boolean(),
        unsupported: fc.constantFrom('drop', 'refuse'),
        retention_days: fc.option(fc.integer({ min: 7, max: 2557 })),
        loop_repeats: fc.integer({ min: 2, max: 20 }),
        loop_window_seconds: fc.integer({ min: 10, max: 300 }),
        loop_cycle_rounds: fc.integer({ min: 2, max: 20 }),
        loop_cycle_window_seconds: fc.integer({ min: 10, max: 3600 }),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const organisation = await foundOrganisation({ tier: 'enterprise' })
        const expected: Record<string, unknown> = {}
        for (const round of rounds) {
          await Promise.all(Object.entries(round).map(([member, value]) => organisation.set({ [member]: value })))
          Object.assign(expected, round)
        }
        expect(await show(organisation)).toMatchObject(expected)
        expect(await listed(organisation)).toMatchObject(expected)
      }),
      { numRuns: runs(10) },
    )
  })

  it('answer with what is in force, also of what others have changed', async () => {
    const organisation = await foundOrganisation({ tier: 'enterprise' })
    await organisation.set({ enabled_providers: ['google'] })
    expect(await organisation.set({ requests_per_minute: 9 })).toMatchObject({
      enabled_providers: ['google'],
      requests_per_minute: 9,
    })
  })
})

describe('a write to D1', () => {
  it('that comes late undoes nothing', async () => {
    const organisation = await foundOrganisation()
    const store = new OrganisationsStore(env.DB)
    const before = await store.findOrganisation(organisation.id)
    if (before === null) throw new Error('there is no row')
    await organisation.set({ enabled_providers: [] })
    await store.writeSettings(organisation.id, before)
    await store.writeSettings(organisation.id, { ...before, enabledProviders: ['openai'], version: before.version + 1 })
    expect(await listed(organisation)).toMatchObject({ enabled_providers: [] })
  })

  it('that fails leaves what is in force, is said to have failed, and is made up for', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const path = `/organisations/${organisation.id}`
    const failed = await serviceWithoutWrites().operate('PATCH', path, { enabled_providers: [] })
    expect(failed).toMatchObject({ error: { code: 'service_unavailable' } })
    expect(await organisation.describe(key)).toMatchObject({ enabledProviders: [] })
    expect(await show(organisation)).toMatchObject({ enabled_providers: [] })
    expect(await listed(organisation)).toMatchObject({ enabled_providers: [] })
  })

  it('is taken from an object that was taken back to an earlier day', async () => {
    const organisation = await foundOrganisation({ tier: 'enterprise' })
    for (const perMinute of [1, 2, 3]) await organisation.set({ requests_per_minute: perMinute })
    await writeSettings(organisation, { version: 1, requestsPerMinute: null })
    await organisation.set({ enabled_providers: ['google'] })
    const expected = { requests_per_minute: null, enabled_providers: ['google'] }
    expect(await show(organisation)).toMatchObject(expected)
    expect(await listed(organisation)).toMatchObject(expected)
  })
})

describe('the region of an organisation', () => {
  it.each([
    [{}, 'weur'],
    [{ region: 'eeur' }, 'eeur'],
    [{ jurisdiction: 'global' }, null],
    [{ jurisdiction: 'global', region: 'apac' }, 'apac'],
  ])('founded with %o is %s, and stays it', async (body, region) => {
    const service = startService()
    const founded = await service.operate<Shown>('POST', '/organisations', { name: 'A test practice', ...body })
    expect(founded).toMatchObject({ region })
    expect(await service.operate('GET', `/organisations/${founded.id}`)).toMatchObject({ region })
    const moved = await service.operate('PATCH', `/organisations/${founded.id}`, { region: 'oc' })
    expect(moved).toMatchObject({ error: { code: 'invalid_request' } })
  })

  it.each(['enam', 'atlantis'])('cannot be %s in the European jurisdiction', async (region) => {
    const refused = await startService().operate('POST', '/organisations', { name: 'A test practice', region })
    expect(refused).toMatchObject({ error: { code: 'invalid_request', fields: [{ path: 'region' }] } })
  })

  it('is what its object is asked for by the very first call that it gets', async () => {
    const hints: unknown[] = []
    const { ORGANISATIONS } = env
    const namespace = {
      getByName(name: string, options?: DurableObjectNamespaceGetDurableObjectOptions) {
        hints.push(options?.locationHint)
        return ORGANISATIONS.getByName(name)
      },
    }
    const service = startService({ ORGANISATIONS: namespace })
    await service.operate('POST', '/organisations', { name: 'A test practice', region: 'eeur' })
    expect(hints).toEqual(['eeur'])
    await service.operate('GET', '/organisations')
    expect(hints).toEqual(['eeur', 'weur'])
  })
})
