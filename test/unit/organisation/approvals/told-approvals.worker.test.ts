// Tests the notifications of approvals: one is asked for, one is decided, one has expired.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hook } from '../../notifications/receiver.ts'
import { hashOf, noon } from '../chat-organisation.ts'
import { approvalOf, withApprovals } from './approved-organisation.ts'

let practice: Awaited<ReturnType<typeof withApprovals>>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  practice = await withApprovals({ approvals_required: 2 })
  await hook(practice.organisation)
})
afterEach(() => vi.useRealTimers())

/** At a time of its own, so that messages sort by when they were written. */
function next(): void {
  vi.setSystemTime(Date.now() + 1)
}

async function told(): Promise<Record<string, unknown>[]> {
  const select = 'SELECT body FROM webhook_messages WHERE body IS NOT NULL ORDER BY id'
  const rows = await practice.organisation.query<{ body: string }>(select)
  return rows.map(({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: object }
    return Object.assign({ type }, data)
  })
}

describe('an approval', () => {
  it('is told once when it is asked for, however often the request comes, without any of its text', async () => {
    const admission = await practice.send({ useCase: 'triage-notes', upFrontMicroeur: 5 })
    next()
    await practice.send({ useCase: 'triage-notes', upFrontMicroeur: 5 })
    expect(await told()).toEqual([
      {
        type: 'approval.requested',
        approval_id: approvalOf(admission),
        key_id: practice.key.id,
        attestation_id: 'record' in admission ? admission.record.attestation_id : null,
        model: 'gpt-4.1-mini',
        provider: 'openai',
        use_case: 'triage-notes',
        reserve_microeur: 5,
        approvals_required: 2,
        expires_at: new Date(noon + 3_600_000).toISOString(),
      },
    ])
  })

  it('is told of each decision, with what it comes to', async () => {
    const id = approvalOf(await practice.send())
    const other = approvalOf(await practice.send({ requestHash: hashOf('another request') }))
    for (const decision of ['escalate', 'approve', 'approve'] as const) {
      next()
      await practice.decide(id, decision)
    }
    next()
    await practice.decide(other, 'deny', 'usr_denying')
    const decided = (await told()).filter(({ type }) => type === 'approval.decided')
    expect(decided.map(({ approval_id, decision, state }) => [approval_id, decision, state])).toEqual([
      [id, 'escalate', 'pending'],
      [id, 'approve', 'pending'],
      [id, 'approve', 'approved'],
      [other, 'deny', 'denied'],
    ])
    expect(decided.at(-1)).toMatchObject({ decided_by: 'usr_denying', key_id: practice.key.id })
  })

  it('is told once when nobody decided in time', async () => {
    const id = approvalOf(await practice.send())
    vi.setSystemTime(noon + 3_600_000)
    for (let n = 0; n < 3; n += 1) await practice.read(id)
    const expired = (await told()).filter(({ type }) => type === 'approval.expired')
    expect(expired).toEqual([{ type: 'approval.expired', approval_id: id, key_id: practice.key.id, state: 'pending' }])
  })
})
