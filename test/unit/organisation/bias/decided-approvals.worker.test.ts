// Approvals as an outcome: those that people decided, by the day of the decision.
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { countDecidedApprovals } from '../../../../src/organisation/bias/group-counts.ts'
import {
  compareOutcomes,
  type BiasDetected,
  type OutcomesCompared,
  type BiasQuery,
} from '../../../../src/organisation/bias/bias.target.ts'
import type { EndedApproval } from '../../../../src/organisation/journal/state/approval.schema.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import { utcDay } from '../../../../src/platform/time.ts'
import { approvalOf, withApprovals } from '../approvals/approved-organisation.ts'
import { hashOf, noon } from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Practice = Awaited<ReturnType<typeof withApprovals>>

async function groupsOf({ object }: Practice, by: BiasQuery['by'], day = utcDay(noon)): Promise<unknown[]> {
  const wanted: BiasQuery = { first: day, last: day, by, outcome: 'approved', reference: null }
  const act = { actor: 'usr_asking', act: 'compliance.bias_report', requestId: 'req_test' } as const
  const detected: BiasDetected = await object().bias.detect(wanted, act)
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
    for (const day of [-1, 1]) expect(await groupsOf(practice, 'use_case', utcDay(noon) + day)).toEqual([])
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

const TODAY = { first: utcDay(noon), last: utcDay(noon) }

/** One that was approved. `n`: the higher, the newer. */
const approved = (n: number, useCase: string, decision: 'approve' | 'deny' = 'approve'): EndedApproval => ({
  approval_id: `apr_${String(n).padStart(6, '0')}`,
  key_id: 'key_1',
  request_hash: '',
  use_case: useCase,
  data_region: 'any',
  policy_version: 1,
  attestation_id: '',
  subject_hash: '',
  subject_position: n,
  approvals_required: 1,
  expires_seconds: 3600,
  model: 'gpt-4.1-mini',
  other_models: [],
  provider: 'openai',
  stream: false,
  content_kinds: [],
  bytes: 1,
  found: null,
  reserve_microeur: 0,
  state: 'executed',
  createdAt: noon,
  expiresAt: noon,
  endedAt: noon,
  decisions: [{ decision, by: 'usr_1', at: noon, position: n, counts: true }],
  claimedBy: null,
})

describe('of many approvals', () => {
  it('that have ended, the newest 5000 are counted, once each', () => {
    const countOf = (ended: number) => {
      const all = Array.from({ length: ended }, (_, n) => approved(ended - n, 'triage'))
      const endedApprovals = {
        list: ({ before, limit }: { before: string | null; limit: number }) =>
          all.filter(({ approval_id }) => before === null || approval_id < before).slice(0, limit),
      }
      const { counted, isCut } = countDecidedApprovals({ approvals: [], endedApprovals }, 'use_case', TODAY)
      return [counted.length, isCut]
    }
    expect([countOf(501), countOf(5001)]).toEqual([
      [501, false],
      [5000, true],
    ])
  })

  it('are compared the hundred largest groups, the one beside them that was named, and whole days only', async () => {
    const { object } = await withApprovals()
    const compare = (useCases: string[], reference: string | null): Promise<OutcomesCompared> =>
      runInDurableObject(object(), (_, { storage: { sql } }) => {
        const approvals = useCases.map((useCase, n) => approved(n, useCase, n % 2 === 0 ? 'approve' : 'deny'))
        const wanted: BiasQuery = { ...TODAY, by: 'use_case', outcome: 'approved', reference }
        return compareOutcomes(sql, { approvals, endedApprovals: { list: () => [] } }, wanted)
      })
    const cases = Array.from({ length: 102 }, (_, n) => `case-${n}`)
    const some = await compare([...cases, ...cases.slice(2)], null)
    expect([some.groups.length, some.omitted, some.groups.some(({ group }) => group === 'case-0')]).toEqual([
      100,
      2,
      false,
    ])
    const named = await compare([...cases, ...cases.slice(2)], 'case-0')
    expect([named.groups.length, named.omitted, named.reference]).toEqual([101, 1, 'case-0'])

    const oneDay = await compare(
      Array.from({ length: 400 }, (_, n) => (n < 200 ? 'a' : 'b')),
      null,
    )
    expect(oneDay.comparisons).toMatchObject([{ shown: { p: null }, verdict: 'not_enough_data' }])
  })
})
