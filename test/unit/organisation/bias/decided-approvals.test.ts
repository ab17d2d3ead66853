// Approvals as an outcome: those that people decided, by the day of the decision.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BiasDetected, WantedBias } from '../../../../src/organisation/bias/detect-bias.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import { utcDay } from '../../../../src/platform/clock.ts'
import { approvalOf, withApprovals } from '../approvals/approved-organisation.ts'
import { hashOf, noon } from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Practice = Awaited<ReturnType<typeof withApprovals>>

async function groupsOf({ object }: Practice, by: WantedBias['by'], day = utcDay(noon)): Promise<unknown[]> {
  const wanted: WantedBias = { first: day, last: day, by, outcome: 'approved', reference: null }
  const act = { actor: 'usr_asking', act: 'compliance.bias_report', requestId: 'req_test' } as const
  const detected: BiasDetected = await object().detectBias(wanted, act)
  if (detected.outcome !== 'detected') throw new Error(detected.outcome)
  return detected.report.groups.map(({ group, counts }) => [group, counts?.k ?? null, counts?.n ?? null])
}

let sent = 0

async function ask({ send }: Practice, useCase: string | null) {
  return approvalOf(await send({ useCase, requestHash: hashOf(`request ${(sent += 1)}`) }))
}

describe('approvals', () => {
  it('are counted once people have decided them, whether they wait to be used, were denied, or were not used in time', async () => {
    const practice = await withApprovals()
    for (let n = 0; n < 10; n += 1) await practice.decide(await ask(practice, 'triage'), n < 7 ? 'approve' : 'deny')
    await ask(practice, 'triage')
    expect(await groupsOf(practice, 'use_case')).toEqual([['triage', 7, 10]])
    vi.setSystemTime(noon + 2 * 3_600_000)
    expect(await groupsOf(practice, 'use_case')).toEqual([['triage', 7, 10]])
    expect(await groupsOf(practice, 'model')).toEqual([['gpt-4.1-mini', 7, 10]])
    expect(await groupsOf(practice, 'key')).toEqual([[practice.key.id, 7, 10]])
    expect(await groupsOf(practice, 'use_case', utcDay(noon) - 1)).toEqual([])
  })

  it('that two must approve are decided by the second, and one who passes it on decides nothing', async () => {
    const practice = await withApprovals({ approvals_required: 2 })
    const ids: ApprovalId[] = []
    for (let n = 0; n < 10; n += 1) ids.push(await ask(practice, null))
    for (const id of ids) {
      await practice.decide(id, 'escalate')
      await practice.decide(id)
    }
    expect(await groupsOf(practice, 'use_case')).toEqual([])
    for (const id of ids) await practice.decide(id)
    expect(await groupsOf(practice, 'use_case')).toEqual([['(none)', 10, 10]])
  })
})
