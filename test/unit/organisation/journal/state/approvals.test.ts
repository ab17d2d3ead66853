// Tests the steps of an approval: each only where it may be taken, for one request, once.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApprovalStep, ApprovalRequest } from '../../../../../src/organisation/journal/state/approval.schema.ts'
import {
  findClaimedBy,
  findByRequest,
  hasTooManyPending,
  isExpired,
  nextExpiryAt,
  USABLE_MS,
} from '../../../../../src/organisation/journal/state/approvals.ts'
import { readSnapshot, takeSnapshot } from '../../../../../src/organisation/journal/state/snapshot.ts'
import {
  applyToState,
  emptyState,
  clampTimes,
  type State,
} from '../../../../../src/organisation/journal/state/organisation-state.ts'
import { DAY_MS } from '../../../../../src/platform/time.ts'
import { runs } from '../../../../support/runs.ts'
import { askedBy, EVENING, live, stepsOf } from './histories.ts'

const steps = (state: State, at: number, ...taken: ApprovalStep[]): void => {
  for (const step of taken) applyToState(state, { kind: 'approval', at, step })
}

const asking = (more: Partial<ApprovalRequest> = {}) => {
  const state = emptyState()
  const asked = askedBy('a', more)
  const { approval_id } = asked
  steps(state, EVENING, { step: 'asked', ...asked })
  return {
    state,
    asked,
    approval_id,
    take: (step: ApprovalStep, at = EVENING) => steps(state, at, step),
    decide: (decision: 'approve' | 'deny' | 'escalate', actor: `usr_${string}` = 'usr_a', at = EVENING) =>
      steps(state, at, { step: 'decided', approval_id, decision, actor }),
    get found() {
      return state.approvals.get(approval_id) ?? null
    },
  }
}

describe('an approval', () => {
  it('waits for one person, and may then be used within the hour', () => {
    const one = asking()
    expect(one.found).toMatchObject({ state: 'pending', createdAt: EVENING, expiresAt: EVENING + 300_000 })
    one.decide('approve', 'usr_a', EVENING + 299_999)
    expect(one.found).toMatchObject({ state: 'approved', expiresAt: EVENING + 299_999 + USABLE_MS })
  })

  it('waits for two people where two must approve, and one of them counts once', () => {
    const one = asking({ approvals_required: 2 })
    one.decide('approve', 'usr_a')
    one.decide('approve', 'usr_a')
    one.decide('escalate', 'usr_b')
    expect(one.found).toMatchObject({ state: 'pending', expiresAt: EVENING + 300_000 })
    one.decide('approve', 'usr_b')
    expect(one.found).toMatchObject({ state: 'approved' })
  })

  it('ends with one who denies, also where another approved', () => {
    const one = asking({ approvals_required: 2 })
    one.decide('approve', 'usr_a')
    one.decide('deny', 'usr_b')
    expect(one.found).toBeNull()
  })

  it('is passed on without being decided', () => {
    const one = asking()
    one.decide('escalate')
    expect(one.found).toMatchObject({
      state: 'pending',
      decisions: [{ decision: 'escalate', by: 'usr_a', position: 1 }],
    })
  })

  it('runs one request, and goes back only where that reached no provider', () => {
    const one = asking()
    const { approval_id } = one
    one.decide('approve')
    one.take({ step: 'claimed', approval_id, position: 7 })
    expect(one.found).toMatchObject({ state: 'claimed', claimedBy: 7 })
    expect(findClaimedBy(one.state.approvals, 7)).toBe(one.found)
    one.take({ step: 'claimed', approval_id, position: 8 })
    expect(one.found).toMatchObject({ claimedBy: 7 })
    one.take({ step: 'returned', approval_id })
    expect(one.found).toMatchObject({ state: 'approved', claimedBy: null, expiresAt: EVENING + USABLE_MS })
    one.take({ step: 'claimed', approval_id, position: 9 })
    one.take({ step: 'executed', approval_id })
    expect(one.found).toBeNull()
    one.take({ step: 'returned', approval_id })
    expect(one.found).toBeNull()
  })

  it('takes no step out of its order', () => {
    const one = asking()
    const { approval_id } = one
    for (const step of ['executed', 'returned'] as const) one.take({ step, approval_id })
    one.take({ step: 'claimed', approval_id, position: 7 })
    expect(one.found).toMatchObject({ state: 'pending', claimedBy: null })
    one.decide('approve')
    one.decide('deny', 'usr_b')
    expect(one.found).toMatchObject({ state: 'approved' })
    one.take({ step: 'claimed', approval_id, position: 7 })
    one.take({ step: 'expired', approval_id })
    one.take({ step: 'withdrawn', approval_id, why: 'policy' })
    expect(one.found).toMatchObject({ state: 'claimed' })
  })

  it('is over at the very millisecond, and never while its request runs', () => {
    const one = asking()
    const over = () => one.found !== null && isExpired(one.found, EVENING + 300_000)
    expect(one.found !== null && isExpired(one.found, EVENING + 299_999)).toBe(false)
    expect(over()).toBe(true)
    expect(nextExpiryAt(one.state.approvals)).toBe(EVENING + 300_000)
    one.decide('approve', 'usr_a', EVENING - 2 * USABLE_MS)
    one.take({ step: 'claimed', approval_id: one.approval_id, position: 7 }, EVENING - 2 * USABLE_MS)
    expect(over()).toBe(false)
    expect(nextExpiryAt(one.state.approvals)).toBeNull()
  })

  it('lives no longer where the clock was ahead than if it had begun now', () => {
    for (const isApproved of [false, true]) {
      const one = asking()
      if (isApproved) one.decide('approve')
      clampTimes(one.state, EVENING - DAY_MS)
      const lifetime = isApproved ? USABLE_MS : 300_000
      expect(one.found).toMatchObject({ createdAt: EVENING - DAY_MS, expiresAt: EVENING - DAY_MS + lifetime })
      expect(one.found?.decisions.map(({ at }) => at)).toEqual(isApproved ? [EVENING - DAY_MS] : [])
    }
  })
})

describe('the one for a request', () => {
  it('is found by all that it is bound to', () => {
    const { state, asked, found } = asking({ use_case: 'letters' })
    expect(findByRequest(state.approvals, asked)).toBe(found)
    for (const other of [
      { key_id: 'key_b' as const },
      { request_hash: 'c'.repeat(64) },
      { use_case: null },
      { policy_version: 2 },
    ]) {
      expect(findByRequest(state.approvals, { ...asked, ...other })).toBeNull()
    }
  })

  it('is none that another call runs with', () => {
    const one = asking()
    one.decide('approve')
    expect(findByRequest(one.state.approvals, one.asked)).toBe(one.found)
    one.take({ step: 'claimed', approval_id: one.approval_id, position: 7 })
    expect(findByRequest(one.state.approvals, one.asked)).toBeNull()
  })
})

describe('how many may wait', () => {
  it('is twenty of a key and a hundred in all', () => {
    const state = emptyState()
    const ask = (key: string) => steps(state, EVENING, { step: 'asked', ...askedBy(key) })
    for (let count = 0; count < 19; count += 1) ask('a')
    expect(hasTooManyPending(state.approvals, 'key_a')).toBe(false)
    ask('a')
    expect(hasTooManyPending(state.approvals, 'key_a')).toBe(true)
    expect(hasTooManyPending(state.approvals, 'key_b')).toBe(false)
    for (let count = 0; count < 80; count += 1) ask(`of ${count}`)
    expect(hasTooManyPending(state.approvals, 'key_b')).toBe(true)
    const [first] = state.approvals.keys()
    if (first !== undefined)
      steps(state, EVENING, { step: 'decided', approval_id: first, decision: 'approve', actor: 'usr_a' })
    expect(hasTooManyPending(state.approvals, 'key_b')).toBe(false)
  })
})

describe('whatever happens', () => {
  it('runs no request that was not approved by as many people, and none twice', () => {
    fc.assert(
      fc.property(stepsOf(120), (history) => {
        const approvers = new Map<string, Set<string>>()
        const required = new Map<string, number>()
        const ended = new Set<string>()
        let before = emptyState().approvals
        live(history, ({ approvals }, event) => {
          if (event.kind === 'approval') {
            const { step } = event
            const id = step.approval_id
            if (step.step === 'asked') required.set(id, step.approvals_required)
            if (step.step === 'decided' && step.decision === 'approve') {
              approvers.set(id, (approvers.get(id) ?? new Set()).add(step.actor))
            }
            const isClaimed = before.get(id)?.state !== 'claimed' && approvals.get(id)?.state === 'claimed'
            if (isClaimed) {
              expect(approvers.get(id)?.size ?? 0).toBeGreaterThanOrEqual(required.get(id) ?? Infinity)
              expect(ended.has(id)).toBe(false)
            }
            if (before.has(id) && !approvals.has(id)) ended.add(id)
          }
          before = structuredClone(approvals)
        })
      }),
      { numRuns: runs(100) },
    )
  })

  it('is in a snapshot, which has nothing of approvals where there are none', () => {
    const { state, found } = asking({ use_case: 'letters' })
    expect(readSnapshot(takeSnapshot(state, '')).state.approvals.values().next().value).toEqual(found)
    expect(JSON.parse(takeSnapshot(emptyState(), ''))).not.toHaveProperty('approvals')
  })
})
