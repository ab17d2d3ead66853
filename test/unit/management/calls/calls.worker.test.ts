// The list of an organisation's calls: in the tier free the last of them, in others all, each once, whatever it waited for.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import type { AnswerScan } from '../../../../src/evidence/records/answer-scan.ts'
import { traceIdOf } from '../../../../src/evidence/records/attestation-record.ts'
import type { Call } from '../../../../src/management/calls/calls.schema.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { tierPlan, type Tier } from '../../../../src/policies/tier.policy.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { hashOf, idOf, noon, positionOf, type ChatKey, type FactsChange } from '../../organisation/chat-organisation.ts'
import { errorOf, manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const DAY_MS = 86_400_000

type Counted = { requests: number }

type Page = { data: Call[]; has_more: boolean; next_cursor: string | null; is_whole: boolean }

async function list({ ask }: Asker, query = ''): Promise<Page> {
  const response = await ask('GET', `/api/calls?${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

/** Outcome, ending, rule and reason of each. */
const toldBy = async (asker: Asker, query = ''): Promise<unknown[]> =>
  (await list(asker, query)).data.map(({ outcome, ending, rule, reason }) => [outcome, ending, rule, reason])

const codeOf = async (response: Response): Promise<unknown[]> => [
  response.status,
  (await response.json<{ error: { code: string } }>()).error.code,
]

async function rowsOf(response: Response): Promise<Record<string, string>[]> {
  const [head = '', ...rows] = (await response.text()).trim().split('\r\n')
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, at) => [head.split(',')[at] ?? '', cell])))
}

/** The key as the Worker chooses it, so that records verify. */
async function factsWith({ organisation }: Managed, more: FactsChange = {}): Promise<FactsChange> {
  const published = await organisation.service.fetch('/v1/attestation/public-key')
  const { public_key: publicKey } = await published.json<{ public_key: string }>()
  return { publicKey, ...more }
}

/** An organisation of any tier, with a rule that stops one model. */
async function ruledAs(tier: Tier) {
  const managed = await manage({ tier })
  const owner = await managed.signIn('owner')
  const rules = { model_allowlist: { models: ['gpt-4.1-mini'] } }
  expect((await owner.ask('PUT', '/api/policies', rules)).status).toBe(200)
  return { managed, owner, key: await managed.organisation.issueKey() }
}

const RULES = {
  human_approval: { when: [{ use_cases: ['triage'] }], expires_seconds: 3600 },
  model_allowlist: { models: ['gpt-4.1-mini'] },
}

/** An organisation with rules, its key and its owner. */
async function ruled(tier = 'healthcare') {
  const managed = await manage({ tier })
  const owner = await managed.signIn('owner')
  expect((await owner.ask('PUT', '/api/policies', RULES)).status).toBe(200)
  return { managed, owner, key: await managed.organisation.issueKey() }
}

async function wait(managed: Managed, key: ChatKey, more: FactsChange = {}) {
  const facts = await factsWith(managed, { useCase: 'triage', requestHash: hashOf('held'), ...more })
  const admission = await managed.organisation.admit(key, facts)
  return { attestationId: idOf(admission), admission }
}

const decide = async (owner: Asker, id: string, decision: string): Promise<void> => {
  expect((await owner.ask('POST', `/api/approvals/${id}/decision`, { decision })).status).toBe(200)
}

describe('a call that waits for a person', () => {
  it('is one call in every list, file, trial and report, however often it is sent, and one when it ran', async () => {
    const { managed, owner, key } = await ruled()
    const { attestationId: first, admission } = await wait(managed, key)
    await wait(managed, key)
    const id = approvalOf(admission)
    const lists = async () => ({
      calls: (await list(owner)).data.length,
      csv: (await rowsOf(await owner.ask('GET', '/api/calls?format=csv'))).length,
      trail: (await (await owner.ask('GET', '/api/compliance/audit-trail')).json<{ data: [] }>()).data.length,
      receipts: (await (await owner.ask('GET', '/api/health/receipts')).json<{ data: [] }>()).data.length,
      keys: (await (await owner.ask('GET', '/api/analytics/keys')).json<{ totals: Counted }>()).totals.requests,
      trial: (await (await owner.ask('POST', '/api/policies/simulate', { document: {} })).json<{ calls: number }>())
        .calls,
      report: (await (await owner.ask('POST', '/api/compliance/report', {})).json<{ usage: { totals: Counted } }>())
        .usage.totals.requests,
      counted: (
        await (await owner.ask('GET', '/api/analytics/requests?bucket=total')).json<{ totals: { requests: number } }>()
      ).totals.requests,
    })
    const once = { calls: 1, csv: 1, trail: 1, receipts: 1, counted: 1, keys: 1, trial: 1, report: 1 }
    expect(await lists()).toEqual(once)
    expect((await list(owner)).data[0]).toMatchObject({
      id: first,
      outcome: 'held',
      ending: 'awaiting_approval',
      signed_outcome: 'BLOCKED',
      rule: 'human_approval',
      policy_version: 1,
      approval: { id, state: 'pending', attestation_id: first },
      record: { outcome: 'BLOCKED' },
    })
    await decide(owner, id, 'approve')
    const { attestationId: run, admission: admitted } = await wait(managed, key, { approval: id })
    await managed.organisation.settle(positionOf(admitted), 7)
    expect(await lists()).toEqual(once)
    expect((await list(owner)).data[0]).toMatchObject({
      id: run,
      outcome: 'passed',
      ending: 'completed',
      approval: { id, state: 'executed', attestation_id: first },
      record: { outcome: 'ALLOWED' },
    })
    expect(await toldBy(owner, 'outcome=held')).toEqual([])
  })

  it('says what came of it: denied, expired, or withdrawn with the policy', async () => {
    const { managed, owner, key } = await ruled()
    const [denied] = await Promise.all(['one', 'two'].map((text) => wait(managed, key, { requestHash: hashOf(text) })))
    await decide(owner, approvalOf(denied?.admission ?? (await wait(managed, key)).admission), 'deny')
    vi.setSystemTime(noon + 3_600_000)
    await wait(managed, key, { requestHash: hashOf('three') })
    const changed = { ...RULES, human_approval: { ...RULES.human_approval, approvals_required: 2 } }
    await owner.ask('PUT', '/api/policies', { ...changed, withdraw_waiting: true })
    const told = (await list(owner, 'outcome=held')).data.map(({ ending }) => ending)
    expect(told).toHaveLength(3)
    expect(new Set(told)).toEqual(new Set(['denied', 'expired', 'withdrawn']))
    expect(await toldBy(owner, 'ending=denied,expired')).toHaveLength(2)
    expect(await toldBy(owner, 'outcome=blocked')).toEqual([])
  })
})

describe('filters', () => {
  it('are by outcome, ending, rule and reason, and the file has just what is filtered, one value a cell', async () => {
    const { managed, owner, key } = await ruled()
    const { organisation } = managed
    await organisation.settle(positionOf(await organisation.admit(key)), 5)
    await organisation.settle(positionOf(await organisation.admit(key)), 0, { ended: 'failed', errorCause: 'status' })
    await organisation.admit(key, { model: 'gpt-4.1' })
    await wait(managed, key)
    const blocked = ['blocked', 'blocked', 'model_allowlist', 'model_not_in_policy']
    const failed = ['passed', 'failed', null, null]
    expect(await toldBy(owner)).toHaveLength(4)
    expect(await toldBy(owner, 'outcome=blocked')).toEqual([blocked])
    expect(await toldBy(owner, 'rule=model_allowlist')).toEqual([blocked])
    expect(await toldBy(owner, 'reason=model_not_in_policy')).toEqual([blocked])
    expect(await toldBy(owner, 'reason=status')).toEqual([failed])
    expect(await toldBy(owner, 'ending=failed,cancelled')).toEqual([failed])
    expect(await toldBy(owner, 'outcome=passed')).toEqual([failed, ['passed', 'completed', null, null]])
    expect(await toldBy(owner, 'ending=completed,failed,blocked')).toHaveLength(3)
    expect(await toldBy(owner, 'outcome=blocked&model=gpt-4.1-mini')).toEqual([])
    expect(await toldBy(owner, 'rule=human_approval&outcome=blocked')).toEqual([])
    const rows = await rowsOf(await owner.ask('GET', '/api/calls?format=csv&rule=model_allowlist'))
    expect(rows).toMatchObject([
      { outcome: 'blocked', signed_outcome: 'BLOCKED', rule: 'model_allowlist', policy_version: '1', cost_eur: '0' },
    ])
    expect(await codeOf(await owner.ask('GET', '/api/calls?ending=gone'))).toEqual([400, 'invalid_request'])
    expect(await codeOf(await owner.ask('GET', '/api/calls?outcome=waiting'))).toEqual([400, 'invalid_request'])
  })

  it('say what was read of an answer, and find those that were stopped by the index', async () => {
    const { managed, owner, key } = await ruled()
    const { organisation } = managed
    const settle = async (ended: 'completed' | 'withheld', answerScan?: AnswerScan) =>
      organisation.settle(positionOf(await organisation.admit(key)), 5, { ended, ...(answerScan && { answerScan }) })
    const found = { payment_card: 1, pps_number: 2 }
    const altered: AnswerScan = { coverage: 'partial', found, redacted: 2, stopped: [], unread: ['sealed_thinking'] }
    const stopped: AnswerScan = { coverage: 'none', found, redacted: 0, stopped: ['payment_card'], unread: [] }
    await settle('completed')
    await settle('completed', altered)
    await settle('withheld', stopped)
    await organisation.admit(key)
    const { data } = await list(owner)
    expect(data.map(({ outcome, ending, answer_scan }) => [outcome, ending, answer_scan])).toEqual([
      ['passed', 'running', null],
      ['passed', 'withheld', stopped],
      ['passed', 'completed', altered],
      ['passed', 'completed', { coverage: 'none', found: {}, redacted: 0, stopped: [], unread: [] }],
    ])
    expect((await list(owner, 'ending=withheld')).data.map(({ id }) => id)).toEqual([data[1]?.id])
    const [row] = await rowsOf(await owner.ask('GET', '/api/calls?format=csv&ending=withheld'))
    expect(row).toMatchObject({
      answer_coverage: 'none',
      answer_found: 'payment_card:1 pps_number:2',
      answer_redacted: '0',
      answer_stopped: 'payment_card',
      answer_unread: '',
    })
    const trail = await owner.ask('GET', '/api/compliance/audit-trail?ending=withheld')
    expect((await trail.json<Page>()).data).toMatchObject([{ ending: 'withheld', answer_scan: stopped }])
    const whole = await (
      await owner.ask('GET', `/api/calls/${data[1]?.id}`)
    ).json<{ settlement: { content: object } }>()
    expect(whole.settlement.content).toMatchObject({
      ended: 'withheld',
      answer_scan: { coverage: 'none', found, stopped: ['payment_card'] },
    })
  })

  it('find a page by the index of its outcome, not by a walk', async () => {
    const { managed, owner } = await ruled()
    await list(owner)
    const plan = await managed.organisation.query<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT position FROM call_index
       WHERE position < 9 AND outcome = 2 AND ending IN (8, 9) AND at >= 0 AND at < 9 ORDER BY position DESC LIMIT 50`,
    )
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH call_index USING INDEX call_index_by_outcome (outcome=? AND position<?)',
    ])
  })

  it('find the calls of a use case that is counted together with others', async () => {
    const { managed, owner, key } = await ruled()
    const { organisation } = managed
    await list(owner)
    await organisation.query(`INSERT INTO usage_names (kind, name) SELECT 'use_case', 'case-' || value
      FROM json_each('[${Array.from({ length: 256 }, (_, n) => n).join(',')}]')`)
    await organisation.admit(key, { model: 'gpt-4.1', useCase: 'rare' })
    await organisation.admit(key, { model: 'gpt-4.1', useCase: 'rarer' })
    const failed = positionOf(await organisation.admit(key, { useCase: 'rare' }))
    await organisation.settle(failed, 0, { ended: 'failed', errorCause: 'status' })
    for (const [filter, calls] of [
      ['outcome=blocked', 1],
      ['rule=model_allowlist', 1],
      ['rule=use_case_guard', 0],
      ['reason=model_not_in_policy', 1],
      ['reason=status', 1],
      ['ending=failed,blocked', 2],
    ] as const) {
      expect([filter, await toldBy(owner, `use_case=rare&${filter}`)]).toMatchObject([filter, { length: calls }])
    }
  })

  it('find a part of model or use case, whatever the case, and a whole id, in all that the other filters match', async () => {
    const { managed, owner, key } = await ruled()
    const { attestationId, admission } = await wait(managed, key)
    await managed.organisation.settle(positionOf(await managed.organisation.admit(key, { useCase: 'coding' })), 5)
    const found = async (q: string): Promise<unknown[]> =>
      (await list(owner, new URLSearchParams({ q }).toString())).data.map(({ use_case: useCase }) => useCase)
    expect(await found('CODI')).toEqual(['coding'])
    expect(await found('gpt-4.1')).toEqual(['coding', 'triage'])
    for (const id of [attestationId, traceIdOf(attestationId), approvalOf(admission)])
      expect(await found(id)).toEqual(['triage'])
    expect(await found(traceIdOf(attestationId).slice(0, -1))).toEqual([])
    expect(await toldBy(owner, 'q=gpt&outcome=blocked')).toEqual([])
  })

  it('find no call whose details have expired, though it is not deleted yet', async () => {
    const { managed, owner, key } = await ruled()
    await managed.organisation.admit(key, { model: 'gpt-4.1' })
    expect(await toldBy(owner, 'outcome=blocked')).toHaveLength(1)
    const [row] = await managed.organisation.query<{ expires: number }>('SELECT expires_at AS expires FROM call_index')
    vi.setSystemTime(row?.expires ?? 0)
    const later = await managed.signIn('owner')
    expect(await toldBy(later, 'start=2091-03-01&outcome=blocked')).toEqual([])
    const stops = await (await later.ask('GET', '/api/analytics/stops?start=2091-03-01')).json<{ data: [] }>()
    expect(stops.data).toEqual([])
  })

  it('read the same page where the index has no copies of entries', async () => {
    const { managed, owner, key } = await ruled()
    const { organisation } = managed
    await organisation.admit(key, { model: 'gpt-4.1' })
    await organisation.settle(positionOf(await organisation.admit(key)), 0, { ended: 'failed', errorCause: 'status' })
    const told = await list(owner, 'ending=failed,blocked')
    expect(told.data).toHaveLength(2)
    const copies = 'SELECT count(entry) AS decisions, count(settlement_entry) AS settlements FROM call_index'
    expect(await organisation.query(copies)).toEqual([{ decisions: 2, settlements: 1 }])
    await organisation.query('UPDATE call_index SET entry = NULL, facts = NULL, settlement_entry = NULL')
    expect(await list(owner, 'ending=failed,blocked')).toEqual(told)
  })

  it('page through the index as through the log', async () => {
    const { managed, owner, key } = await ruled()
    for (let n = 0; n < 5; n += 1) await managed.organisation.admit(key, { model: 'gpt-4.1' })
    const first = await list(owner, 'outcome=blocked&limit=3')
    const second = await list(owner, `outcome=blocked&limit=3&cursor=${first.next_cursor ?? ''}`)
    const positions = [...first.data, ...second.data].map(({ index }) => index)
    expect([first.has_more, second.has_more]).toEqual([true, false])
    expect(positions).toEqual(positions.toSorted((a, b) => b - a))
    expect(new Set(positions).size).toBe(5)
  })
})

describe('the tier free', () => {
  it('lists the last 50 calls of seven days, each with its record, and takes no filters', async () => {
    const managed = await manage({ tier: 'free' })
    const [owner, developer] = [await managed.signIn('owner'), await managed.signIn('developer')]
    const key = await managed.organisation.issueKey()
    vi.setSystemTime(noon - 8 * DAY_MS)
    const admitted = [await managed.organisation.admit(key)]
    for (let n = 0; n < 51; n += 1) {
      // Five calls a minute, which is the tier's rate.
      vi.setSystemTime(noon + n * 13_000)
      admitted.push(await managed.organisation.admit(key, await factsWith(managed)))
    }
    let listed: string[] = []
    for (const asker of [owner, developer]) {
      const page = await list(asker)
      expect(page).toMatchObject({ has_more: false, next_cursor: null, is_whole: false })
      expect(page.data).toHaveLength(50)
      const record = page.data[0]?.record
      expect(verifyRecord(record, { keys: [record?.public_key ?? ''] })).toMatchObject({ valid: true })
      listed = page.data.map(({ id }) => id)
      const shown = await asker.ask('GET', `/api/calls/${listed.at(-1)}`)
      expect(await shown.json()).toMatchObject({ object: 'call_record', id: listed.at(-1) })
    }
    for (const query of ['outcome=blocked', 'start=2091-01-01', 'cursor=4', 'q=a', 'key_id=' + key.id]) {
      expect(await codeOf(await owner.ask('GET', `/api/calls?${query}`))).toEqual([403, 'tier_required'])
    }
    const refused = await owner.ask('GET', '/api/calls?rule=loop_guard')
    expect((await errorOf(refused)).message).toContain('come with starter, pro, healthcare, enterprise')
    const unlisted = admitted.map(idOf).filter((id) => !listed.includes(id))
    expect(unlisted).toHaveLength(2)
    for (const id of [...unlisted, 'an-id-of-nothing']) {
      expect(await codeOf(await owner.ask('GET', `/api/calls/${id}`))).toEqual([403, 'tier_required'])
    }
  })
})

describe.each(['starter', 'pro'] as const)('the tier %s', (tier) => {
  it('lists every call that it keeps, with filters and as CSV, to each role that reads usage', async () => {
    const { managed, owner, key } = await ruledAs(tier)
    const facts = await factsWith(managed)
    vi.setSystemTime(noon - 40 * DAY_MS)
    const old = await managed.organisation.admit(key, { ...facts, model: 'gpt-4.1', useCase: 'letters' })
    vi.setSystemTime(noon)
    for (let n = 0; n < 51; n += 1) await managed.organisation.admit(key, facts)
    const kept = 'start=2091-01-20'
    for (const asker of [
      owner,
      await managed.signIn('developer'),
      await managed.signIn('auditor'),
      await managed.automate(),
    ]) {
      expect(await list(asker, `${kept}&limit=200`)).toMatchObject({ is_whole: true, data: { length: 52 } })
      const filters = ['outcome=blocked', 'ending=blocked', 'rule=model_allowlist', 'model=gpt-4.1', 'use_case=letters']
      for (const filter of filters) {
        const { data } = await list(asker, `${kept}&key_id=${key.id}&${filter}`)
        expect([filter, data.map(({ id }) => id)]).toEqual([filter, [idOf(old)]])
      }
      const file = await rowsOf(await asker.ask('GET', `/api/calls?${kept}&outcome=blocked&format=csv`))
      expect(file).toMatchObject([{ attestation_id: idOf(old), rule: 'model_allowlist' }])
      expect((await asker.ask('GET', `/api/calls/${idOf(old)}`)).status).toBe(200)
    }
  })

  it('refuses who may not read usage or export the log, the audit trail, and what is not this organisation’s', async () => {
    const { managed, owner, key } = await ruledAs(tier)
    const id = idOf(await managed.organisation.admit(key, await factsWith(managed)))
    const [developer, clinician] = [await managed.signIn('developer'), await managed.signIn('clinician')]
    for (const path of ['/api/calls', '/api/calls?outcome=passed', '/api/calls?format=csv', `/api/calls/${id}`]) {
      expect(await codeOf(await clinician.ask('GET', path))).toEqual([403, 'role_required'])
    }
    expect(await codeOf(await developer.ask('GET', '/api/calls?format=evidence'))).toEqual([403, 'role_required'])
    const caller = await managed.automate(['chat'])
    expect(await codeOf(await caller.ask('GET', '/api/calls'))).toEqual([403, 'scope_required'])
    expect(await codeOf(await owner.ask('GET', '/api/compliance/audit-trail'))).toEqual([403, 'tier_required'])
    for (const query of ['ending=gone', 'cursor=x', 'limit=201', 'start=2091-02-30']) {
      expect(await codeOf(await developer.ask('GET', `/api/calls?${query}`))).toEqual([400, 'invalid_request'])
    }
    const other = await manage({ tier })
    const stranger = await other.signIn('owner')
    expect((await list(stranger)).data).toEqual([])
    expect(await codeOf(await stranger.ask('GET', `/api/calls/${id}`))).toEqual([404, 'not_found'])
  })

  it('lists no call once its details have expired', async () => {
    const { managed, key } = await ruledAs(tier)
    const facts = await factsWith(managed)
    const days = tierPlan(tier).retentionDays
    await managed.organisation.admit(key, facts)
    vi.setSystemTime(noon + (days - 1) * DAY_MS)
    expect((await list(await managed.signIn('owner'), 'start=2091-03-01')).data).toHaveLength(1)
    vi.setSystemTime(noon + (days + 1) * DAY_MS)
    const later = await managed.signIn('owner')
    for (const query of ['', '&model=gpt-4.1-mini', '&outcome=passed']) {
      expect((await list(later, `start=2091-03-01${query}`)).data).toEqual([])
    }
  })
})

describe('the tiers with the audit trail', () => {
  it.each(['healthcare', 'enterprise'] as const)('show all calls of %s to who may read that', async (tier) => {
    const { managed, key } = await ruledAs(tier)
    await managed.organisation.admit(key, await factsWith(managed))
    const developer = await managed.signIn('developer')
    const { data, is_whole: isWhole } = await list(developer)
    expect([isWhole, data.map(({ outcome }) => outcome)]).toEqual([false, ['passed']])
    expect((await developer.ask('GET', `/api/calls/${data[0]?.id}`)).status).toBe(200)
    expect(await codeOf(await developer.ask('GET', '/api/calls/another'))).toEqual([403, 'role_required'])
    expect(await codeOf(await developer.ask('GET', '/api/calls?outcome=held'))).toEqual([403, 'role_required'])
    const clinician = await managed.signIn('clinician')
    expect(await codeOf(await clinician.ask('GET', '/api/calls'))).toEqual([403, 'role_required'])
    expect(await list(await managed.signIn('auditor'), 'outcome=passed')).toMatchObject({ is_whole: true })
  })
})

describe('the record of a call', () => {
  it('comes in one answer with settlement and proofs, of a call that is not medical too, and holds by itself', async () => {
    const { managed, owner, key } = await ruled()
    await owner.ask('PUT', '/api/policies', { medical_use_cases: ['triage'] })
    const facts = await factsWith(managed, { useCase: 'letters' })
    const admission = await managed.organisation.admit(key, facts)
    await managed.organisation.settle(positionOf(admission), 5)
    const path = `/api/calls/${idOf(admission)}`
    const shown = await (await owner.ask('GET', path)).json<JsonObject & { settlement: object }>()
    expect(shown).toMatchObject({
      object: 'call_record',
      outcome: 'passed',
      settlement: { content: { ended: 'completed' } },
    })
    const findings = checkDocument(shown, { ...NO_OPTIONS, trust: { keys: [String(facts.publicKey)] } })
    expect(findings.filter(({ valid }) => !valid)).toEqual([])
    const changed = checkDocument(
      { ...shown, model: 'another' },
      { ...NO_OPTIONS, trust: { keys: [String(facts.publicKey)] } },
    )
    expect(changed.some(({ valid }) => !valid)).toBe(true)
    const receipt = `/api/health/receipts/${idOf(admission)}`
    expect(await codeOf(await owner.ask('GET', receipt))).toEqual([404, 'not_found'])
    expect(await codeOf(await owner.ask('GET', `/api/calls/${crypto.randomUUID()}`))).toEqual([404, 'not_found'])
  })
})
