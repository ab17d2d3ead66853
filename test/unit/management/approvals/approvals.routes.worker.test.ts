// Approvals over their routes: who sees and decides them, what is answered, and what the caller who waits is told.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { env } from 'cloudflare:workers'
import { may, rolesWith } from '../../../../src/accounts/access/roles.policy.ts'
import { findAcceptFault, isAcceptanceOf } from '../../../../src/evidence/records/accept-record.ts'
import { createSigner, configuredKeys } from '../../../../src/evidence/records/configured-keys.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { hashOf, noon } from '../../organisation/chat-organisation.ts'
import { actsOf, errorOf, manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/approvals'
const KEY_NAME = 'Letters'

const signer = () => {
  const keys = configuredKeys(env, readConfig(env))
  if (keys === null) throw new Error('there is no key')
  return createSigner(keys)
}

type Shown = {
  id: string
  state: string
  attestation: JsonObject | null
  decisions: { decision: string; decided_by: string; acceptance?: JsonObject | null }[]
  reason_salt?: string | null
}

async function waiting(settings: object = {}) {
  const managed = await manage(settings)
  const owner = await managed.signIn('owner')
  const rule = { when: [{}] }
  expect((await owner.ask('PUT', '/api/policies', { human_approval: rule })).status).toBe(200)
  const key = await managed.organisation.issueKey({ name: KEY_NAME })
  const publicKey = signer().nameAt(noon) ?? ''
  const ask = async (text = 'one') => {
    const refused = await managed.organisation.admit(key, { requestHash: hashOf(text), publicKey })
    if (refused.outcome !== 'approval_required' || refused.approval === null) throw new Error(refused.outcome)
    return refused.approval.id
  }
  return { managed, owner, ask, publicKey }
}

const decide = (by: Asker, id: string, body: object): Promise<Response> =>
  by.ask('POST', `${PATH}/${id}/decision`, body)

/** The key that asks, as if `maker` had made it. */
async function makeAskingKeyBy({ organisation }: Managed, maker: string): Promise<void> {
  await organisation.query(
    `UPDATE keys SET created_by = '${maker}' WHERE id = (SELECT key_id FROM entries WHERE outcome = 'asked')`,
  )
  await organisation.evict()
}

type Names = { key_name: string; key_made_by: object; key_person: object | null; decisions: object[] }

/** An approval as this caller reads it, alone and in the list. */
async function namesFor(caller: Asker, id: string): Promise<Names> {
  const pick = ({ key_name, key_made_by, key_person, decisions }: Names): Names => ({
    key_name,
    key_made_by,
    key_person,
    decisions: decisions.map((one) => ({ ...one, acceptance: undefined })),
  })
  const text = await (await caller.ask('GET', `${PATH}/${id}`)).text()
  expect(text).not.toContain('@')
  const shown = pick(JSON.parse(text) as Names)
  const { data } = await (await caller.ask('GET', PATH)).json<{ data: Names[] }>()
  expect(data.map(pick)).toEqual([shown])
  return shown
}

describe('names', () => {
  async function named() {
    const { managed, owner, ask } = await waiting()
    const maker = await managed.signIn('developer', 'Maeve Maker')
    const id = await ask()
    await makeAskingKeyBy(managed, maker.id)
    const passer = await managed.signIn('admin', 'Pat Passer')
    await decide(passer, id, { decision: 'escalate' })
    return { managed, owner, id, maker, passer }
  }

  it('are shown to a clinician, who may decide and can list neither keys nor members', async () => {
    const { managed, id, maker, passer } = await named()
    const clinician = await managed.signIn('clinician')
    for (const path of ['/api/keys', '/api/members']) expect((await clinician.ask('GET', path)).status).toBe(403)
    const made = { id: maker.id, name: 'Maeve Maker' }
    expect(await namesFor(clinician, id)).toMatchObject({
      key_name: KEY_NAME,
      key_made_by: made,
      key_person: made,
      decisions: [{ decided_by: passer.id, decided_by_name: 'Pat Passer' }],
    })
  })

  it.each([
    ['an auditor', (managed: Managed) => managed.signIn('auditor')],
    ['a developer', (managed: Managed) => managed.signIn('developer')],
    ['a key that manages', (managed: Managed) => managed.automate()],
  ])('of people are not shown to %s, who may not decide', async (_, signIn) => {
    const { managed, id, maker, passer } = await named()
    const shown = await namesFor(await signIn(managed), id)
    const made = { id: maker.id, name: null }
    const decisions = [{ decided_by: passer.id, decided_by_name: null }]
    expect(shown).toMatchObject({ key_name: KEY_NAME, key_made_by: made, key_person: made, decisions })
    expect(JSON.stringify(shown)).not.toMatch(/Maeve|Pat/)
  })

  it('of keys are shown to no role that may neither decide nor list keys', () => {
    const readers = rolesWith('approvals:read')
    expect(readers.filter((who) => !may(who, 'approvals:decide') && !may(who, 'keys:read'))).toEqual([])
  })

  it('are null for who has left', async () => {
    const { owner, id, maker, passer } = await named()
    for (const gone of [maker, passer]) expect((await owner.ask('DELETE', `/api/members/${gone.id}`)).status).toBe(200)
    expect(await namesFor(owner, id)).toMatchObject({
      key_made_by: { id: maker.id, name: null },
      key_person: { id: maker.id, name: null },
      decisions: [{ decided_by: passer.id, decided_by_name: null }],
    })
  })

  it('are of the key that made the key, and of the person who made that', async () => {
    const { managed, owner, id } = await named()
    const admin = await managed.signIn('admin', 'Ada Admin')
    const { id: key } = await (await admin.ask('POST', '/api/keys', { name: 'Provisioning' })).json<{ id: string }>()
    await makeAskingKeyBy(managed, key)
    expect(await namesFor(owner, id)).toMatchObject({
      key_made_by: { id: key, name: 'Provisioning' },
      key_person: { id: admin.id, name: 'Ada Admin' },
    })
  })

  it('are none for the operator, who is no person here', async () => {
    const { owner, ask } = await waiting()
    const id = await ask()
    expect(await namesFor(owner, id)).toMatchObject({ key_made_by: { id: 'operator', name: null }, key_person: null })
  })
})

describe('a decision', () => {
  it('is answered with its record, which verifies and is about the refusal, and with the salt of its reason', async () => {
    const { managed, ask, publicKey } = await waiting()
    const admin = await managed.signIn('admin')
    const id = await ask()
    const answer = await decide(admin, id, { decision: 'approve', reason: 'It is harmless.' })
    expect(answer.status).toBe(200)
    const approval = await answer.json<Shown>()
    expect(approval).toMatchObject({ object: 'approval', id, state: 'approved', attestation: { outcome: 'BLOCKED' } })
    const [decision] = approval.decisions
    expect(decision).toMatchObject({ decision: 'approve', decided_by: admin.id })
    const [acceptance, refusal] = [decision?.acceptance ?? {}, approval.attestation ?? {}]
    expect(findAcceptFault(acceptance, { keys: [publicKey] })).toBeNull()
    expect(verifyRecord(refusal, { keys: [publicKey] })).toMatchObject({ valid: true })
    expect(isAcceptanceOf(acceptance, refusal)).toBe(true)
    expect(acceptance).toMatchObject({
      decision: 'OVERRIDDEN',
      reviewer_ref: admin.id,
      reviewer_authority: 'role:admin',
    })
    const salted = [...Uint8Array.fromHex(approval.reason_salt ?? ''), ...new TextEncoder().encode('It is harmless.')]
    expect(acceptance['reason_hash']).toBe(sha256Hex(new Uint8Array(salted)))

    const { reason_salt: _, ...shown } = approval
    expect(await (await admin.ask('GET', `${PATH}/${id}`)).json()).toEqual(shown)
  })

  it('to approve needs a proof of the last 15 minutes, and to decline none', async () => {
    const { managed, ask } = await waiting()
    const admin = await managed.signIn('admin', 'Ada Admin', Date.now() - 15 * 60_000)
    const id = await ask()
    const refused = await decide(admin, id, { decision: 'approve' })
    expect(await refused.json()).toMatchObject({ error: { code: 'fresh_sign_in_required', methods: ['password'] } })
    expect((await decide(admin, id, { decision: 'deny' })).status).toBe(200)
  })

  it.each([
    ['was removed', 'DELETE', undefined],
    ['was demoted', 'PATCH', { role: 'developer' }],
  ])('of a member who %s counts no more from the answer to that on', async (_, method, body) => {
    const { managed, owner, ask } = await waiting()
    const admin = await managed.signIn('admin')
    const id = await ask()
    await decide(admin, id, { decision: 'approve' })
    expect((await owner.ask(method, `/api/members/${admin.id}`, body)).status).toBe(200)
    expect(await (await owner.ask('GET', `${PATH}/${id}`)).json()).toMatchObject({
      state: 'pending',
      decisions: [{ decided_by: admin.id, counts: false, acceptance: { decision: 'OVERRIDDEN' } }],
    })
    expect((await decide(admin, await ask('two'), { decision: 'approve' })).status).toBe(
      method === 'DELETE' ? 404 : 403,
    )
  })

  it('that was let in before its person lost the right is refused in its turn', async () => {
    const { managed, ask } = await waiting()
    const admin = await managed.signIn('admin')
    const id = await ask()
    const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(managed.organisation.id))
    const facts = { change: 'removed', role: 'admin', previous_role: null } as const
    const change = {
      personId: admin.id,
      mayDecide: false,
      keysReach: null,
      changedAt: noon,
      facts,
      messageId: 'msg_1',
    } as const
    await object.keys.changeMember(change, { actor: 'operator', act: 'member.remove', requestId: 'req_test' })
    const answer = await errorOf(await decide(admin, id, { decision: 'approve' }))
    expect(answer).toMatchObject({ status: 403, code: 'role_required' })
  })

  it('leaves nothing of its reason in the organisation’s database', async () => {
    const { managed, ask } = await waiting()
    await decide(await managed.signIn('clinician'), await ask(), { decision: 'deny', reason: 'marked-reason' })
    const tables = await managed.organisation.query<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table'",
    )
    for (const { name } of tables.filter((table) => /^[a-z]/.test(table.name))) {
      const rows = await managed.organisation.query(`SELECT * FROM "${name}"`)
      expect(JSON.stringify(rows)).not.toContain('marked-reason')
    }
    expect(JSON.stringify(await managed.organisation.entries())).not.toContain('marked-reason')
  })

  it('has its reason kept, sealed, where the organisation keeps content: for those who may read it, and never in the clear', async () => {
    const { managed, owner, ask, publicKey } = await waiting()
    await managed.organisation.set({ content_logging: { retention_days: 7 } })
    const id = await ask()
    const reason = 'A marked reason — größer.'
    const decided = await (await decide(owner, id, { decision: 'escalate', reason })).json<Shown>()
    await decide(await managed.signIn('clinician'), id, { decision: 'deny' })
    const path = `${PATH}/${id}/reasons`
    const acceptance = decided.decisions[0]?.acceptance ?? {}
    expect(findAcceptFault(acceptance, { keys: [publicKey] })).toBeNull()
    const auditor = await managed.signIn('auditor')
    expect(await (await auditor.ask('GET', path)).json()).toEqual({
      object: 'approval_reasons',
      approval_id: id,
      data: [{ acceptance_id: acceptance['acceptance_id'], decided_by: owner.id, reason, salt: decided.reason_salt }],
    })
    expect(await actsOf(managed, 'approval.reasons_read')).toMatchObject([{ actor: auditor.id, approval_id: id }])
    for (const { key } of (await env.FILES.list({ prefix: 'content/' })).objects) {
      expect(await (await env.FILES.get(key))?.text()).not.toContain('marked reason')
    }
    expect((await owner.ask('DELETE', '/api/compliance/content')).status).toBe(200)
    const erased = await (await owner.ask('GET', path)).json<{ data: { reason: string | null }[] }>()
    expect(erased.data.map((one) => one.reason)).toEqual([null])
  })

  it('about one’s own request is refused, also through a key of a key', async () => {
    const { managed, ask } = await waiting()
    const [maker, other] = [await managed.signIn('admin'), await managed.signIn('admin')]
    const { id: key } = await (await maker.ask('POST', '/api/keys', { name: 'My key' })).json<{ id: string }>()
    const id = await ask()
    await makeAskingKeyBy(managed, key)
    const refused = await errorOf(await decide(maker, id, { decision: 'approve' }))
    expect(refused).toMatchObject({ status: 403, code: 'role_required' })
    expect(refused.message).toContain('Ask somebody else')
    expect((await decide(other, id, { decision: 'approve' })).status).toBe(200)
  })

  it('is refused to who has decided so, and about ids that are none', async () => {
    const { owner, ask } = await waiting()
    const id = await ask()
    expect((await decide(owner, id, { decision: 'escalate' })).status).toBe(200)
    expect(await errorOf(await decide(owner, id, { decision: 'escalate' }))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
    for (const unknown of ['apr_1', 'nonsense']) {
      expect(await errorOf(await decide(owner, unknown, { decision: 'approve' }))).toMatchObject({ code: 'not_found' })
    }
    const empty = await errorOf(await decide(owner, id, { decision: 'deny', reason: '' }))
    expect(empty).toMatchObject({ status: 400, code: 'invalid_request' })
  })
})

describe('the list', () => {
  it('has what waits, a page at a time, and nothing of another organisation', async () => {
    const { managed, owner, ask } = await waiting()
    const asked = []
    for (const text of ['one', 'two', 'three']) {
      vi.setSystemTime(noon + asked.length)
      asked.push(await ask(text))
    }
    const list = async (query: string) => (await owner.ask('GET', `${PATH}${query}`)).json()
    expect(await list('?state=pending&limit=2')).toMatchObject({
      data: [{ id: asked[2], facts: { provider: 'openai', content_kinds: ['text'] } }, { id: asked[1] }],
      has_more: true,
      next_cursor: asked[1],
    })
    expect(await list(`?limit=2&cursor=${asked[1]}`)).toMatchObject({ data: [{ id: asked[0] }], has_more: false })
    expect(await list('?state=denied')).toMatchObject({ data: [] })
    const stranger = await (await manage()).signIn('owner')
    expect(await (await stranger.ask('GET', PATH)).json()).toMatchObject({ data: [] })
    expect((await stranger.ask('GET', `${PATH}/${asked[0]}`)).status).toBe(404)
    expect((await (await managed.automate()).ask('GET', PATH)).status).toBe(200)
  })
})

describe('a policy that asks for approval', () => {
  it('is of the tiers from pro on, and goes on holding where the tier falls', async () => {
    const managed: Managed = await manage({ tier: 'starter' })
    const owner = await managed.signIn('owner')
    const rule = { when: [{ use_cases: ['letters'] }] }
    const refused = await errorOf(await owner.ask('PUT', '/api/policies', { human_approval: rule }))
    expect(refused).toMatchObject({ status: 403, code: 'tier_required', param: 'human_approval' })
    expect(refused.message).toContain('pro')
    await managed.organisation.set({ tier: 'pro' })
    expect((await owner.ask('PUT', '/api/policies', { human_approval: rule })).status).toBe(200)
    await managed.organisation.set({ tier: 'starter' })
    const key = await managed.organisation.issueKey()
    expect(await managed.organisation.admit(key, { useCase: 'letters' })).toMatchObject({
      outcome: 'approval_required',
    })
    const other = { human_approval: rule, use_case_guard: { required: true }, withdraw_waiting: true }
    expect((await owner.ask('PUT', '/api/policies', other)).status).toBe(200)
    const changed = { human_approval: { ...rule, approvals_required: 2 } }
    expect(await errorOf(await owner.ask('PUT', '/api/policies', changed))).toMatchObject({ code: 'tier_required' })
    expect((await owner.ask('PUT', '/api/policies', {})).status).toBe(200)
  })

  it('is not changed while requests wait, unless the change says that it withdraws them', async () => {
    const managed: Managed = await manage()
    const [owner, key] = [await managed.signIn('owner'), await managed.organisation.issueKey()]
    const put = (document: object) => owner.ask('PUT', '/api/policies', document)
    const remove = (more: object) => owner.ask('PATCH', '/api/policies', { human_approval: null, ...more })
    const rule = { human_approval: { when: [{}] } }
    await put(rule)
    for (const text of ['one', 'two']) await managed.organisation.admit(key, { requestHash: hashOf(text) })
    const refused = await errorOf(await put({}))
    expect(refused).toMatchObject({ status: 409, code: 'conflict', param: 'withdraw_waiting' })
    expect(refused.message).toContain('2 requests wait')
    expect((await put(rule)).status).toBe(200)
    const states = async () => {
      const { data } = await (await owner.ask('GET', '/api/approvals')).json<{ data: { state: string }[] }>()
      return data.map(({ state }) => state)
    }
    expect(await states()).toEqual(['pending', 'pending'])
    const listed = await (await owner.ask('GET', '/api/approvals')).json<{ data: { id: string }[] }>()
    const [first, second] = listed.data.map(({ id }) => id)
    expect(await errorOf(await remove({ withdraw_waiting: [first] }))).toMatchObject({ param: 'withdraw_waiting' })
    expect(await states()).toEqual(['pending', 'pending'])
    const changed = await (
      await remove({ withdraw_waiting: [second, first] })
    ).json<{ version: number; document: object }>()
    expect(changed).toMatchObject({ version: 2, document: {} })
    expect(changed.document).toEqual({})
    expect(await states()).toEqual(['withdrawn', 'withdrawn'])
  })

  it('names only models that there are', async () => {
    const owner = await (await manage()).signIn('owner')
    const document = { human_approval: { when: [{}, { models: ['invented'] }] } }
    expect(await errorOf(await owner.ask('PUT', '/api/policies', document))).toMatchObject({
      code: 'invalid_request',
      param: 'human_approval.when.1.models',
    })
  })
})
