// An organisation's people and keys ask the operator for a higher tier.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { actsOf, errorOf, manage, type Asker, type Managed } from '../managed.ts'

const PATH = '/api/settings/tier-request'

type Request = { object: string; tier: string; requested_at: string; requested_by: string | null }

const askFor = async ({ ask }: Asker, tier: string) => (await ask('POST', PATH, { tier })).json<Request>()

const shownTo = async ({ ask }: Asker) =>
  (await (await ask('GET', '/api/settings')).json<{ tier_request: Request | null }>()).tier_request

async function shownToOperator({ organisation }: Managed): Promise<unknown> {
  type List = { data: { id: string; tier_request: unknown }[] }
  const { data } = await organisation.service.operate<List>('GET', '/organisations?limit=100')
  return data.find(({ id }) => id === organisation.id)?.tier_request
}

describe('askForTier', () => {
  it('is shown to members and the operator, and is an entry of the log', async () => {
    const managed = await manage({ tier: 'free' })
    const owner = await managed.signIn('owner', 'Síle Ryan')
    const auditor = await managed.signIn('auditor')
    expect(await shownTo(auditor)).toBeNull()
    const asked = await askFor(owner, 'healthcare')
    expect(asked).toMatchObject({ object: 'tier_request', tier: 'healthcare', requested_by: owner.id })
    expect(await shownTo(auditor)).toEqual(asked)
    expect(await shownToOperator(managed)).toEqual(asked)
    const clinician = await managed.signIn('clinician')
    const me = await (await clinician.ask('GET', '/api/auth/me')).json<{ organisations: object[] }>()
    expect(me.organisations).toMatchObject([{ tier_request: { ...asked, requested_by_name: 'Síle Ryan' } }])
    expect(await actsOf(managed, 'tier.ask')).toMatchObject([
      { kind: 'member_act', actor: owner.id, tier: 'healthcare' },
    ])
  })

  it('answers the same to the same request, and replaces it by one for another tier', async () => {
    const managed = await manage({ tier: 'free' })
    const [owner, key] = [await managed.signIn('owner'), await managed.automate()]
    const first = await askFor(owner, 'pro')
    expect(await askFor(key, 'pro')).toEqual(first)
    expect(await actsOf(managed, 'tier.ask')).toHaveLength(1)
    const second = await askFor(key, 'starter')
    expect(second).toMatchObject({ tier: 'starter', requested_by: key.id })
    expect(await shownTo(owner)).toEqual(second)
    expect(await actsOf(managed, 'tier.ask')).toMatchObject([{ tier: 'pro' }, { tier: 'starter' }])
  })

  it.each([
    ['the tier that it has', 'pro', 'has the tier pro'],
    ['a lower tier', 'free', 'is below pro'],
    ['a tier that is none', 'gold', ''],
  ])('refuses %s, and records nothing', async (_, tier, words) => {
    const managed = await manage({ tier: 'pro' })
    const owner = await managed.signIn('owner')
    const refused = await errorOf(await owner.ask('POST', PATH, { tier }))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param: 'tier' })
    expect(refused.message).toContain(words)
    expect(await shownTo(owner)).toBeNull()
    expect(await actsOf(managed, 'tier.ask')).toEqual([])
  })

  it('refuses any tier where none is higher', async () => {
    const owner = await (await manage({ tier: 'enterprise' })).signIn('owner')
    const refused = await errorOf(await owner.ask('POST', PATH, { tier: 'enterprise' }))
    expect(refused.message).toContain('There is none above it')
  })

  it.each(['developer', 'auditor', 'clinician'] as const)('tells a %s who may ask', async (role) => {
    const managed = await manage({ tier: 'free' })
    const refused = await errorOf(await (await managed.signIn(role)).ask('POST', PATH, { tier: 'pro' }))
    expect(refused).toMatchObject({ status: 403, code: 'role_required' })
    expect(refused.message).toContain('owner or admin')
    expect(await actsOf(managed, 'tier.ask')).toEqual([])
  })

  it.each(['free', 'starter', 'enterprise'])('is closed when the operator sets the tier %s', async (tier) => {
    const managed = await manage({ tier: 'free' })
    const owner = await managed.signIn('owner')
    await askFor(owner, 'healthcare')
    await managed.organisation.set({ loop_repeats: 9 })
    expect(await shownTo(owner)).toMatchObject({ tier: 'healthcare' })
    expect(await managed.organisation.set({ tier })).toMatchObject({ tier, tier_request: null })
    expect(await shownTo(owner)).toBeNull()
  })

  it('is shown no more once the organisation has the tier, though D1 was not told', async () => {
    const managed = await manage({ tier: 'free' })
    const owner = await managed.signIn('owner')
    await askFor(owner, 'pro')
    await managed.organisation.set({ tier: 'pro' })
    await env.DB.prepare("UPDATE organisations SET asked_tier = 'pro', tier_asked_at = 1").run()
    expect(await shownTo(owner)).toBeNull()
    expect(await shownToOperator(managed)).toBeNull()
  })
})
