// Controls P1 to P5 and H1 to H4 of the compliance report: the organisation has declared the purposes and limits of its calls,
// and people decide the calls that need them. A rule is judged by the calls that came: one that no call meets limits nothing.
import { DAY_MS } from '../../platform/time.ts'
import { toEur } from '../../platform/money.ts'
import { SHAPES } from '../../scanning/identifiers/identifier-shapes.ts'
import { CONTENT_KINDS, type ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import { actionFor, type PiiAction } from '../../policies/document/pii-scan.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import { actionOnInjection } from '../../policies/document/prompt-injection-guard.policy.ts'
import { INJECTION_RULE_IDS } from '../../scanning/injection/rule-ids.ts'
import {
  control,
  type ControlDefinition,
  type Facts,
  NO_CALLS,
  noData,
  passIf,
  percentOf,
  someNames,
} from './control.ts'
import type { HumanApproval } from '../../policies/document/human-approval.policy.ts'

const LEAST_DECLARED_PERCENT = 95

/** A model for emergencies may be allowed that no call of the period needed. */
const MOST_UNUSED_MODELS = 1

/** A budget above this many times what is spent stops no runaway use. */
const MOST_TIMES_SPENT = 10
/** A budget up to this much a month is tight, however little is spent. */
const SMALL_BUDGET_EUR = 10
const MONTH_DAYS = 30

/** The kinds of content that are scanned for identifiers. Images and files are not. */
const SCANNED_KINDS: ReadonlySet<ContentKind> = new Set(['text', 'tools'])

export const POLICY_CONTROLS: readonly ControlDefinition[] = [
  control({
    id: 'P1',
    title: 'A policy that a person set limits the calls',
    weight: 3,
    earns: true,
    sources: ['ISO/IEC 42001', 'NIST AI RMF GOVERN 1'],
    query: 'The policy’s version, its maker, and its rules that limit the calls that came.',
    wouldPass:
      'An owner or admin who has signed in puts a policy in force whose rules limit the calls that come: PUT /api/policies. A key does not count.',
    link: '/api/policies',
    measure: (facts) => {
      const { version, madeBy, document } = facts.policy
      if (facts.calls.requests === 0) return noData(NO_CALLS)
      return {
        values: {
          policy_version: version,
          made_by: madeBy,
          rules: Object.keys(document).toSorted(),
          limiting_rules: limitingRules(facts),
        },
        positions: facts.lastPolicyChange === null ? [] : [facts.lastPolicyChange.position],
      }
    },
    judge: ({ policy_version: version, made_by: madeBy, limiting_rules: limiting }) =>
      passIf(version >= 1 && madeBy?.startsWith('usr_') === true && limiting.length > 0),
  }),
  control({
    id: 'P2',
    title: 'Models are restricted to those in use',
    weight: 2,
    earns: true,
    sources: ['AI Act 26(1)'],
    query: 'Models that model_allowlist allows every call, against those that calls used.',
    wouldPass: 'model_allowlist.models names the models that calls use, one more at most, and fewer than there are.',
    link: '/api/policies',
    measure: (facts) => (facts.calls.models.length === 0 ? noData(NOTHING_SENT) : { values: modelValues(facts) }),
    judge: (values) => passIf(areModelsRestricted(values)),
  }),
  control({
    id: 'P3',
    title: 'Calls say what they are for',
    weight: 2,
    earns: true,
    sources: ['AI Act 26(1)', 'NIST AI RMF MAP 1'],
    query: `Calls that declared a use case: at least ${LEAST_DECLARED_PERCENT} percent.`,
    wouldPass: `At least ${LEAST_DECLARED_PERCENT} percent of calls declare a use case in x-aqta-use-case; use_case_guard.required makes it all of them.`,
    link: '/api/analytics/requests?group_by=use_case',
    linkFeature: 'analytics',
    measure: ({ calls: { requests, withUseCase } }) =>
      requests === 0
        ? noData(NO_CALLS)
        : { values: { requests, with_use_case: withUseCase, percent: percentOf(withUseCase, requests) } },
    judge: ({ requests, with_use_case: declared }) => passIf(declared * 100 >= requests * LEAST_DECLARED_PERCENT),
  }),
  control({
    id: 'P4',
    title: 'Personal data of every shape is looked for',
    weight: 2,
    earns: true,
    sources: ['GDPR 25', 'GDPR 32'],
    query: 'Shapes that pii_scan ignores, and pictures or files in the latest 1,000 and random calls.',
    wouldPass: 'pii_scan ignores no shape, and no pictures or files are sent: content_type_guard can refuse them.',
    link: '/api/policies',
    measure: (facts) =>
      kindsInUse(facts).length === 0 ? noData(NO_CALLS) : { values: scanValues(facts), sample: facts.sample.draw },
    judge: (values) => passIf(isAllScanned(values)),
  }),
  control({
    id: 'P5',
    title: 'Runaway use is stopped',
    weight: 1,
    earns: true,
    sources: ['AI Act 15(4)'],
    query: 'If the policy defines loops; the lowest monthly budget, against what was spent.',
    wouldPass: `The policy has loop_guard, and a budget of at most ${MOST_TIMES_SPENT} times what a month costs, or of ${SMALL_BUDGET_EUR} EUR: in budget_guard or the settings.`,
    link: '/api/policies',
    measure: (facts) =>
      facts.calls.costMicroeur === 0 ? noData('Nothing was spent in the period.') : { values: budgetValues(facts) },
    judge: (values) => passIf(isRunawayStopped(values)),
  }),
]

const NOTHING_SENT = 'No call of the period was sent to a model.'

/** Actions that keep an identifier from the provider. */
const TAKING_OUT: ReadonlySet<PiiAction> = new Set(['redact', 'block'])

function limitingRules(facts: Facts): string[] {
  const { document } = facts.policy
  const high = highRiskValues(facts)
  const limiting: Readonly<Record<string, boolean>> = {
    model_allowlist: areModelsRestricted(modelValues(facts)),
    pii_scan: isAllScanned(scanValues(facts)) && TAKING_OUT.has(document.pii_scan?.default ?? 'ignore'),
    budget_guard: document.budget_guard !== undefined && isRunawayStopped(budgetValues(facts)),
    human_approval: high.calls > 0 && areHighRiskCallsDecided(high),
    prompt_injection_guard: blocksInjections(document),
  }
  return Object.keys(limiting).filter((name) => limiting[name] === true)
}

function modelValues({ policy: { document, modelsOffered }, calls: { models } }: Facts) {
  const allowed = document.model_allowlist?.models
  const distinct = allowed && [...new Set(allowed)]
  return {
    models_used: someNames(models.toSorted()),
    models_allowed: distinct?.length ?? null,
    models_offered: modelsOffered,
    allowed_and_unused: someNames(distinct?.filter((model) => !models.includes(model)) ?? []),
  }
}

const areModelsRestricted = (values: ReturnType<typeof modelValues>): boolean =>
  values.models_allowed !== null &&
  values.models_allowed < values.models_offered &&
  values.allowed_and_unused.length <= MOST_UNUSED_MODELS

const kindsInUse = ({ sample }: Facts): ContentKind[] => CONTENT_KINDS.filter((kind) => (sample.kinds[kind] ?? 0) > 0)

function scanValues(facts: Facts) {
  const { pii_scan: scan, content_type_guard: guard } = facts.policy.document
  const inUse = kindsInUse(facts)
  return {
    pii_scan: scan !== undefined,
    ignored_shapes: scan === undefined ? [] : SHAPES.filter((shape) => actionFor(scan, shape) === 'ignore'),
    kinds_in_use: inUse,
    kinds_not_looked_into: inUse.filter((kind) => !SCANNED_KINDS.has(kind) && guard?.allow?.includes(kind) !== false),
  }
}

const isAllScanned = (values: ReturnType<typeof scanValues>): boolean =>
  values.pii_scan && values.ignored_shapes.length === 0 && values.kinds_not_looked_into.length === 0

function budgetValues({ policy: { document }, monthlyBudgetMicroeur, calls, apiKeys, start, end }: Facts) {
  const days = (Date.parse(end) - Date.parse(start)) / DAY_MS + 1
  const budgets = [
    monthlyBudgetMicroeur === null ? null : toEur(monthlyBudgetMicroeur),
    ...monthlyBudgets(document, apiKeys.length),
  ].filter((budget) => budget !== null)
  return {
    loop_guard: document.loop_guard !== undefined,
    lowest_monthly_budget_eur: budgets.length === 0 ? null : Math.min(...budgets),
    spent_eur: toEur(calls.costMicroeur),
    spent_a_month_eur: toEur(Math.round((calls.costMicroeur * MONTH_DAYS) / days)),
  }
}

/** Returns the budgets of a guard, each as that of the whole organisation in a month. A guard with alerts alone has none. */
function monthlyBudgets({ budget_guard: guard = {} }: PolicyDocument, keys: number): number[] {
  const { month_eur: month, day_eur: day, key_month_eur: keyMonth, key_day_eur: keyDay } = guard
  return [month, day && day * MONTH_DAYS, keyMonth && keyMonth * keys, keyDay && keyDay * MONTH_DAYS * keys].filter(
    (budget) => budget !== undefined,
  )
}

function isRunawayStopped(values: ReturnType<typeof budgetValues>): boolean {
  const { loop_guard: hasLoops, lowest_monthly_budget_eur: budget, spent_a_month_eur: spent } = values
  return hasLoops && budget !== null && budget <= Math.max(SMALL_BUDGET_EUR, spent * MOST_TIMES_SPENT)
}

const blocksInjections = ({ prompt_injection_guard: guard }: PolicyDocument): boolean =>
  guard !== undefined && INJECTION_RULE_IDS.every((id) => actionOnInjection(guard, id) === 'block')

const MOST_EXPIRED_PERCENT = 10

/** One percent of fewer decisions than this is no percent. */
const LEAST_ENDED_APPROVALS = 10

const NO_DECISION = 'Nobody decided about an approval in the period.'

export const HUMAN_CONTROLS: readonly ControlDefinition[] = [
  control({
    id: 'H1',
    title: 'High-risk calls wait for a person, who decides',
    weight: 3,
    earns: true,
    sources: ['AI Act 14', 'AI Act 26(2)'],
    query:
      'High-risk use cases that calls declared and that not every call needs approval for; approvals decided and expired.',
    wouldPass:
      'human_approval.when has a case for each of high_risk_use_cases that asks for nothing else beside it, and people decide.',
    link: '/api/policies',
    measure: (facts) => {
      const marked = facts.policy.document.high_risk_use_cases ?? []
      if (marked.length === 0) return noData('The policy marks no use case as high-risk.')
      const values = highRiskValues(facts)
      if (values.calls === 0) return noData('No call of the period declared a high-risk use case.', values)
      return { values }
    },
    judge: (values) => passIf(areHighRiskCallsDecided(values)),
  }),
  control({
    id: 'H2',
    title: 'Nobody approves a request of their own key',
    weight: 3,
    earns: false,
    sources: ['AI Act 14', 'good practice'],
    query: 'All approvals of the period whose approver made the key that asked, or its maker.',
    wouldPass: 'No approver made the key that asked. The service refuses such a decision.',
    link: '/api/approvals',
    measure: ({ approvals: { decisions, ownApproved } }) =>
      decisions === 0
        ? noData(NO_DECISION)
        : {
            values: { decisions, own_approved: ownApproved.length, ids: someNames(ownApproved) },
          },
    judge: ({ own_approved: ownApproved }) => passIf(ownApproved === 0),
  }),
  control({
    id: 'H3',
    title: 'Every decision has a signed acceptance',
    weight: 2,
    earns: false,
    sources: ['AI Act 14(4)(d)'],
    query: 'Decisions of the latest 50 executed approvals without a record of acceptance.',
    wouldPass: 'Each decision about an executed approval has its record (ACCEPT-v1) in the log.',
    link: '/api/approvals?state=executed',
    measure: ({ approvals: { executed, recordsLooked, withoutRecord } }) => {
      if (executed === 0) return noData('No approval was used in the period.')
      const values = {
        executed,
        looked_at: recordsLooked,
        is_sample: recordsLooked < executed,
        without_record: withoutRecord.length,
      }
      if (recordsLooked === 0) return noData('No entry about a decision of a used approval is kept.', values)
      return { values, positions: withoutRecord }
    },
    judge: ({ without_record: withoutRecord }) => passIf(withoutRecord === 0),
  }),
  control({
    id: 'H4',
    title: 'Approvals are decided in time',
    weight: 1,
    earns: true,
    sources: ['NIST AI RMF MANAGE 2'],
    query: `Approvals that nobody decided in time, against those decided: under ${MOST_EXPIRED_PERCENT} percent.`,
    wouldPass: `Fewer than ${MOST_EXPIRED_PERCENT} approvals expire for each 100 that are decided.`,
    link: '/api/approvals?state=expired',
    measure: ({ approvals: { decided, expired } }) => {
      const percent = decided === 0 ? null : percentOf(expired, decided)
      const values = { decided, expired, percent }
      return decided + expired < LEAST_ENDED_APPROVALS
        ? noData(`Fewer than ${LEAST_ENDED_APPROVALS} approvals were decided or expired in the period.`, values)
        : { values }
    },
    judge: ({ decided, expired }) => passIf(expired * 100 < decided * MOST_EXPIRED_PERCENT),
  }),
]

/** Values about the high-risk use cases that calls of the period declared. */
function highRiskValues({ policy: { document }, calls: { useCases }, approvals: { decided, expired } }: Facts) {
  const came = useCases.filter(({ name }) => document.high_risk_use_cases?.includes(name) === true)
  const open = came.filter(({ name }) => !isCovered(document, name))
  return {
    calls: came.reduce((sum, { requests }) => sum + requests, 0),
    high_risk_use_cases: someNames(came.map(({ name }) => name)),
    without_approval: someNames(open.map(({ name }) => name)),
    decided,
    expired,
  }
}

const areHighRiskCallsDecided = (values: ReturnType<typeof highRiskValues>): boolean =>
  values.without_approval.length === 0 && values.decided > 0 && values.decided >= values.expired

/** Returns true if every call of a use case needs approval. An entry with further conditions does not cover the use case. */
function isCovered({ human_approval: approval }: PolicyDocument, useCase: string): boolean {
  return approval?.when.some((one) => coversUseCase(one, useCase)) === true
}

function coversUseCase({ use_cases: useCases, ...others }: HumanApproval['when'][number], useCase: string): boolean {
  const isOnly = Object.values(others).every((member) => member === undefined)
  return isOnly && (useCases === undefined || useCases.includes(useCase))
}
