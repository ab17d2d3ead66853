// A policy that is tried on the calls of the past, over its route: what is told of each, that nothing is written, and that it reads
// no further than it must.
import { env } from 'cloudflare:workers'
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/policies/simulate'
const LARGE = { tier: 'enterprise', requests_per_minute: 30_000 }

type Simulation = {
  calls: number
  passes: number
  blocks: number
  not_evaluated: number
  by_policy: object[]
  rules_left_out: string[]
  answers_not_known: boolean
  data: { attestation_id: string; index: number; outcome: string; result: string }[]
}

async function simulate({ ask }: Asker, document: object, last?: number): Promise<Simulation> {
  const response = await ask('POST', PATH, { document, ...(last !== undefined && { last }) })
  expect(response.status).toBe(200)
  return response.json()
}

const rowsOf = ({ organisation }: Managed) => organisation.query('SELECT position, hash FROM entries')

describe('POST /api/policies/simulate', () => {
  it('tells of each call what it would have met, and the sums, and writes nothing', async () => {
    const managed = await manage(LARGE)
    const owner = await managed.signIn('owner')
    const key = await managed.organisation.issueKey()
    await managed.organisation.admit(key, { useCase: 'triage' })
    await managed.organisation.admit(key, { model: 'sonar', provider: 'perplexity' })
    await owner.ask('PUT', '/api/policies', { use_case_guard: { required: true } })
    await managed.organisation.admit(key, { model: 'sonar', provider: 'perplexity' })
    const before = await rowsOf(managed)
    const document = { model_allowlist: { models: ['gpt-4.1-mini'] }, pii_scan: { default: 'block' }, rate_limit: {} }
    expect(await simulate(owner, document)).toMatchObject({
      object: 'policy_simulation',
      created_at: new Date(noon).toISOString(),
      calls: 3,
      passes: 0,
      blocks: 2,
      needs_approval: 0,
      not_evaluated: 1,
      by_policy: [
        { policy: 'model_allowlist', blocks: 2, needs_approval: 0, not_evaluated: 0 },
        { policy: 'pii_scan', blocks: 0, needs_approval: 0, not_evaluated: 1 },
      ],
      decided: { passed: 2, held: 0, blocked: 1, suppressed: 0 },
      by_key: [{ key_id: key.id, calls: 3, decided: { passed: 2, blocked: 1 }, blocks: 2, not_evaluated: 1 }],
      rules_left_out: ['rate_limit'],
      answers_not_known: false,
      data: [
        { outcome: 'blocked', model: 'sonar', result: 'blocks', reason: 'model_not_in_policy' },
        { outcome: 'passed', model: 'sonar', use_case: null, key_id: key.id, result: 'blocks' },
        {
          outcome: 'passed',
          use_case: 'triage',
          result: 'not_evaluated',
          policy: 'pii_scan',
          reason: 'text_not_kept',
        },
      ],
    })
    expect(await rowsOf(managed)).toEqual(before)
  })

  it('says that it does not know what answers held, where the policy may change or stop them', async () => {
    const owner = await (await manage(LARGE)).signIn('owner')
    const known = async (answers: object) => {
      const { answers_not_known: isUnknown } = await simulate(owner, { pii_scan: { default: 'report', answers } })
      return !isUnknown
    }
    expect(await known({ default: 'report', shapes: { date: 'ignore' } })).toBe(true)
    expect(await known({ default: 'report', shapes: { iban: 'redact' } })).toBe(false)
    expect(await known({ default: 'block' })).toBe(false)
  })

  it('knows what was found when the text was looked through', async () => {
    const managed = await manage(LARGE)
    const owner = await managed.signIn('owner')
    const key = await managed.organisation.issueKey()
    const put = await owner.ask('PUT', '/api/policies', { prompt_injection_guard: { action: 'report' } })
    const { id: policy } = await put.json<{ id: string }>()
    for (const rules of [['hidden_text'], []]) {
      const scan = { policy, findings: { prompt_injection_guard: rules }, redacted: 0 }
      expect(await managed.organisation.admit(key, { scan })).toMatchObject({ outcome: 'admitted' })
    }
    expect(await simulate(owner, { prompt_injection_guard: { action: 'block' } })).toMatchObject({
      data: [{ result: 'passes' }, { result: 'blocks', reason: 'found: hidden_text' }],
    })
  })

  it('takes the latest, however many entries of other kinds lie between them, and those that are kept', async () => {
    const managed = await manage(LARGE)
    const owner = await managed.signIn('owner')
    const key = await managed.organisation.issueKey()
    await managed.organisation.admit(key)
    vi.setSystemTime(noon + 1000)
    await managed.organisation.admit(key, { model: 'sonar', provider: 'perplexity' })
    const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(managed.organisation.id))
    await runInDurableObject(object, async (instance: Organisation) => {
      const act = { actor: 'operator', act: 'test', requestId: 'req_1' } as const
      for (let n = 0; n < 1100; n++) instance.log.recordAct(act)
    })
    const all = await simulate(owner, {})
    expect(all).toMatchObject({ calls: 2, passes: 2, data: [{ model: 'sonar' }, { model: 'gpt-4.1-mini' }] })
    expect((await simulate(owner, {}, 1)).data).toMatchObject([{ model: 'sonar' }])
    vi.setSystemTime(noon + 400 * 86_400_000)
    const later = await managed.signIn('owner')
    expect(await simulate(later, {})).toMatchObject({ calls: 0, data: [] })
  })

  it('refuses a wrong document and a wrong number, naming the member, and is nobody’s who may not change the policy', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    for (const [body, param] of [
      [{ document: { invented: {} } }, 'document.invented'],
      [{ document: { model_allowlist: { models: ['invented'] } } }, 'document.model_allowlist.models'],
      [{ document: {}, last: 0 }, 'last'],
      [{ document: {}, last: 1001 }, 'last'],
      [{ last: 1 }, 'document'],
    ] as const) {
      const response = await owner.ask('POST', PATH, body)
      expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
    }
    for (const role of ['developer', 'auditor', 'clinician'] as const) {
      const other = await managed.signIn(role)
      expect((await other.ask('POST', PATH, { document: {} })).status).toBe(403)
    }
  })
})

describe('a simulation over a thousand calls', () => {
  it('lets calls be decided meanwhile', async () => {
    const managed = await manage(LARGE)
    const key = await managed.organisation.issueKey()
    await Promise.all(Array.from({ length: 1100 }, () => managed.organisation.admit(key)))
    const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(managed.organisation.id))
    const ended: string[] = []
    // Both reach the object in this order.
    const simulated = object.policy.simulate({ document: {}, last: 1000 }).then((calls) => {
      ended.push('simulated')
      return calls.length
    })
    const decided = managed.organisation.admit(key).then(() => ended.push('decided'))
    await decided
    expect([await simulated, ended]).toEqual([1000, ['decided', 'simulated']])
  })
})
