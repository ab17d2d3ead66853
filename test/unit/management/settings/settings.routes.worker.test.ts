// An organisation's people and keys see and change its settings.
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { hashOf, noon, positionOf } from '../../organisation/chat-organisation.ts'
import { actsOf, manage, type Asker } from '../managed.ts'

const PATH = '/api/settings'

type Shown = Record<string, unknown> & { version: number; error: { code: string; param?: string; message: string } }

const show = async ({ ask }: Asker) => (await ask('GET', PATH)).json<Shown>()

async function set({ ask }: Asker, change: object): Promise<Shown & { status: number }> {
  const response = await ask('PATCH', PATH, change)
  return { ...(await response.json<Shown>()), status: response.status }
}

afterEach(() => vi.useRealTimers())

describe('showSettings', () => {
  it('shows what the operator has changed, though D1 was not told', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    await managed.organisation.set({ loop_repeats: 9 })
    await env.DB.exec(
      `UPDATE organisations SET settings = json_set(settings, '$.loop_repeats', 5), settings_version = 1`,
    )
    expect(await show(owner)).toMatchObject({ loop_repeats: 9, version: 2 })
    expect(await actsOf(managed, 'organisation.show')).toEqual([])
  })
})

describe('updateSettings', () => {
  it('changes what is sent, counts it, and says who changed what from what', async () => {
    const managed = await manage()
    const admin = await managed.signIn('admin')
    const change = { monthly_budget_eur: 3, retention_days: 30, enabled_providers: ['openai'], loop_repeats: 5 }
    expect(await set(admin, { ...change, name: 'Ward seven' })).toMatchObject({
      status: 200,
      ...change,
      name: 'Ward seven',
      version: 2,
      limits: { retention_days: 30 },
    })
    const [act] = await actsOf(managed, 'settings.update')
    expect(act).toMatchObject({
      kind: 'member_act',
      actor: admin.id,
      version: 2,
      changed: ['name', 'enabled_providers', 'monthly_budget_microeur', 'retention_days'],
      before: {
        enabled_providers: ['openai', 'anthropic', 'google', 'perplexity'],
        monthly_budget_microeur: null,
        retention_days: null,
      },
      enabled_providers: ['openai'],
      monthly_budget_microeur: 3_000_000,
      retention_days: 30,
    })
    expect(JSON.stringify(act)).not.toContain('Ward')
  })

  it('is done by a key that may manage, and says so', async () => {
    const managed = await manage()
    const key = await managed.automate()
    expect(await set(key, { default_max_tokens: 100 })).toMatchObject({ status: 200, default_max_tokens: 100 })
    expect(await actsOf(managed, 'settings.update')).toMatchObject([{ actor: key.id, changed: ['default_max_tokens'] }])
    expect((await set(await managed.automate(['chat']), { loop_repeats: 6 })).error.code).toBe('scope_required')
  })

  it('is seen and may be set by the operator too', async () => {
    const { organisation } = await manage({ tier: 'healthcare', retention_days: 2557 })
    expect(await organisation.set({ retention_days: null, loop_repeats: 20, if_version: 1 })).toMatchObject({
      retention_days: null,
      loop_repeats: 20,
      content_logging: null,
      version: 2,
    })
    expect(await organisation.set({ loop_repeats: 3, if_version: 1 })).toMatchObject({ error: { code: 'conflict' } })
  })

  it.each([
    ['keeping of content without an end', { content_logging: true }, 'content_logging'],
    ['keeping of content for no day', { content_logging: { retention_days: 0 } }, 'content_logging.retention_days'],
    [
      'keeping of content for eight years',
      { content_logging: { retention_days: 2558 } },
      'content_logging.retention_days',
    ],
    [
      'keeping of content for longer than details',
      { retention_days: 30, content_logging: { retention_days: 31 } },
      'content_logging.retention_days',
    ],
    ['a single request as a loop', { loop_repeats: 1 }, 'loop_repeats'],
    ['a loop of many repeats', { loop_repeats: 21 }, 'loop_repeats'],
    ['a window of nothing', { loop_window_seconds: 9 }, 'loop_window_seconds'],
    ['a window that is long', { loop_window_seconds: 301 }, 'loop_window_seconds'],
    ['a cycle of one round', { loop_cycle_rounds: 1 }, 'loop_cycle_rounds'],
    ['a cycle over more than an hour', { loop_cycle_window_seconds: 3601 }, 'loop_cycle_window_seconds'],
    ['less than a week', { retention_days: 6 }, 'retention_days'],
    ['more than seven years', { retention_days: 2558 }, 'retention_days'],
    ['half a day', { retention_days: 30.5 }, 'retention_days'],
    ['a nameless organisation', { name: ' ' }, 'name'],
    ['another tier', { tier: 'enterprise' }, 'tier'],
    ['another region', { region: 'eeur' }, 'region'],
    ['a rate of its own', { requests_per_minute: 5 }, 'requests_per_minute'],
    ['other limits', { limits: {} }, 'limits'],
    ['a version of its own', { version: 9 }, 'version'],
  ])('takes no %s, and changes nothing', async (_, change, param) => {
    const managed = await manage({ tier: 'enterprise' })
    const owner = await managed.signIn('owner')
    const before = await show(owner)
    const refused = await set(owner, { monthly_budget_eur: 1, ...change })
    expect([refused.status, refused.error.code, refused.error.param]).toEqual([400, 'invalid_request', param])
    expect(await show(owner)).toEqual(before)
    expect(await actsOf(managed, 'settings.update')).toEqual([])
  })

  it('keeps content for as many days as are chosen, up to those of the details, and says so in the ledger', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const chosen = { retention_days: 30, content_logging: { retention_days: 30 } }
    expect(await set(owner, chosen)).toMatchObject({ status: 200, ...chosen })
    const [act] = await actsOf(managed, 'settings.update')
    expect(act).toMatchObject({
      changed: ['retention_days', 'content_logging'],
      before: { content_logging: null },
      content_logging: { retention_days: 30 },
    })
    const shorter = await set(owner, { retention_days: 29 })
    expect([shorter.status, shorter.error.param]).toEqual([400, 'content_logging.retention_days'])
    expect(await managed.organisation.set({ tier: 'free', retention_days: null })).toMatchObject({
      error: { param: 'content_logging.retention_days' },
    })
    expect(await set(owner, { loop_repeats: 6 })).toMatchObject({ status: 200, ...chosen })
    expect(await set(owner, { content_logging: null, retention_days: 29 })).toMatchObject({ content_logging: null })
  })
})

describe('a retention below six months', () => {
  const highRisk = { high_risk_use_cases: ['triage-notes'] }
  const warned = [{ code: 'retention_below_six_months', param: 'retention_days' }]

  it('is made with a warning that names the articles, and nothing else is', async () => {
    const owner = await (await manage()).signIn('owner')
    const short = await set(owner, { retention_days: 184 })
    expect(short).toMatchObject({ status: 200, retention_days: 184, warnings: warned })
    expect(JSON.stringify(short['warnings'])).toMatch(/AI Act 19\(1\) and 26\(6\)/)
    expect(await set(owner, { loop_repeats: 6 })).toMatchObject({ status: 200, warnings: [] })
    expect(await set(owner, { retention_days: 185 })).toMatchObject({ status: 200, warnings: [] })
  })

  it('is refused to people and the operator while the policy declares high-risk use cases', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    expect((await owner.ask('PUT', '/api/policies', highRisk)).status).toBe(200)
    const refused = await set(owner, { retention_days: 184 })
    expect([refused.status, refused.error.code, refused.error.param]).toEqual([
      400,
      'invalid_request',
      'retention_days',
    ])
    expect(refused.error.message).toMatch(/AI Act 19\(1\) and 26\(6\).*at least 185.*high_risk_use_cases/)
    expect(await managed.organisation.set({ retention_days: 184 })).toMatchObject({
      error: { param: 'retention_days' },
    })
    expect(await show(owner)).toMatchObject({ retention_days: null, version: 1 })
  })

  it('comes to the operator as a warning with a lower tier, whatever the policy declares', async () => {
    const managed = await manage()
    await (await managed.signIn('owner')).ask('PUT', '/api/policies', highRisk)
    const lower = await managed.organisation.set({ tier: 'starter' })
    expect(lower).toMatchObject({ tier: 'starter', warnings: warned })
    expect(JSON.stringify(lower)).toContain('declares high-risk use cases')
  })
})

describe('the version', () => {
  it('that is not in force any more keeps a change from being made', async () => {
    const managed = await manage()
    const [owner, admin] = [await managed.signIn('owner'), await managed.signIn('admin')]
    expect((await set(owner, { loop_repeats: 7, if_version: 1 })).status).toBe(200)
    const stale = await set(admin, { loop_repeats: 8, name: 'Ward seven', if_version: 1 })
    expect([stale.status, stale.error.code, stale.error.param]).toEqual([409, 'conflict', 'if_version'])
    expect(await show(admin)).toMatchObject({ loop_repeats: 7, name: 'A test practice', version: 2 })
  })

  it('lets one of many at once through', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const attempts = Array.from({ length: 8 }, (_, n) => set(owner, { loop_repeats: n + 2, if_version: 1 }))
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    expect((await show(owner)).version).toBe(2)
  })

  it('counts the changes of people, keys and the operator, whose changes all hold', async () => {
    const managed = await manage()
    const [owner, key] = [await managed.signIn('owner'), await managed.automate()]
    await Promise.all([
      set(owner, { retention_days: 9 }),
      set(key, { loop_cycle_rounds: 9 }),
      managed.organisation.set({ enabled_providers: [] }),
      set(owner, { name: 'Ward seven' }),
    ])
    const expected = { retention_days: 9, loop_cycle_rounds: 9, enabled_providers: [], name: 'Ward seven', version: 5 }
    expect(await show(owner)).toMatchObject(expected)
  })

  it('keeps the later of two names, whichever of them is written last', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    await set(owner, { name: 'The later' })
    await env.DB.exec('UPDATE organisations SET name_version = 9')
    await set(owner, { name: 'The earlier' })
    const { results } = await env.DB.prepare('SELECT name FROM organisations').all()
    expect(results).toEqual([{ name: 'The later' }])
  })
})

describe('the retention', () => {
  it('holds from the next decision on, and what is there keeps its day', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage()
    const key = await managed.organisation.issueKey()
    const first = positionOf(await managed.organisation.admit(key))
    await set(await managed.signIn('owner'), { retention_days: 7 })
    const second = positionOf(await managed.organisation.admit(key))
    const ends = await managed.organisation.query<{ position: number; expires_at: number }>(
      `SELECT position, expires_at FROM entries WHERE position IN (${first}, ${second}) ORDER BY position`,
    )
    expect(ends.map(({ expires_at }) => (expires_at - noon) / DAY_MS)).toEqual([365, 7])
  })

  it.each([
    ['free', 8, '7 in the tier free'],
    ['starter', 91, '7 to 90 in the tier starter'],
    ['pro', 366, '7 to 365 in the tier pro'],
    ['healthcare', 364, '365 to 2557 in the tier healthcare'],
  ])('in the tier %s is not %i days', async (tier, days, rule) => {
    const owner = await (await manage({ tier })).signIn('owner')
    const refused = await set(owner, { retention_days: days })
    expect(refused.error).toMatchObject({ code: 'invalid_request', fields: [{ path: 'retention_days', rule }] })
    expect(refused.error.message).toContain(tier)
  })

  it('that another tier does not let be chosen keeps the tier, until it is given up', async () => {
    const { organisation } = await manage({ tier: 'enterprise', retention_days: 2557 })
    expect(await organisation.set({ tier: 'pro' })).toMatchObject({ error: { param: 'retention_days' } })
    expect(await organisation.set({ tier: 'pro', retention_days: 365 })).toMatchObject({ tier: 'pro' })
    expect(await organisation.set({ tier: 'free', retention_days: null })).toMatchObject({ tier: 'free' })
  })
})

describe('the thresholds of loops', () => {
  const decisions = async (settings: object, changed: object, times: number): Promise<string> => {
    const managed = await manage(settings)
    const key = await managed.organisation.issueKey()
    const outcomes: string[] = []
    for (let n = 0; n < times; n += 1) {
      if (n === 2) await set(await managed.signIn('owner'), changed)
      const { outcome } = await managed.organisation.admit(key, { loopHash: hashOf('again') })
      outcomes.push(outcome === 'admitted' ? '.' : 'x')
    }
    return outcomes.join('')
  }

  it('hold from the next request on, which is then the first that is counted', async () => {
    expect(await decisions({}, {}, 6)).toBe('....xx')
    expect(await decisions({}, { loop_repeats: 3 }, 7)).toBe('....xxx')
    expect(await decisions({ loop_repeats: 4 }, { loop_repeats: 6 }, 9)).toBe('.......xx')
  })

  it('are counted on where something else is changed, or the same is set again', async () => {
    expect(await decisions({}, { default_max_tokens: 5 }, 6)).toBe('....xx')
    expect(await decisions({ loop_repeats: 4 }, { loop_repeats: 4 }, 6)).toBe('...xxx')
  })

  it('count what came within the window', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const managed = await manage({ loop_repeats: 2, loop_window_seconds: 300 })
    const key = await managed.organisation.issueKey()
    const send = async (): Promise<string> =>
      (await managed.organisation.admit(key, { loopHash: hashOf('again') })).outcome
    expect(await send()).toBe('admitted')
    vi.setSystemTime(noon + 299_999)
    expect(await send()).toBe('loop_detected')
    vi.setSystemTime(noon + 299_999 + 300_000)
    expect(await send()).toBe('admitted')
  })

  it('find a cycle of two after two rounds where it is so settled', async () => {
    const managed = await manage({ loop_cycle_rounds: 2 })
    const key = await managed.organisation.issueKey()
    const outcomes: string[] = []
    for (const text of ['one', 'other', 'one', 'other']) {
      outcomes.push((await managed.organisation.admit(key, { loopHash: hashOf(text) })).outcome)
    }
    expect(outcomes).toEqual(['admitted', 'admitted', 'admitted', 'loop_detected'])
  })
})
