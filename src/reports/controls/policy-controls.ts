// Controls P1 to P5 and H1 to H4 of the compliance report: the organisation has declared the purposes and limits of its calls,
// and people decide the calls that need them.
import { SHAPES } from '../../scanning/identifiers/identifier-shapes.ts'
import { CONTENT_KINDS, type ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import { actionFor } from '../../policies/document/pii-scan.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import { judged, notApplicable, percentOf, type ControlDefinition, someNames } from './control.ts'
import type { HumanApproval } from '../../policies/document/human-approval.policy.ts'

const LEAST_DECLARED_PERCENT = 95

/** The kinds of content that are scanned for identifiers. Images and files are not. */
const SCANNED_KINDS: ReadonlySet<ContentKind> = new Set(['text', 'tools'])

export const POLICY_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'P1',
    title: 'A policy is in force that a person set',
    weight: 3,
    sources: ['ISO/IEC 42001 6.1', 'NIST AI RMF GOVERN 1'],
    query: 'The policy’s version, and who made it.',
    wouldPass: 'An owner or admin who has signed in puts a policy in force: PUT /api/policies. A key does not count.',
    link: '/api/policies',
    judge: ({ policy: { version, madeBy } }) =>
      judged(version >= 1 && madeBy?.startsWith('usr_') === true, { policy_version: version, made_by: madeBy }),
  },
  {
    id: 'P2',
    title: 'Models are restricted',
    weight: 2,
    sources: ['AI Act 26(1)'],
    query: 'Models that model_allowlist allows every call, of those offered.',
    wouldPass: 'model_allowlist.models names the models that are meant to be used, and fewer than there are.',
    link: '/api/policies',
    judge: ({ policy: { document, modelsOffered } }) => {
      const allowed = document.model_allowlist?.models
      const values = { models_allowed: allowed?.length ?? null, models_offered: modelsOffered }
      return judged(allowed !== undefined && new Set(allowed).size < modelsOffered, values)
    },
  },
  {
    id: 'P3',
    title: 'Calls say what they are for',
    weight: 2,
    sources: ['AI Act 26(1)', 'NIST AI RMF MAP 1'],
    query: `Calls that declared a use case: at least ${LEAST_DECLARED_PERCENT} percent.`,
    wouldPass: `At least ${LEAST_DECLARED_PERCENT} percent of calls declare a use case in x-aqta-use-case; use_case_guard.required makes it all of them.`,
    link: '/api/analytics/requests?group_by=use_case',
    judge: ({ calls: { requests, withUseCase } }) => {
      if (requests === 0) return notApplicable('There was no call in the period.')
      const values = { requests, with_use_case: withUseCase, percent: percentOf(withUseCase, requests) }
      return judged(withUseCase * 100 >= requests * LEAST_DECLARED_PERCENT, values)
    },
  },
  {
    id: 'P4',
    title: 'Personal data is looked for',
    weight: 2,
    sources: ['GDPR 25', 'GDPR 32'],
    query:
      'If pii_scan acts on a shape, and if the latest 1,000 and random calls had pictures or files, which it does not read.',
    wouldPass:
      'The policy has pii_scan with an action other than ignore, and no pictures or files are sent: content_type_guard can refuse them.',
    link: '/api/policies',
    judge: ({ policy: { document }, sample }) => {
      const inUse = CONTENT_KINDS.filter((kind) => (sample.kinds[kind] ?? 0) > 0)
      const unseen = inUse.filter((kind) => !SCANNED_KINDS.has(kind) && isKindAllowed(document, kind))
      const values = { pii_scan: document.pii_scan !== undefined, kinds_in_use: inUse, kinds_not_looked_into: unseen }
      return judged(scansText(document) && unseen.length === 0, values)
    },
  },
  {
    id: 'P5',
    title: 'Runaway use is stopped',
    weight: 1,
    sources: ['AI Act 15(4)'],
    query: 'If the policy defines loops, and a budget limits cost.',
    wouldPass:
      'The policy has loop_guard, and budget_guard with an amount; the settings’ monthly budget counts as one too.',
    link: '/api/policies',
    judge: ({ policy: { document }, hasMonthlyBudget }) => {
      const hasLoopGuard = document.loop_guard !== undefined
      const hasBudget = hasMonthlyBudget || boundsSpending(document)
      return judged(hasLoopGuard && hasBudget, { loop_guard: hasLoopGuard, budget: hasBudget })
    },
  },
]

const scansText = ({ pii_scan: scan }: PolicyDocument): boolean =>
  scan !== undefined && SHAPES.some((shape) => actionFor(scan, shape) !== 'ignore')

const isKindAllowed = ({ content_type_guard: guard }: PolicyDocument, kind: ContentKind): boolean =>
  guard?.allow?.includes(kind) !== false

/** Returns true if a budget limits spending. A guard with alerts alone limits nothing. */
const boundsSpending = ({ budget_guard: guard = {} }: PolicyDocument): boolean =>
  [guard.month_eur, guard.day_eur, guard.key_month_eur, guard.key_day_eur].some((amount) => amount !== undefined)

const MOST_EXPIRED_PERCENT = 10

const NO_DECISION = 'Nobody decided about an approval in the period.'

export const HUMAN_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'H1',
    title: 'High-risk calls wait for a person',
    weight: 3,
    sources: ['AI Act 14', 'AI Act 26(2)'],
    query: 'If each high-risk use case of the policy needs approval in every call that declares it.',
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
    title: 'Nobody approves a request of their own key',
    weight: 3,
    sources: ['AI Act 14', 'four eyes, as in AI Act 14(5)'],
    query: 'Approvals whose approver made the key that asked, or its maker.',
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
    query: 'Decisions of executed approvals without a record of acceptance.',
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
    query: `Approvals that nobody decided in time, against those decided: under ${MOST_EXPIRED_PERCENT} percent.`,
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

/** Returns true if every call of a use case needs approval. An entry with further conditions does not cover the use case. */
function isCovered({ human_approval: approval }: PolicyDocument, useCase: string): boolean {
  return approval?.when.some((one) => coversUseCase(one, useCase)) === true
}

function coversUseCase({ use_cases: useCases, ...others }: HumanApproval['when'][number], useCase: string): boolean {
  const isOnly = Object.values(others).every((member) => member === undefined)
  return isOnly && (useCases === undefined || useCases.includes(useCase))
}
