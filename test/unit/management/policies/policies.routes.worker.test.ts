// The policy over its routes: who may, what a stale or wrong document is answered, and that what is put is in force.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noon } from '../../organisation/chat-organisation.ts'
import { POLICY_CHANGED } from '../../../../src/organisation/journal/load-state.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { PolicyDocumentSchema, versionPolicy } from '../../../../src/policies/document/policy-document.ts'
import { openParts } from '../../organisation/journal/archived-ledger.ts'
import { objectOf } from '../export/exported.ts'
import { actsOf, manage } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/policies'
const document = { use_case_guard: { required: true, allow: ['triage'] } }

const errorOf = async (response: Response) => {
  const { error } = await response.json<{ error: { code: string; param?: string; message: string } }>()
  return { status: response.status, code: error.code, param: error.param, message: error.message }
}

describe('PUT /api/policies', () => {
  it('puts it in force, says who made it, and refuses what was made from an older one', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const put = await owner.ask('PUT', PATH, document, { 'if-match': '"0"' })
    expect([put.status, put.headers.get('etag')]).toEqual([200, '"1"'])
    const shown = await (await owner.ask('GET', PATH)).json<object>()
    expect(await put.json()).toEqual({ ...shown, warnings: [] })
    expect(shown).toMatchObject({
      version: 1,
      document,
      created_by: owner.id,
      created_at: new Date(noon).toISOString(),
    })
    const key = await managed.organisation.issueKey()
    expect(await managed.organisation.admit(key)).toMatchObject({ outcome: 'policy_blocked' })

    const late = await errorOf(await owner.ask('PUT', PATH, {}, { 'if-match': '"0"' }))
    expect(late).toMatchObject({ status: 409, code: 'conflict', param: 'if-match' })
    expect(late.message).toContain('version 1')
    expect((await owner.ask('PUT', PATH, {}, { 'if-match': '*' })).status).toBe(200)
    expect(await managed.organisation.admit(key)).toMatchObject({ outcome: 'admitted' })
  })

  it('refuses new high-risk use cases while details are stored for less than six months', async () => {
    const owner = await (await manage({ retention_days: 184 })).signIn('owner')
    const refused = await errorOf(await owner.ask('PUT', PATH, { high_risk_use_cases: ['triage'] }))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param: 'high_risk_use_cases' })
    expect(refused.message).toMatch(/184 days, and AI Act 19\(1\) and 26\(6\).*retention_days to at least 185/)
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ version: 0 })
  })

  it('warns of high-risk use cases in a tier that cannot store details for six months', async () => {
    const owner = await (await manage({ tier: 'starter' })).signIn('owner')
    const put = await owner.ask('PUT', PATH, { high_risk_use_cases: ['triage'] })
    const warnings = [{ code: 'retention_below_six_months', param: 'high_risk_use_cases' }]
    expect(await put.json()).toMatchObject({ version: 1, warnings })
  })

  it.each([['3'], ['"three"'], ['W/"3"'], ['"1", "2"']])('takes no other If-Match: %s', async (header) => {
    const owner = await (await manage()).signIn('owner')
    const refused = await errorOf(await owner.ask('PUT', PATH, {}, { 'if-match': header }))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param: 'if-match' })
  })

  it('names what no rule has, and a model that nobody has, and changes nothing', async () => {
    const owner = await (await manage()).signIn('owner')
    for (const [wrong, param] of [
      [{ invented: {} }, 'invented'],
      [{ budget_guard: { day_eur: -1 } }, 'budget_guard.day_eur'],
      [{ model_allowlist: { models: ['invented-model'] } }, 'model_allowlist.models'],
    ] as const) {
      const refused = await errorOf(await owner.ask('PUT', PATH, wrong))
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param })
    }
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ version: 0 })
  })

  it('names the replacement of a model that is gone', async () => {
    const owner = await (await manage()).signIn('owner')
    const gone = { model_allowlist: { models: ['gpt-4.1-mini', 'gemini-3.7-flash'] } }
    const refused = await errorOf(await owner.ask('PUT', PATH, gone))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param: 'model_allowlist.models' })
    expect(refused.message).toMatch(/gemini-3\.7-flash.* Name gemini-3\.8-flash instead\.$/)
  })

  it('is a key’s to do, with its id in the entry, and no developer’s', async () => {
    const managed = await manage()
    const key = await managed.automate()
    expect((await key.ask('PUT', PATH, document)).status).toBe(200)
    expect(await (await key.ask('GET', PATH)).json()).toMatchObject({ created_by: key.id })
    const developer = await managed.signIn('developer')
    expect(await errorOf(await developer.ask('PUT', PATH, {}))).toMatchObject({ status: 403, code: 'role_required' })
    expect((await developer.ask('GET', PATH)).status).toBe(200)
    const entries = await managed.organisation.entries()
    expect(entries.filter(({ act }) => act === 'policy.put')).toMatchObject([
      { kind: 'member_act', actor: key.id, policy_version: 1, document },
    ])
  })

  it('lets a key ask for approval by people, and never change or take away what they must approve', async () => {
    const managed = await manage()
    const key = await managed.automate()
    const human_approval = { when: [{ use_cases: ['triage'] }] }
    const asking = { human_approval, use_case_guard: { required: true, allow: ['triage'] } }
    expect((await key.ask('PUT', PATH, asking)).status).toBe(200)
    for (const other of [
      {},
      { ...asking, human_approval: { when: [{ use_cases: ['letters'] }] } },
      { human_approval },
      { human_approval, use_case_guard: { required: true } },
    ]) {
      const refused = await errorOf(await key.ask('PUT', PATH, other))
      expect(refused).toMatchObject({ status: 403, code: 'role_required', param: 'human_approval' })
    }
    expect((await key.ask('PUT', PATH, { ...asking, rate_limit: { requests_per_minute: 9 } })).status).toBe(200)
    const owner = await managed.signIn('owner')
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ version: 2 })
    expect((await owner.ask('PUT', PATH, {})).status).toBe(200)
  })

  it('is in the history and in the export, each version with who made it and why; the entry has the hash of that', async () => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    const reason = 'Letters are read by a person first.'
    expect((await owner.ask('PUT', PATH, { ...document, reason: 'two\nlines' })).status).toBe(400)
    expect(await (await owner.ask('PUT', PATH, { ...document, reason })).json()).toMatchObject({ document })
    expect(await actsOf(managed, 'policy.put')).toMatchObject([{ document, reason_sha256: sha256Hex(reason) }])
    expect(JSON.stringify(await managed.organisation.entries())).not.toContain(reason)
    const history = await owner.ask('GET', `${PATH}/history`)
    expect(await history.json()).toMatchObject({ data: [{ version: 1, created_by: owner.id, reason }] })
    await owner.ask('PUT', PATH, {})
    const exported = await (await owner.ask('GET', '/api/settings/export?format=json')).json<{ policies: object[] }>()
    expect(exported.policies.slice(-2)).toMatchObject([
      { id: 2, object: 'policy_version', reason: null, document: {} },
      { id: 1, object: 'policy_version', reason, document, created_by: owner.id },
    ])
  })
})

describe('PATCH /api/policies', () => {
  const guarded = { pii_scan: { default: 'block', shapes: { date: 'ignore' } }, budget_guard: { day_eur: 50 } }

  it('changes the members that are sent, removes those that are null, and leaves the others', async () => {
    const owner = await (await manage()).signIn('owner')
    await owner.ask('PUT', PATH, { ...guarded, use_case_guard: { allow: ['triage', 'letters'] } })
    const patch = {
      pii_scan: { shapes: { date: null, iban: 'redact' } },
      budget_guard: null,
      use_case_guard: { allow: [] },
    }
    const patched = await owner.ask('PATCH', PATH, { ...patch, reason: 'A reason.' }, { 'if-match': '"1"' })
    expect([patched.status, patched.headers.get('etag')]).toEqual([200, '"2"'])
    const merged = { pii_scan: { default: 'block', shapes: { iban: 'redact' } }, use_case_guard: { allow: [] } }
    expect(await patched.json()).toMatchObject({ version: 2, document: merged })
    const { sha256 } = versionPolicy(0, PolicyDocumentSchema().parse(merged))
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ id: sha256 })
    const history = await (await owner.ask('GET', `${PATH}/history`)).json()
    expect(history).toMatchObject({ data: [{ version: 2, reason: 'A reason.' }, { version: 1 }] })
  })

  it('fills in a default only in a rule that has no value for it', async () => {
    const owner = await (await manage()).signIn('owner')
    const ask = async (human_approval: object) => (await owner.ask('PATCH', PATH, { human_approval })).json()
    const approval = { when: [{}], expires_seconds: 900, approvals_required: 1 }
    expect(await ask({ when: [{}], expires_seconds: 900 })).toMatchObject({ document: { human_approval: approval } })
    expect(await ask({ approvals_required: 2 })).toMatchObject({
      document: { human_approval: { ...approval, approvals_required: 2 } },
    })
  })

  it('takes the content type of a merge patch, and makes no version if nothing changes', async () => {
    const owner = await (await manage()).signIn('owner')
    await owner.ask('PUT', PATH, guarded)
    const type = { 'content-type': 'application/merge-patch+json' }
    const patched = await owner.ask('PATCH', PATH, { budget_guard: { day_eur: 50 }, cache: null }, type)
    expect(await patched.json()).toMatchObject({ version: 1, document: guarded, warnings: [] })
  })

  it.each([
    [{ invented: null }, 'invalid_request', 'invented'],
    [{ pii_scan: { invented: null } }, 'invalid_request', 'pii_scan.invented'],
    [{ budget_guard: { day_eur: -1 } }, 'invalid_request', 'budget_guard.day_eur'],
    [{ pii_scan: { default: null } }, 'missing_parameter', 'pii_scan.default'],
    [{ data_region: {} }, 'missing_parameter', 'data_region.within'],
    [{ use_case_guard: { allow: [null] } }, 'invalid_request', 'use_case_guard.allow[0]'],
    [{ model_allowlist: { models: ['invented-model'] } }, 'invalid_request', 'model_allowlist.models'],
    [{ reason: null }, 'invalid_request', 'reason'],
    [{ constructor: null }, 'invalid_request', 'constructor'],
    [JSON.parse('{"__proto__": {"cache": {"ttl_seconds": 5}}}') as object, 'invalid_request', '__proto__'],
    [
      JSON.parse('{"rate_limit": {"keys": {"__proto__": {"requests_per_minute": 1}}}}') as object,
      'invalid_request',
      'rate_limit.keys.__proto__',
    ],
  ])('%j changes nothing, and names the member', async (patch, code, param) => {
    const owner = await (await manage()).signIn('owner')
    await owner.ask('PUT', PATH, guarded)
    expect(await errorOf(await owner.ask('PATCH', PATH, patch))).toMatchObject({ status: 400, code, param })
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ version: 1, document: guarded })
  })

  it('is refused over an older version, and to a developer', async () => {
    const owner = await (await manage()).signIn('owner')
    await owner.ask('PUT', PATH, guarded)
    const stale = await errorOf(await owner.ask('PATCH', PATH, { cache: null }, { 'if-match': '"0"' }))
    expect(stale).toMatchObject({ status: 409, code: 'conflict', param: 'if-match' })
    const developer = await (await manage()).signIn('developer')
    expect(await errorOf(await developer.ask('PATCH', PATH, {}))).toMatchObject({ status: 403, code: 'role_required' })
  })

  it('makes no policy that is longer than a PUT may be', async () => {
    const owner = await (await manage()).signIn('owner')
    const lists = (first: string) =>
      Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`${first}${n}`, Array(15).fill('gpt-4.1-mini')]))
    const patch = (first: string) => owner.ask('PATCH', PATH, { model_allowlist: { by_use_case: lists(first) } })
    expect((await patch('a')).status).toBe(200)
    expect(await errorOf(await patch('b'))).toMatchObject({ status: 413, code: 'payload_too_large' })
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ version: 1 })
  })
})

describe('a model that has left the catalogue since', () => {
  const before = {
    model_allowlist: { models: ['gpt-4.1-mini', 'gone-1'] },
    human_approval: { when: [{ models: ['gone-2'] }], expires_seconds: 600, approvals_required: 1 },
  }

  it.each<[method: string, change: object, param: string | undefined]>([
    ['PATCH', { data_region: { within: 'eu' } }, undefined],
    ['PATCH', { model_allowlist: { models: ['gone-1'] } }, undefined],
    ['PUT', { ...before, data_region: { within: 'eu' } }, undefined],
    ['PATCH', { model_allowlist: { by_use_case: { triage: ['gone-3'] } } }, 'model_allowlist.by_use_case.triage'],
    ['PUT', { model_allowlist: { models: ['gone-1', 'gone-3'] } }, 'model_allowlist.models'],
  ])('stays, and another is refused: %s %j', async (method, change, param) => {
    const managed = await manage()
    const owner = await managed.signIn('owner')
    await runInDurableObject(objectOf(managed), (_, { storage, id }) => {
      const { journal } = openParts(storage, id.toString())
      const content = { act: 'policy.put', policy_version: 1, document: before }
      storage.transactionSync(() =>
        journal.append({ kind: 'operator_act', content, fields: { outcome: POLICY_CHANGED } }, noon),
      )
    })
    await managed.organisation.evict()
    const answer = await owner.ask(method, PATH, change)
    if (param === undefined) expect([answer.status, await answer.json()]).toMatchObject([200, { version: 2 }])
    else expect(await errorOf(answer)).toMatchObject({ status: 400, code: 'invalid_request', param })
  })
})

describe('warnings', () => {
  it.each(['PUT', 'PATCH'])('name each rule that %s removed or loosened', async (method) => {
    const owner = await (await manage()).signIn('owner')
    await owner.ask('PUT', PATH, { pii_scan: { default: 'block' }, budget_guard: { day_eur: 50 }, rate_limit: {} })
    const looser = { budget_guard: { day_eur: 80 }, rate_limit: {} }
    const changed = await owner.ask(method, PATH, method === 'PUT' ? looser : { ...looser, pii_scan: null })
    expect(await changed.json()).toMatchObject({
      warnings: [
        { code: 'rule_removed', param: 'pii_scan', message: 'pii_scan is no longer in force.' },
        { code: 'rule_loosened', param: 'budget_guard', message: 'budget_guard: day_eur went from 50 to 80.' },
      ],
    })
  })
})

describe('data_region', () => {
  it.each([
    ['PUT', {}],
    ['PUT', { data_region: { within: 'any' } }],
    ['PATCH', { data_region: null }],
    ['PATCH', { data_region: { within: 'any' } }],
  ])('is neither removed nor widened by a key: %s %j', async (method, change) => {
    const managed = await manage()
    const [owner, key] = [await managed.signIn('owner'), await managed.automate()]
    const inForce = { data_region: { within: 'eea_ch' } }
    await owner.ask('PUT', PATH, inForce)
    const refused = await errorOf(await key.ask(method, PATH, change))
    expect(refused).toMatchObject({ status: 403, code: 'role_required', param: 'data_region' })
    expect(refused.message).toBe(
      'A key cannot remove or widen data_region. It can narrow it. Sign in as an owner or admin.',
    )
    expect(await (await owner.ask('GET', PATH)).json()).toMatchObject({ version: 1, document: inForce })
    expect((await key.ask('PATCH', PATH, { data_region: { within: 'eu' } })).status).toBe(200)
    expect((await owner.ask(method, PATH, change)).status).toBe(200)
  })
})
