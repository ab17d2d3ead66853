// A request that a person must approve, where its calls are decided: it runs once, with an approval of it and no other.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAcceptanceOf } from '../../../../src/evidence/records/accept-record.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import { countOutcomes, hashOf, noon, positionOf, type FactsChange } from '../chat-organisation.ts'
import { approvalOf, stepsIn, withApprovals } from './approved-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const HOUR_MS = 3_600_000
const refused = (reason: string) => ({ outcome: 'approval_required', reason })

describe('a request that needs approval', () => {
  it('is refused with a record, and waits for one approval however often it is sent', async () => {
    const { organisation, send } = await withApprovals()
    const first = await send({ inputMicroeur: 7 })
    expect(first).toMatchObject({
      ...refused('approval_required'),
      approval: { expiresAt: noon + HOUR_MS },
      record: { outcome: 'BLOCKED', policy_applied: ['human_approval'], cost_prevented_eur: 0.000007 },
    })
    const second = await send()
    expect(approvalOf(second)).toBe(approvalOf(first))
    expect('record' in second && second.record).not.toEqual('record' in first && first.record)
    const { months, approvals } = await organisation.state()
    expect([months.used.size, months.open.size, approvals.size]).toEqual([0, 0, 1])
    expect(await stepsIn(organisation)).toEqual(['asked'])
  })

  it('says how many identifiers were found in it, and apart from that where none were searched for', async () => {
    const { send, read, put } = await withApprovals()
    const foundIn = async (facts: FactsChange) => (await read(approvalOf(await send(facts))))?.approval.found
    expect(await foundIn({})).toBeNull()
    const human_approval = { when: [{}], expires_seconds: 3600, approvals_required: 1 as const }
    const changed = await put({ human_approval, pii_scan: { default: 'report' } })
    const policy = changed.outcome === 'changed' ? changed.policy.sha256 : ''
    for (const pii_scan of [{}, { pps_number: 2 }])
      expect(
        await foundIn({
          scan: { policy, findings: { pii_scan }, redacted: 0 },
          requestHash: hashOf(JSON.stringify(pii_scan)),
        }),
      ).toEqual(pii_scan)
  })

  it('asks for approvals of its own where anything that it is bound to differs', async () => {
    const { organisation, send } = await withApprovals()
    const other = await organisation.issueKey()
    const asked = [
      await send(),
      await send({ requestHash: hashOf('another') }),
      await send({ useCase: 'letters' }),
      await send({}, other),
    ]
    expect(new Set(asked.map(approvalOf)).size).toBe(4)
  })

  it('runs once with its approval, and is named among the rules that it passed', async () => {
    const { organisation, send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    expect(await send({ approval })).toMatchObject(refused('approval_required'))
    expect(await decide(approval)).toMatchObject({ outcome: 'decided', approval: { state: 'approved' } })
    expect(await send()).toMatchObject({ ...refused('approval_required'), approval: { id: approval } })
    const admitted = await send({ approval })
    expect(admitted).toMatchObject({
      outcome: 'admitted',
      record: { policy_applied: ['human_approval', 'loop_guard', 'model_allowlist', 'rate_limit'] },
    })
    expect(await send({ approval })).toMatchObject({ ...refused('in_use'), approval: { id: approval } })
    await organisation.settle(positionOf(admitted), 5)
    expect(await stateOf(approval)).toBe('executed')
    expect(await send({ approval })).toMatchObject({ ...refused('used'), approval: { id: approval } })
    expect(await stepsIn(organisation)).toEqual(['asked', 'decided', 'claimed', 'executed'])
    expect((await organisation.state()).approvals.size).toBe(0)
    expect(approvalOf(await send())).not.toBe(approval)
  })

  it('runs once among 100 that are sent with it at once', async () => {
    const { organisation, send, decide } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    const answers = await Promise.all(Array.from({ length: 100 }, () => send({ approval })))
    expect(countOutcomes(answers)).toEqual({ admitted: 1, approval_required: 99 })
    expect(await stepsIn(organisation)).toEqual(['asked', 'decided', 'claimed'])
  })

  it('runs once at most among 500 during which the policy changes, and never after that', async () => {
    const { organisation, put, send, decide } = await withApprovals()
    await organisation.set({ tier: 'enterprise', requests_per_minute: 30_000 })
    const approval = approvalOf(await send())
    await decide(approval)
    const calls = () => Array.from({ length: 250 }, () => send({ approval }))
    const before = calls()
    const changed = put({ human_approval: { when: [{}], expires_seconds: 300, approvals_required: 1 } })
    const after = calls()
    await changed
    expect(countOutcomes(await Promise.all(before))).toEqual({ admitted: 1, approval_required: 249 })
    expect(countOutcomes(await Promise.all(after))).toEqual({ approval_required: 250 })
    expect((await stepsIn(organisation)).filter((step) => step === 'claimed')).toHaveLength(1)
  })

  it('may be sent with it again where it certainly reached no provider, and only then', async () => {
    const { organisation, send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    const unreached = positionOf(await send({ approval }))
    await organisation.settle(unreached, 0, { ended: 'failed', errorCause: 'unreachable', isUnreached: true })
    expect(await stateOf(approval)).toBe('approved')
    const again = positionOf(await send({ approval }))
    expect(await organisation.settle(unreached, 0)).toEqual({ outcome: 'not_open' })
    expect(await stateOf(approval)).toBe('claimed')
    await organisation.settle(again, 0, { ended: 'failed', errorCause: 'rate' })
    expect(await stateOf(approval)).toBe('executed')
  })

  it('has used it up where nobody says how it ended', async () => {
    const { organisation, send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    await send({ approval })
    vi.setSystemTime(noon + 20 * 60_000)
    await organisation.runAlarm()
    expect(await stateOf(approval)).toBe('executed')
    expect(await send({ approval })).toMatchObject(refused('used'))
  })

  it('needs none where no case of the policy fits it, whatever it names', async () => {
    const { organisation, send } = await withApprovals({ when: [{ use_cases: ['letters'] }] })
    expect(await send({ approval: 'apr_none' })).toMatchObject({ outcome: 'admitted' })
    expect(await send({ useCase: 'letters' })).toMatchObject(refused('approval_required'))
    expect(await stepsIn(organisation)).toEqual(['asked'])
  })

  it('is decided about after all else: what a rule or a budget refuses asks nobody', async () => {
    const { organisation, put, send } = await withApprovals()
    const human_approval = { when: [{}], expires_seconds: 300, approvals_required: 1 as const }
    await put({ human_approval, use_case_guard: { required: true } })
    expect(await send()).toMatchObject({ outcome: 'policy_blocked' })
    await put({ human_approval, budget_guard: { day_eur: 0.000001 } })
    expect(await send({ upFrontMicroeur: 2 })).toMatchObject({ outcome: 'quota_exceeded' })
    expect(await stepsIn(organisation)).toEqual([])
  })
})

describe('an approval', () => {
  it.each([
    ['request_hash_differs', { requestHash: hashOf('another') }],
    ['use_case_differs', { useCase: 'letters' }],
  ])('lets no other request pass: %s', async (reason, facts) => {
    const { send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    expect(await send({ approval, ...facts })).toMatchObject({ ...refused(reason), approval: { id: approval } })
    expect(await stateOf(approval)).toBe('approved')
  })

  it('lets no other key pass, which is told nothing of it', async () => {
    const { organisation, send, decide } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    const other = await organisation.issueKey()
    expect(await send({ approval }, other)).toMatchObject({ ...refused('key_id_differs'), approval: null })
    expect(await send({ approval: 'apr_none' })).toMatchObject({ ...refused('not_found'), approval: null })
  })

  it('is over at the very millisecond, before its alarm and while it waits for people', async () => {
    const { send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    vi.setSystemTime(noon + HOUR_MS - 1)
    expect(await stateOf(approval)).toBe('pending')
    vi.setSystemTime(noon + HOUR_MS)
    expect(await decide(approval)).toEqual({ outcome: 'not_pending', state: 'expired' })
    expect(await send({ approval })).toMatchObject(refused('expired'))
  })

  it('may be used for an hour', async () => {
    const { send, decide } = await withApprovals()
    const approval = approvalOf(await send())
    vi.setSystemTime(noon + HOUR_MS / 2)
    expect(await decide(approval)).toMatchObject({ approval: { expiresAt: noon + 1.5 * HOUR_MS } })
    vi.setSystemTime(noon + 1.5 * HOUR_MS)
    expect(await send({ approval })).toMatchObject(refused('expired'))
  })

  it('is ended by the alarm where nobody looks, which is set for it', async () => {
    const { organisation, send } = await withApprovals({ expires_seconds: 300 })
    await send()
    await organisation.runAlarm()
    expect(await organisation.alarmAt()).toBe(noon + 300_000)
    vi.setSystemTime(noon + 300_000)
    await organisation.runAlarm()
    expect(await stepsIn(organisation)).toEqual(['asked', 'expired'])
  })

  it('is withdrawn where the policy changes, though it was approved', async () => {
    const { organisation, put, send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    await put({ human_approval: { when: [{}], expires_seconds: 3600, approvals_required: 2 } })
    expect(await send({ approval })).toMatchObject(refused('withdrawn'))
    expect(await stateOf(approval)).toBe('withdrawn')
    expect(await stepsIn(organisation)).toEqual(['asked', 'decided', 'withdrawn'])
  })

  it('is withdrawn with the change of the policy, though nobody looks', async () => {
    const { organisation, put, send } = await withApprovals()
    await send()
    await put({})
    expect(await stepsIn(organisation)).toEqual(['asked', 'withdrawn'])
  })

  it('that has ended tells another key nothing of it either', async () => {
    const { organisation, send, decide } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval, 'deny')
    const other = await organisation.issueKey()
    expect(await send({ approval }, other)).toMatchObject({ ...refused('key_id_differs'), approval: null })
    expect(await send({ approval })).toMatchObject(refused('denied'))
    expect(approvalOf(await send())).not.toBe(approval)
  })

  it('is withdrawn where its key ends: revoked, or over', async () => {
    const { organisation, send, stateOf } = await withApprovals()
    const revoked = await organisation.issueKey()
    const short = await organisation.issueKey({ expires_at: new Date(noon + 60_000).toISOString() })
    const [one, other] = [approvalOf(await send({}, revoked)), approvalOf(await send({}, short))]
    await organisation.service.operate('DELETE', `/organisations/${organisation.id}/keys/${revoked.id}`)
    expect([await stateOf(one), await stateOf(other)]).toEqual(['withdrawn', 'pending'])
    vi.setSystemTime(noon + 60_000)
    expect(await stateOf(other)).toBe('withdrawn')
  })

  it('that a call runs with is not withdrawn, and is once it is back', async () => {
    const { organisation, put, send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval)
    const position = positionOf(await send({ approval }))
    await put({})
    expect(await stateOf(approval)).toBe('claimed')
    await organisation.settle(position, 0, { isUnreached: true })
    expect(await stateOf(approval)).toBe('withdrawn')
  })

  it('is refused where as many wait as may, and asked for again once there is room', async () => {
    const { send, decide } = await withApprovals()
    const asked: ApprovalId[] = []
    for (let count = 0; count < 20; count += 1) asked.push(approvalOf(await send({ requestHash: hashOf(`${count}`) })))
    expect(await send()).toMatchObject({ ...refused('approvals_full'), approval: null })
    expect(await send({ requestHash: hashOf('0') })).toMatchObject({ approval: { id: asked[0] } })
    await decide(asked[0] ?? 'apr_none', 'deny')
    expect(approvalOf(await send())).not.toBe(asked[0])
  })
})

describe('a decision', () => {
  it.each([
    ['approve', 'OVERRIDDEN'],
    ['deny', 'ACCEPTED'],
    ['escalate', 'ESCALATED'],
  ] as const)('to %s is recorded as %s, about the very refusal that asked for it', async (decision, recorded) => {
    const { organisation, send, decide, read } = await withApprovals()
    const refusal = await send()
    const approval = approvalOf(refusal)
    const decided = await decide(approval, decision, 'usr_somebody', { reasonHash: 'ab'.repeat(32) })
    expect(decided).toMatchObject({
      outcome: 'decided',
      acceptance: {
        v: 'accept-1',
        org_id: organisation.id,
        decision: recorded,
        reason_hash: 'ab'.repeat(32),
        reviewer_ref: 'usr_somebody',
        reviewer_authority: 'role:admin',
        policy_applied: ['human_approval'],
        timestamp: new Date(noon).toISOString(),
      },
    })
    if (decided.outcome !== 'decided' || !('record' in refusal)) throw new Error('not decided')
    expect(isAcceptanceOf(decided.acceptance, refusal.record)).toBe(true)
    expect(await read(approval)).toMatchObject({ subject: refusal.record, acceptances: [decided.acceptance] })
  })

  it('of two people is needed where the policy says so, each of them once', async () => {
    const { send, decide, read } = await withApprovals({ approvals_required: 2 })
    const approval = approvalOf(await send())
    expect(await decide(approval, 'approve', 'usr_a')).toMatchObject({ approval: { state: 'pending' } })
    expect(await decide(approval, 'approve', 'usr_a')).toEqual({ outcome: 'decided_before' })
    expect(await send({ approval })).toMatchObject(refused('approval_required'))
    expect(await decide(approval, 'approve', 'usr_b')).toMatchObject({ approval: { state: 'approved' } })
    expect((await read(approval))?.acceptances.map((one) => one?.reviewer_ref)).toEqual(['usr_a', 'usr_b'])
  })

  it('ends it where one denies, and comes too late then', async () => {
    const { send, decide } = await withApprovals({ approvals_required: 2 })
    const approval = approvalOf(await send())
    await decide(approval, 'approve', 'usr_a')
    expect(await decide(approval, 'deny', 'usr_b')).toMatchObject({
      approval: { state: 'denied', decisions: [{ by: 'usr_a' }, { by: 'usr_b', decision: 'deny' }] },
    })
    expect(await decide(approval, 'approve', 'usr_c')).toEqual({ outcome: 'not_pending', state: 'denied' })
  })

  it('of 20 people at once is one, and the others are told', async () => {
    const { organisation, send, decide } = await withApprovals()
    const approval = approvalOf(await send())
    const decided = await Promise.all(
      Array.from({ length: 20 }, (_, n) => decide(approval, n % 2 === 0 ? 'approve' : 'deny')),
    )
    expect(countOutcomes(decided)).toEqual({ decided: 1, not_pending: 19 })
    expect(await stepsIn(organisation)).toEqual(['asked', 'decided'])
  })
})

describe('one’s own request', () => {
  it('is nobody’s to decide, through however many keys: of which one made the first, and each the next', async () => {
    const { organisation, object, send, decide } = await withApprovals()
    const madeBy = async (maker: string) => {
      const made = await organisation.issueKey()
      await organisation.query(`UPDATE keys SET created_by = '${maker}' WHERE id = '${made.id}'`)
      await organisation.evict()
      return made
    }
    const own = await madeBy('usr_maker')
    const second = await madeBy(own.id)
    for (const key of [own, second, await madeBy(second.id)]) {
      const approval = approvalOf(await send({ requestHash: hashOf(key.id) }, key))
      for (const decision of ['approve', 'deny', 'escalate'] as const) {
        expect(await decide(approval, decision, 'usr_maker')).toEqual({ outcome: 'own_request' })
      }
      expect(await decide(approval, 'approve', 'usr_other')).toMatchObject({ outcome: 'decided' })
    }
    expect(await object().approvals.list({ state: 'approved', before: null, limit: 10 })).toHaveLength(3)
  })
})

describe('the list', () => {
  it('has open ones and ended ones, the newest first, by state and by page', async () => {
    const { object, send, decide } = await withApprovals()
    const asked: ApprovalId[] = []
    for (let count = 0; count < 5; count += 1) {
      vi.setSystemTime(noon + count)
      asked.push(approvalOf(await send({ requestHash: hashOf(`${count}`) })))
    }
    await decide(asked[1] ?? 'apr_none', 'deny')
    await decide(asked[3] ?? 'apr_none')
    const list = async (state: 'pending' | 'denied' | 'approved' | null, before: string | null = null, limit = 10) =>
      (await object().approvals.list({ state, before, limit })).map((one) => one.approval_id)
    expect(await list(null)).toEqual(asked.toReversed())
    expect(await list('pending')).toEqual([asked[4], asked[2], asked[0]])
    expect(await list('denied')).toEqual([asked[1]])
    expect(await list('approved')).toEqual([asked[3]])
    expect(await list(null, asked[3], 2)).toEqual([asked[2], asked[1]])
  })

  it('forgets an ended one with the retention of the organisation', async () => {
    const { organisation, send, decide, stateOf } = await withApprovals()
    const approval = approvalOf(await send())
    await decide(approval, 'deny')
    vi.setSystemTime(noon + 364 * 24 * HOUR_MS)
    await organisation.runAlarm()
    expect(await stateOf(approval)).toBe('denied')
    vi.setSystemTime(noon + 365 * 24 * HOUR_MS)
    await organisation.runAlarm()
    await organisation.runAlarm()
    expect(await stateOf(approval)).toBeNull()
  })
})

describe('what is held of approvals', () => {
  it('is the same after an eviction at every step, and what the rows come to', async () => {
    const { organisation, send, decide, stateOf } = await withApprovals({ approvals_required: 2 })
    const approval = approvalOf(await send())
    const steps: [() => Promise<unknown>, string][] = [
      [() => decide(approval, 'approve', 'usr_a'), 'pending'],
      [() => decide(approval, 'approve', 'usr_b'), 'approved'],
      [async () => (position = positionOf(await send({ approval }))), 'claimed'],
      [() => organisation.settle(position, 0, { isUnreached: true }), 'approved'],
      [async () => (position = positionOf(await send({ approval }))), 'claimed'],
      [() => organisation.settle(position, 3), 'executed'],
    ]
    let position = 0
    for (const [step, state] of steps) {
      await step()
      await organisation.evict()
      expect(await stateOf(approval)).toBe(state)
      await organisation.state()
    }
  })
})
