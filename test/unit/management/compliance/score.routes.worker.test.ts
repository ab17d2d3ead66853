// The score over its route: who may ask, what of an organisation's real history makes controls pass and fail, and what is never left out.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { seedSettingOf } from '../../../../src/evidence/records/configured-keys.ts'
import { publicKeyOf } from '../../../../src/evidence/records/signing-key.ts'
import { LAW_AS_OF } from '../../../../src/reports/controls/checklist.ts'
import { ComplianceScoreSchema } from '../../../../src/management/compliance/compliance.schema.ts'
import { endingNumber } from '../../../../src/evidence/records/call-endings.ts'
import { readLatestCalls } from '../../../../src/organisation/compliance/sample-entries.ts'
import { countReceipts } from '../../../../src/organisation/compliance/log-facts.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../../../src/platform/time.ts'
import { hashOf, noon, type FactsChange } from '../../organisation/chat-organisation.ts'
import { PLAIN_TEXT } from '../../../fixtures/plain-text.ts'
import { objectOf } from '../export/exported.ts'
import { errorOf } from '../managed.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { oversee, readScore, tamper, type Overseen, type Score } from './overseen.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/compliance/score'

const stateOf = async ({ controls }: Overseen, id: string) => (await controls()).get(id)?.state

describe('the score', () => {
  it('comes with its list, in the shape that is documented, and says what it cannot show', async () => {
    const { owner } = await oversee({ tier: 'free' })
    const score = await readScore(owner)
    expect(ComplianceScoreSchema().safeParse(score).error).toBeUndefined()
    expect(score).toMatchObject({
      object: 'compliance_score',
      checklist: '2026-11-30.2',
      law_as_of: LAW_AS_OF,
      report_id: null,
    })
    expect(score.controls).toHaveLength(34)
    expect(score.cannot_show.length).toBeGreaterThan(5)
    const counted = score.controls.filter(({ state }) => state === 'pass' || state === 'fail')
    expect(score.score).toMatchObject({
      percent: null,
      calls: 0,
      coverage: { with_data: counted.length, controls: 30 },
    })
    expect(score.score.reason).toMatch(/^Nothing to judge yet/)
    expect(counted.every(({ evidence, would_pass }) => evidence.values !== null && would_pass !== '')).toBe(true)
  })

  it('is for owners, admins, auditors and keys that manage', async () => {
    const overseen = await oversee({ tier: 'free' })
    for (const role of ['developer', 'clinician'] as const) {
      const answer = await (await overseen.signIn(role)).ask('GET', PATH)
      expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'role_required' })
    }
    for (const asker of [await overseen.signIn('auditor'), await overseen.automate()]) {
      expect((await asker.ask('GET', PATH)).status).toBe(200)
    }
  })

  it('is not answered for a moment that has been, where no report tells of it', async () => {
    const { owner } = await oversee()
    for (const at of [noon - DAY_MS, noon + DAY_MS]) {
      const answer = await owner.ask('GET', `${PATH}?at=${new Date(at).toISOString()}`)
      expect(await errorOf(answer)).toMatchObject({ status: 400, code: 'invalid_request', param: 'at' })
    }
  })
})

describe('logging', () => {
  it('L1 counts the receipts of whole days, calls in flight and refusals included', async () => {
    const overseen = await oversee()
    expect(await stateOf(overseen, 'L1')).toBe('not_applicable')
    for (let n = 0; n < 3; n += 1) await overseen.call()
    await overseen.organisation.admit(overseen.key)
    await overseen.organisation.admit(overseen.key, { model: 'gpt-4.1-mini', provider: 'openai', costEffective: false })
    const control = (await overseen.controls()).get('L1')
    expect(control).toMatchObject({ state: 'pass', evidence: { values: { receipts: 5, in_flight: 2, counted: 3 } } })
  })

  it('L1 counts no receipt that came after usage was counted', async () => {
    const overseen = await oversee()
    await overseen.call()
    const size = await overseen.call()
    const day = utcDay(noon)
    const counted = await runInDurableObject(objectOf(overseen), (_, { storage: { sql } }) =>
      countReceipts(sql, { first: day, last: day, size }),
    )
    expect(counted).toEqual({ first: day, last: day, receipts: 1 })
  })

  it('L1 fails where usage counts less than there is', async () => {
    const overseen = await oversee()
    await overseen.call()
    expect(await stateOf(overseen, 'L1')).toBe('pass')
    await tamper(overseen, 'DELETE FROM usage_days')
    expect(await stateOf(overseen, 'L1')).toBe('fail')
  })

  it('L1 leaves out the day on which the retention of receipts ended that are still at hand', async () => {
    const overseen = await oversee({ tier: 'free' })
    await overseen.call()
    vi.setSystemTime(noon + 8 * DAY_MS)
    const owner = await overseen.signIn('owner')
    while (
      (await overseen.organisation.query("SELECT 1 FROM entries WHERE id IS NOT NULL AND entry = x''")).length === 0
    ) {
      await overseen.organisation.runAlarm()
    }
    const read = async () => (await readScore(owner)).controls.find(({ id }) => id === 'L1')
    expect((await read())?.state).toBe('not_applicable')
    await overseen.call()
    expect(await read()).toMatchObject({
      state: 'pass',
      evidence: { values: { from: '2091-03-16', receipts: 1, counted: 1 } },
    })
    // Receipts whose retention has ended are not missing.
    expect((await readScore(owner)).controls.find(({ id }) => id === 'L6')?.state).toBe('pass')
  })

  it('L2 and L6 pass over entries as they were written', async () => {
    const overseen = await oversee()
    await overseen.call()
    const controls = await overseen.controls()
    expect(controls.get('L2')).toMatchObject({
      state: 'pass',
      evidence: { values: { differing: 0, root_matches: true } },
    })
    expect(controls.get('L6')).toMatchObject({ state: 'pass', evidence: { values: { unreadable: 0 } } })
  })

  it('L2 fails, and says where, when an entry is changed behind the service’s back', async () => {
    const overseen = await oversee()
    const position = await overseen.call()
    await tamper(overseen, `UPDATE entries SET entry = zeroblob(40) WHERE position = ${position}`)
    expect((await overseen.controls()).get('L2')).toMatchObject({ state: 'fail', evidence: { positions: [position] } })
  })

  it('L6 fails, and says where, when entries lose their content before their time', async () => {
    const overseen = await oversee()
    const position = await overseen.call()
    await tamper(overseen, `UPDATE entries SET entry = x'' WHERE position IN (0, ${position})`)
    const controls = await overseen.controls()
    expect(controls.get('L6')).toMatchObject({
      state: 'fail',
      evidence: { positions: [0, position] },
    })
    expect(controls.get('L2')?.state).toBe('pass')
  })

  it('L3 passes while a receipt is young, and fails when it waits for over a minute', async () => {
    const overseen = await oversee()
    await overseen.call()
    expect(await stateOf(overseen, 'L3')).toBe('pass')
    vi.setSystemTime(noon + MINUTE_MS + 1000)
    expect(await stateOf(overseen, 'L3')).toBe('fail')
  })

  it('L4 passes from an export on, for a month', async () => {
    const overseen = await oversee()
    expect(await stateOf(overseen, 'L4')).toBe('not_applicable')
    await overseen.call()
    expect(await stateOf(overseen, 'L4')).toBe('fail')
    for (const [path, act] of [
      ['/api/settings/export?section=settings', 'settings.export'],
      ['/api/compliance/audit-logs', 'compliance.audit_export'],
      ['/api/health/receipts/export', 'receipts.export'],
    ]) {
      await (await overseen.owner.ask('GET', path ?? '')).text()
      const control = (await overseen.controls()).get('L4')
      expect(control).toMatchObject({ state: 'pass', evidence: { values: { act, days_ago: 0 } } })
    }
  })

  it.each([
    ['free', 'fail', 7],
    ['starter', 'fail', 90],
    ['pro', 'pass', 365],
    ['healthcare', 'pass', 365],
  ])('L5 of the tier %s: %s', async (tier, state, days) => {
    const overseen = await oversee({ tier })
    await overseen.call()
    expect((await overseen.controls()).get('L5')).toMatchObject({
      state,
      evidence: { values: { retention_days: days, tier } },
    })
  })

  it('L7 and L8 go by how calls ended, and what was estimated of those completed', async () => {
    const overseen = await oversee({ enabled_providers: ['openai'] })
    await overseen.call()
    const before = await overseen.controls()
    expect([before.get('L7')?.state, before.get('L8')?.state]).toEqual(['pass', 'pass'])
    await overseen.call({}, { ended: 'interrupted', estimated: true })
    expect((await overseen.controls()).get('L8')?.state).toBe('pass')
    await overseen.call({}, { estimated: true })
    const after = await overseen.controls()
    expect([after.get('L7')?.state, after.get('L8')?.state]).toEqual(['fail', 'fail'])
    await overseen.organisation.admit(overseen.key, { model: 'claude-haiku-4-5', provider: 'anthropic' })
    const passed = async () => (await overseen.controls()).get('L7')?.evidence.values
    expect(await passed()).toMatchObject({ passed: 3, interrupted: 1 })
    await tamper(
      overseen,
      `UPDATE usage_days SET ending = ${endingNumber('suppressed')} WHERE ending = ${endingNumber('blocked')}`,
    )
    expect(await passed()).toMatchObject({ passed: 3, interrupted: 1 })
  })
})

describe('keys and people', () => {
  it('K1 fails while receipts are signed by a key that this deployment does not know', async () => {
    const overseen = await oversee()
    await overseen.call()
    expect((await overseen.controls()).get('K1')).toMatchObject({
      state: 'fail',
      evidence: { values: { made_for_development: true, keys_outside_their_time: ['A'.repeat(43)] } },
    })
  })

  it('K1 passes while the deployment’s own key signs, and fails once a receipt is dated after its end', async () => {
    const seed = new Uint8Array(32).fill(7)
    const publicKey = publicKeyOf(seed)
    const next = new Uint8Array(32).fill(9)
    const keysWith = (change: object) => ({
      ATTESTATION_KEYS: JSON.stringify([
        {
          public_key: publicKeyOf(new Uint8Array(32).fill(8)),
          status: 'retired',
          valid_from: '2089-01-01T00:00:00Z',
          valid_until: '2090-01-01T00:00:00Z',
        },
        { public_key: publicKey, status: 'active', valid_from: '2090-01-01T00:00:00Z', valid_until: null, ...change },
        { public_key: publicKeyOf(next), status: 'active', valid_from: '2092-01-01T00:00:00Z', valid_until: null },
      ]),
      [seedSettingOf(publicKey)]: seed.toHex(),
      [seedSettingOf(publicKeyOf(next))]: next.toHex(),
    })
    const stateWith = async (change: object) => {
      const overseen = await oversee({}, keysWith(change))
      await overseen.call({ publicKey })
      return stateOf(overseen, 'K1')
    }
    expect(await stateWith({})).toBe('pass')
    expect(await stateWith({ valid_from: '2091-03-16T00:00:00Z' })).toBe('fail')
    const retired = { status: 'retired', valid_until: '2091-03-14T00:00:00Z' }
    expect(await stateWith(retired)).toBe('fail')
    for (const change of [
      { valid_from: '2091-03-15T13:00:00Z' },
      { status: 'retired', valid_until: '2091-03-15T13:00:00Z' },
    ]) {
      vi.setSystemTime(noon)
      const overseen = await oversee({}, keysWith(change))
      await overseen.call({ publicKey })
      vi.setSystemTime(noon + 120 * MINUTE_MS)
      await overseen.call({ publicKey })
      expect((await overseen.controls()).get('K1')?.evidence.values).toMatchObject({
        keys_outside_their_time: [publicKey],
      })
    }
  })

  it('K2 fails for a key that never ends or lies idle, and K3 for one that may do both', async () => {
    const overseen = await oversee()
    const both = await overseen.automate(['chat', 'manage'])
    const controls = await overseen.controls()
    expect(controls.get('K2')).toMatchObject({ state: 'fail', evidence: { values: { keys: 2, endless: 2, idle: 0 } } })
    expect(controls.get('K3')).toMatchObject({ state: 'fail', evidence: { values: { ids: [both.id] } } })
    await tamper(overseen, `UPDATE keys SET expires_at = ${noon + 100 * DAY_MS}`)
    expect(await stateOf(overseen, 'K2')).toBe('pass')
    vi.setSystemTime(noon + 91 * DAY_MS)
    const owner = await overseen.signIn('owner')
    const later = (await readScore(owner)).controls.find(({ id }) => id === 'K2')
    expect(later).toMatchObject({ state: 'fail', evidence: { values: { keys: 2, endless: 0, idle: 2 } } })
    await overseen.call()
    await owner.ask('DELETE', `/api/keys/${both.id}`)
    const { controls: last } = await readScore(owner)
    expect(last.find(({ id }) => id === 'K2')).toMatchObject({ state: 'pass', evidence: { values: { keys: 1 } } })
    expect(last.find(({ id }) => id === 'K3')?.state).toBe('pass')
  })

  it('K4 counts members by their second factor', async () => {
    const overseen = await oversee()
    const none = { totp: 0, none: 1, ids: [overseen.owner.id], required: 'off', required_now: false }
    expect((await overseen.controls()).get('K4')).toMatchObject({ state: 'fail', evidence: { values: none } })
    await env.DB
      .exec(`UPDATE sessions SET second_factor = 'totp', second_factor_at = ${Date.now()}; UPDATE people SET second_factor_since = 1;
INSERT INTO totp_secrets (id, person_id, sealed, pepper, created_at, confirmed_at) SELECT 'tot_1', id, x'00', 'a', 0, 0 FROM people`)
    await overseen.organisation.set({ second_factor: 'any', second_factor_from: new Date().toISOString() })
    const all = { totp: 1, none: 0, ids: [], required: 'any', required_now: true }
    expect((await overseen.controls()).get('K4')).toMatchObject({ state: 'pass', evidence: { values: all } })
  })
})

describe('policies', () => {
  const POLICY = {
    model_allowlist: { models: ['gpt-4.1-mini'] },
    pii_scan: { default: 'redact', answers: { default: 'report' } },
    loop_guard: { repeats: 5 },
    budget_guard: { month_eur: 10 },
    high_risk_use_cases: ['triage-notes'],
    human_approval: { when: [{ use_cases: ['triage-notes'] }] },
  }
  const IDS = ['P1', 'P2', 'P4', 'P5', 'P6', 'H1']
  const states = async (overseen: Overseen) => {
    const controls = await overseen.controls()
    return IDS.map((id) => controls.get(id)?.state)
  }

  /** A call whose text was scanned under the policy that is in force. */
  async function scannedCall(overseen: Overseen, facts: FactsChange = {}): Promise<void> {
    await overseen.call({ ...facts, scan: await scanOf(overseen) })
  }

  async function scanOf(overseen: Overseen) {
    const { id } = await (await overseen.owner.ask('GET', '/api/policies')).json<{ id: string }>()
    return { policy: id, findings: {}, redacted: 0 }
  }

  it('P1, P2 and P4 to P6 go by the policy that a person has put in force, while calls come', async () => {
    const overseen = await oversee()
    expect(await states(overseen)).toEqual(IDS.map(() => 'not_applicable'))
    await overseen.call()
    const failing = ['fail', 'fail', 'fail', 'fail', 'fail', 'not_applicable']
    expect(await states(overseen)).toEqual(failing)
    expect((await overseen.owner.ask('PUT', '/api/policies', POLICY)).status).toBe(200)
    // It came after the call.
    expect(await states(overseen)).toEqual(failing)
    await scannedCall(overseen)
    expect(await states(overseen)).toEqual(['pass', 'pass', 'pass', 'pass', 'pass', 'not_applicable'])
  })

  it('P5 counts the days on which a key for evaluation worked, and still passes', async () => {
    const overseen = await oversee()
    await overseen.owner.ask('PUT', '/api/policies', POLICY)
    await scannedCall(overseen)
    const evaluationDays = async () => (await overseen.controls()).get('P5')?.evidence.values?.['evaluation_key_days']
    expect(await evaluationDays()).toBe(0)
    const made = { name: 'A suite', evaluation: true, expires_at: new Date(noon + 5 * DAY_MS).toISOString() }
    expect((await overseen.owner.ask('POST', '/api/keys', made)).status).toBe(201)
    expect(await evaluationDays()).toBe(1)
    vi.setSystemTime(noon + DAY_MS / 2)
    expect(await evaluationDays()).toBe(2)
    expect(await stateOf(overseen, 'P5')).toBe('pass')
  })

  it('P5 fails where budgets refuse more calls than run, on most of the days', async () => {
    const overseen = await oversee()
    await overseen.owner.ask('PUT', '/api/policies', POLICY)
    await scannedCall(overseen)
    await overseen.owner.ask('PUT', '/api/policies', { ...POLICY, budget_guard: { month_eur: 0.000001 } })
    const scan = await scanOf(overseen)
    for (const _ of [1, 2]) await overseen.organisation.admit(overseen.key, { scan })
    const daysOf = async () => {
      const { state, evidence } = (await overseen.controls()).get('P5') ?? {}
      return [state, evidence?.values?.['days_with_calls'], evidence?.values?.['days_shut_out']]
    }
    expect(await daysOf()).toEqual(['fail', 1, 1])
    // The first day is an entry of the log by then.
    vi.setSystemTime(noon + DAY_MS / 2)
    await overseen.organisation.runAlarm()
    await overseen.owner.ask('PUT', '/api/policies', POLICY)
    await scannedCall(overseen)
    await scannedCall(overseen)
    expect(await daysOf()).toEqual(['pass', 2, 1])
  })

  it('H1 goes by the high-risk calls that ran, and by how people decided', async () => {
    const overseen = await oversee()
    const admin = await overseen.signIn('admin')
    const rules = { high_risk_use_cases: ['triage-notes'] }
    const useCase = 'triage-notes'
    await overseen.owner.ask('PUT', '/api/policies', {
      ...rules,
      human_approval: { when: [{ use_cases: ['triage-notes'] }] },
    })
    for (let n = 0; n < 10; n += 1) {
      const requestHash = hashOf(`request ${n}`)
      const approval = approvalOf(await overseen.organisation.admit(overseen.key, { useCase, requestHash }))
      const decision = n === 0 ? 'approve' : 'deny'
      await admin.ask('POST', `/api/approvals/${approval}/decision`, { decision })
      if (n === 0) await overseen.call({ useCase, requestHash, approval: `apr_${approval.slice(4)}` })
    }
    expect((await overseen.controls()).get('H1')).toMatchObject({
      state: 'pass',
      evidence: { values: { calls: 11, ran_without_approval: 0, decided: 10, undecided: 0 } },
    })
    await overseen.owner.ask('PUT', '/api/policies', rules)
    await overseen.call({ useCase })
    // What the policy no longer names came under one that did.
    await overseen.owner.ask('PUT', '/api/policies', {})
    expect((await overseen.controls()).get('H1')).toMatchObject({
      state: 'fail',
      evidence: { values: { ran_without_approval: 1 } },
    })
  })

  it('P1 fails where a key made the policy', async () => {
    const overseen = await oversee()
    const rules = { pii_scan: { default: 'block' } }
    await (await overseen.automate()).ask('PUT', '/api/policies', rules)
    await scannedCall(overseen)
    expect(await stateOf(overseen, 'P1')).toBe('fail')
    await overseen.owner.ask('PUT', '/api/policies', { ...rules, loop_guard: { repeats: 5 } })
    await scannedCall(overseen)
    expect(await stateOf(overseen, 'P1')).toBe('pass')
  })

  it('P3 and D5 go by the use cases that calls declare, P4 by the pictures that they send too', async () => {
    const overseen = await oversee()
    await overseen.call({ useCase: 'letters' })
    const before = await overseen.controls()
    expect(['P3', 'D5'].map((id) => before.get(id)?.state)).toEqual(['pass', 'pass'])
    await overseen.call({ content: { ...PLAIN_TEXT, images: 1 } })
    await overseen.owner.ask('PUT', '/api/policies', POLICY)
    const after = await overseen.controls()
    expect(['P3', 'D5', 'P4'].map((id) => after.get(id)?.state)).toEqual(['fail', 'pass', 'fail'])
    const today = utcDay(noon)
    const kindsOf = (first: number, last: number) =>
      runInDurableObject(objectOf(overseen), (_, { storage: { sql } }) =>
        [...readLatestCalls(sql, { first, last }).values()].flatMap(({ kinds }) => kinds).toSorted(),
      )
    expect(await kindsOf(today, today)).toEqual(['image', 'text', 'text'])
    expect([await kindsOf(today - 1, today - 1), await kindsOf(today + 1, today + 1)]).toEqual([[], []])
    const yesterday = { start: '2091-03-14', end: '2091-03-14' }
    const made = await overseen.owner.ask('POST', '/api/compliance/report', yesterday)
    const { controls } = await made.json<Score>()
    expect(controls.find(({ id }) => id === 'P4')?.state).toBe('not_applicable')
  })
})
