// Approvals of people who were removed or demoted: neither a decision nor a call counts them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noon, positionOf } from '../chat-organisation.ts'
import { approvalOf, stepsIn, withApprovals } from './approved-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const HOUR_MS = 3_600_000
const refused = (reason: string) => ({ outcome: 'approval_required', reason })

describe('the approval of somebody who may decide no more', () => {
  const facts = { change: 'role', role: 'auditor', previous_role: 'admin' } as const
  const changed = (personId: 'usr_1' | 'usr_2', mayDecide: boolean, changedAt = noon) =>
    [
      { personId, mayDecide, keysReach: null, changedAt, facts, messageId: 'msg_1' },
      { actor: 'usr_owner', act: 'member.role', requestId: 'req_member' },
    ] as const

  /** Two have approved it, as usr_1 and usr_2. */
  async function approvedByTwo() {
    const all = await withApprovals({ approvals_required: 2 })
    const approval = approvalOf(await all.send())
    await all.decide(approval, 'approve', 'usr_1')
    vi.setSystemTime(noon + 1000)
    expect(await all.decide(approval, 'approve', 'usr_2')).toMatchObject({ approval: { state: 'approved' } })
    return { ...all, approval }
  }

  it('counts no more when the request is sent, and the approval waits for another', async () => {
    const { approval, organisation, object, send, decide, read } = await approvedByTwo()
    await object().keys.changeMember(...changed('usr_1', false))
    expect(await send({ approval })).toMatchObject(refused('approval_required'))
    expect((await read(approval))?.approval).toMatchObject({
      state: 'pending',
      expiresAt: noon + HOUR_MS,
      decisions: [
        { by: 'usr_1', counts: false },
        { by: 'usr_2', counts: true },
      ],
    })
    expect(await decide(approval, 'approve', 'usr_1')).toEqual({ outcome: 'may_not_decide' })
    expect(await decide(approval, 'approve', 'usr_3')).toMatchObject({ approval: { state: 'approved' } })
    expect(await send({ approval })).toMatchObject({ outcome: 'admitted' })
    expect(await stepsIn(organisation)).toEqual(['asked', 'decided', 'decided', 'voided', 'decided', 'claimed'])
  })

  it('counts no more at the next decision', async () => {
    const { object, send, decide } = await withApprovals({ approvals_required: 2 })
    const approval = approvalOf(await send())
    await decide(approval, 'approve', 'usr_1')
    await object().keys.changeMember(...changed('usr_1', false))
    expect(await decide(approval, 'approve', 'usr_2')).toMatchObject({ approval: { state: 'pending' } })
  })

  it('is refused where it was let in before, whenever the object is told', async () => {
    const { object, organisation, send, decide } = await withApprovals()
    const approval = approvalOf(await send())
    await object().keys.changeMember(...changed('usr_1', false))
    await organisation.evict()
    expect(await decide(approval, 'approve', 'usr_1')).toEqual({ outcome: 'may_not_decide' })
    expect(await decide(approval, 'deny', 'usr_1')).toEqual({ outcome: 'may_not_decide' })
  })

  it('counts as soon as they may decide again and do, and not by itself', async () => {
    const { approval, object, stateOf, decide } = await approvedByTwo()
    await object().keys.changeMember(...changed('usr_1', false))
    await object().keys.changeMember(...changed('usr_1', true, noon + 1))
    expect(await stateOf(approval)).toBe('pending')
    // Told late, an earlier change takes nothing back.
    await object().keys.changeMember(...changed('usr_1', false))
    expect(await decide(approval, 'approve', 'usr_1')).toMatchObject({ approval: { state: 'approved' } })
  })

  it('counts for a request that runs, and no more once that is given back', async () => {
    const { approval, organisation, object, send, stateOf } = await approvedByTwo()
    const admitted = await send({ approval })
    await object().keys.changeMember(...changed('usr_1', false))
    expect(await stateOf(approval)).toBe('claimed')
    await organisation.settle(positionOf(admitted), 0, { isUnreached: true })
    expect(await stateOf(approval)).toBe('pending')
    expect(await send({ approval })).toMatchObject(refused('approval_required'))
  })

  it('leaves an approval that is over where its time to be decided is over', async () => {
    const { approval, object, stateOf } = await approvedByTwo()
    vi.setSystemTime(noon + HOUR_MS)
    await object().keys.changeMember(...changed('usr_2', false))
    expect(await stateOf(approval)).toBe('expired')
  })

  it('still counts where another member changes, and where one changes to a role that may decide', async () => {
    const { approval, object, send } = await approvedByTwo()
    await object().keys.changeMember({ ...changed('usr_1', false)[0], personId: 'usr_3' }, changed('usr_1', false)[1])
    await object().keys.changeMember(...changed('usr_1', true))
    expect(await send({ approval })).toMatchObject({ outcome: 'admitted' })
  })
})
