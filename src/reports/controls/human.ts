// Controls on human oversight: people decide the calls that need them.
import type { HumanApproval } from '../../policies/document/human-approval.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import { judged, notApplicable, percentOf, someNames, type ControlDefinition } from './control.ts'

const MOST_EXPIRED_PERCENT = 10

const NO_DECISION = 'Nobody decided about an approval in the period.'

export const HUMAN_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'H1',
    title: 'High-risk calls wait for a person',
    weight: 3,
    sources: ['AI Act 14', 'AI Act 26(2)'],
    query:
      'Whether each use case that the policy marks as high-risk needs approval in every call that declares it. Callers declare use cases, and nobody checks that a declaration is true.',
    wouldPass: 'human_approval.when has a case for each of high_risk_use_cases that asks for nothing else beside it.',
    link: '/api/policies',
    judge: ({ policy: { document } }) => {
      const marked = document.high_risk_use_cases ?? []
      if (marked.length === 0) return notApplicable('The policy marks no use case as high-risk.')
      const open = marked.filter((useCase) => !isCovered(document, useCase))
      return judged(open.length === 0, { high_risk_use_cases: [...marked], without_approval: someNames(open) })
    },
  },
  {
    id: 'H2',
    title: 'Whoever asks does not approve',
    weight: 3,
    sources: ['AI Act 14', 'four eyes, as in AI Act 14(5)'],
    query: 'Approvals of the period whose approver made the key that asked, or the key that made it.',
    wouldPass: 'No approver made the key that asked. The service refuses such a decision.',
    link: '/api/approvals',
    judge: ({ approvals: { decisions, ownApproved, looked, areAll } }) => {
      if (decisions === 0) return notApplicable(NO_DECISION)
      const values = {
        approvals_looked_at: looked,
        all_of_the_period: areAll,
        decisions,
        own_approved: ownApproved.length,
        ids: someNames(ownApproved),
      }
      return judged(ownApproved.length === 0, values)
    },
  },
  {
    id: 'H3',
    title: 'Every decision has a signed acceptance',
    weight: 2,
    sources: ['AI Act 14(4)(d)'],
    query: 'Executed approvals of the period: decisions whose entry is kept and has no record of acceptance.',
    wouldPass: 'Each decision about an executed approval has its record (ACCEPT-v1) in the log.',
    link: '/api/approvals?state=executed',
    judge: ({ approvals: { executed, recordsLooked, withoutRecord } }) => {
      if (executed === 0) return notApplicable('No approval was used in the period.')
      const values = { executed, looked_at: recordsLooked, without_record: withoutRecord.length }
      if (recordsLooked === 0) return notApplicable('Of no approval that was used is a decision’s entry kept.', values)
      return judged(withoutRecord.length === 0, values, [...withoutRecord])
    },
  },
  {
    id: 'H4',
    title: 'Approvals are decided in time',
    weight: 1,
    sources: ['NIST AI RMF MANAGE 2'],
    query: `Approvals of the period that ended because nobody decided in time, against those decided: under ${MOST_EXPIRED_PERCENT} percent.`,
    wouldPass: `Fewer than ${MOST_EXPIRED_PERCENT} approvals expire for each 100 that are decided.`,
    link: '/api/approvals?state=expired',
    judge: ({ approvals: { decided, expired, areAll } }) => {
      if (decided === 0 && expired === 0) return notApplicable('No approval was decided or expired in the period.')
      const percent = decided === 0 ? null : percentOf(expired, decided)
      const values = { decided, expired, percent, all_of_the_period: areAll }
      return judged(expired * 100 < decided * MOST_EXPIRED_PERCENT, values)
    },
  },
]

/** An entry with further conditions leaves other calls of the use case unapproved, so it does not cover the case. */
function isCovered({ human_approval: approval }: PolicyDocument, useCase: string): boolean {
  return approval?.when.some((one) => coversUseCase(one, useCase)) === true
}

function coversUseCase({ use_cases: useCases, ...others }: HumanApproval['when'][number], useCase: string): boolean {
  const isOnly = Object.values(others).every((member) => member === undefined)
  return isOnly && (useCases === undefined || useCases.includes(useCase))
}
