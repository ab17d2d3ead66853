// Controls P1 to P6 and H1 to H4 of the compliance report: the organisation has declared the purposes and limits of its calls,
// and people decide the calls that need them. A rule is judged by the calls that came: one that no call meets limits nothing.
import { DAY_MS } from '../../platform/time.ts'
import { toEur } from '../../platform/money.ts'
import { SHAPES, type Shape } from '../../scanning/identifiers/shapes/index.ts'
import { CONTENT_KINDS, type ContentKind } from '../../policies/facts.ts'
import { actionFor, type AnswerRule, type PiiAction, type PiiScan } from '../../policies/rules/pii-scan.rule.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import { actionOnInjection } from '../../policies/rules/prompt-injection-guard.rule.ts'
import { INJECTION_RULE_IDS } from '../../scanning/injection/rule-ids.ts'
import {
  control,
  type ControlDefinition,
  type Facts,
  type MadePolicy,
  NO_CALLS,
  noData,
  passIf,
  percentOf,
  someNames,
} from './control.ts'

const LEAST_DECLARED_PERCENT = 95

/** A model for emergencies may be allowed that no call of the period needed. */
const MOST_UNUSED_MODELS = 1

/** A rule counts if it was in force for this share of the calls, so that one made for the score alone does not. */
const LEAST_COVERED_PERCENT = 50

/** A budget above this many times what is spent stops no runaway use. */
const MOST_TIMES_SPENT = 10
/** A budget that refuses most calls on more of the days than this shuts the organisation out. It stops no runaway use. */
const MOST_SHUT_OUT_PERCENT = 50
/** A budget up to this much a month is tight, however little is spent. */
const SMALL_BUDGET_EUR = 10
const MONTH_DAYS = 30

/** The kinds of content that are scanned for identifiers. Images and files are not. */
const SCANNED_KINDS: ReadonlySet<ContentKind> = new Set(['text', 'tools'])

/** A date may belong to the question and be sent. */
const MAY_BE_REPORTED: readonly string[] = ['date' satisfies Shape]

export const POLICY_CONTROLS: readonly ControlDefinition[] = [
  control({
    id: 'P1',
    title: 'A policy that a person set limits the calls',
    weight: 3,
    earns: true,
    sources: ['ISO/IEC 42001', 'NIST AI RMF GOVERN 1'],
    query: 'The policy’s version, its maker, its rules that limit the calls that came, and calls under such a policy.',
    wouldPass:
      'An owner or admin who has signed in puts a policy in force whose rules limit the calls that come: PATCH /api/policies. At least half of the calls must come under it. A key does not count.',
    link: '/api/policies',
    measure: (facts) => {
      const { version, madeBy, document } = facts.policy
      if (facts.calls.requests === 0) return noData(NO_CALLS)
      return {
        values: {
          policy_version: version,
          made_by: madeBy,
          rules: Object.keys(document).toSorted(),
          limiting_rules: limitingRules(facts, document),
          ...callsUnder(facts, (policy) => isByPerson(policy) && limitingRules(facts, policy.document).length > 0),
        },
        positions: facts.lastPolicyChange === null ? [] : [facts.lastPolicyChange.position],
        sample: facts.sample.draw,
      }
    },
    judge: (values) =>
      passIf(
        values.policy_version >= 1 &&
          isByPerson({ madeBy: values.made_by }) &&
          values.limiting_rules.length > 0 &&
          wasInForce(values),
      ),
  }),
  control({
    id: 'P2',
    title: 'Models are restricted to those in use',
    weight: 2,
    earns: true,
    sources: ['AI Act 26(1)'],
    query: 'Models that model_allowlist allows every call, against those that calls used.',
    wouldPass:
      'model_allowlist.models names the models that calls use, one more at most, and at most half of those offered, while at least half of the calls come.',
    link: '/api/policies',
    measure: (facts) => {
      if (facts.calls.models.length === 0) return noData(NOTHING_SENT)
      const covered = callsUnder(facts, ({ document }) => areModelsRestricted(modelValues(facts, document)))
      return { values: { ...modelValues(facts, facts.policy.document), ...covered }, sample: facts.sample.draw }
    },
    judge: (values) => passIf(areModelsRestricted(values) && wasInForce(values)),
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
    title: 'Personal data of every shape is kept from providers',
    weight: 2,
    earns: true,
    sources: ['GDPR 25', 'GDPR 32'],
    query: 'Shapes that pii_scan ignores or only reports, and pictures or files in the latest 1,000 and random calls.',
    wouldPass: `pii_scan ignores no shape and reports at most ${MAY_BE_REPORTED.join(', ')} while at least half of the calls come, and no pictures or files are sent: content_type_guard can refuse them.`,
    link: '/api/policies',
    measure: (facts) => {
      if (kindsInUse(facts).length === 0) return noData(NO_CALLS)
      const covered = callsUnder(facts, ({ document }) => isAllScanned(scanValues(facts, document)))
      return { values: { ...scanValues(facts, facts.policy.document), ...covered }, sample: facts.sample.draw }
    },
    judge: (values) => passIf(isAllScanned(values) && wasInForce(values)),
  }),
  control({
    id: 'P5',
    title: 'Runaway use is stopped',
    weight: 1,
    earns: true,
    sources: ['AI Act 15(4)'],
    query:
      'If the policy defines loops; days of keys for evaluation, whose loops are only reported; the lowest monthly budget, against what was spent; days on which budgets refused more calls than ran.',
    wouldPass: `While at least half of the calls come, there is loop_guard, and a budget of at most ${MOST_TIMES_SPENT} times what a month costs, or of ${SMALL_BUDGET_EUR} EUR: in budget_guard or the settings. On at most half of the days it refuses more calls than run.`,
    link: '/api/policies',
    measure: (facts) => {
      if (facts.calls.costMicroeur === 0) return noData('Nothing was spent in the period.')
      const covered = callsUnder(facts, ({ document }) => isRunawayStopped(budgetValues(facts, document)))
      return { values: { ...budgetValues(facts, facts.policy.document), ...covered }, sample: facts.sample.draw }
    },
    judge: (values) => passIf(isRunawayStopped(values) && wasInForce(values)),
  }),
  control({
    id: 'P6',
    title: 'Personal data of every shape is looked for in answers',
    weight: 1,
    earns: true,
    sources: ['GDPR 25', 'GDPR 32'],
    query: 'Shapes that pii_scan.answers ignores, by the policies alone.',
    wouldPass: 'pii_scan.answers is set and ignores no shape while at least half of the calls come.',
    link: '/api/policies',
    measure: (facts) => {
      if (facts.calls.models.length === 0) return noData(NOTHING_SENT)
      const covered = callsUnder(facts, ({ document }) => areAnswersSearched(answerValues(document)))
      return { values: { ...answerValues(facts.policy.document), ...covered }, sample: facts.sample.draw }
    },
    judge: (values) => passIf(areAnswersSearched(values) && wasInForce(values)),
  }),
]

const NOTHING_SENT = 'No call of the period was sent to a model.'

/** Counts the calls that were looked at, and those that came while such a policy was in force. */
function callsUnder({ policy: { history }, sample: { calls } }: Facts, isSuch: (policy: MadePolicy) => boolean) {
  const such = new Set(history.filter(isSuch).map(({ version }) => version))
  return {
    calls_looked_at: calls.length,
    calls_under_it: calls.filter(({ policyVersion }) => such.has(policyVersion)).length,
  }
}

const wasInForce = ({ calls_looked_at: looked, calls_under_it: under }: ReturnType<typeof callsUnder>): boolean =>
  under > 0 && under * 100 >= looked * LEAST_COVERED_PERCENT

const isByPerson = ({ madeBy }: Pick<MadePolicy, 'madeBy'>): boolean => madeBy?.startsWith('usr_') === true

function limitingRules(facts: Facts, document: PolicyDocument): string[] {
  const high = highRiskValues(facts)
  const limiting: Readonly<Record<string, boolean>> = {
    model_allowlist: areModelsRestricted(modelValues(facts, document)),
    pii_scan: isAllScanned(scanValues(facts, document)),
    budget_guard: document.budget_guard !== undefined && isRunawayStopped(budgetValues(facts, document)),
    human_approval: document.human_approval !== undefined && high.calls > 0 && areHighRiskCallsDecided(high),
    prompt_injection_guard: blocksInjections(document),
  }
  return Object.keys(limiting).filter((name) => limiting[name] === true)
}

function modelValues({ policy: { modelsOffered }, calls: { models } }: Facts, document: PolicyDocument) {
  const allowed = document.model_allowlist?.models
  const distinct = allowed && [...new Set(allowed)]
  return {
    models_used: someNames(models.toSorted()),
    models_allowed: distinct?.length ?? null,
    models_offered: modelsOffered,
    allowed_and_unused: someNames(distinct?.filter((model) => !models.includes(model)) ?? []),
  }
}

/** A list of most models restricts little, even if each was called once. */
const areModelsRestricted = ({ models_allowed: allowed, ...values }: ReturnType<typeof modelValues>): boolean =>
  allowed !== null &&
  allowed > 0 &&
  allowed * 2 <= values.models_offered &&
  values.allowed_and_unused.length <= MOST_UNUSED_MODELS

function kindsInUse({ sample: { calls } }: Facts): ContentKind[] {
  const kinds = new Set(calls.flatMap((call) => call.kinds))
  return CONTENT_KINDS.filter((kind) => kinds.has(kind))
}

function scanValues(facts: Facts, { pii_scan: scan, content_type_guard: guard }: PolicyDocument) {
  const inUse = kindsInUse(facts)
  return {
    pii_scan: scan !== undefined,
    ignored_shapes: shapesWith(scan, 'ignore'),
    reported_shapes: shapesWith(scan, 'report'),
    kinds_in_use: inUse,
    kinds_not_looked_into: inUse.filter((kind) => !SCANNED_KINDS.has(kind) && guard?.allow?.includes(kind) !== false),
  }
}

const shapesWith = (scan: PiiScan | AnswerRule | undefined, action: PiiAction): string[] =>
  scan === undefined ? [] : SHAPES.filter((shape) => actionFor(scan, shape) === action)

const isAllScanned = (values: ReturnType<typeof scanValues>): boolean =>
  values.pii_scan &&
  values.ignored_shapes.length === 0 &&
  values.reported_shapes.every((shape) => MAY_BE_REPORTED.includes(shape)) &&
  values.kinds_not_looked_into.length === 0

const answerValues = ({ pii_scan: scan }: PolicyDocument) => ({
  answers_searched: scan?.answers !== undefined,
  ignored_shapes: shapesWith(scan?.answers, 'ignore'),
})

const areAnswersSearched = (values: ReturnType<typeof answerValues>): boolean =>
  values.answers_searched && values.ignored_shapes.length === 0

function budgetValues(
  { monthlyBudgetMicroeur, calls, apiKeys, evaluationDays, budgetDays, start, end }: Facts,
  document: PolicyDocument,
) {
  const days = Math.max(MONTH_DAYS, (Date.parse(end) - Date.parse(start)) / DAY_MS + 1)
  const budgets = [
    monthlyBudgetMicroeur === null ? null : toEur(monthlyBudgetMicroeur),
    // A key that is made later has the budget of one too.
    ...monthlyBudgets(document, Math.max(1, apiKeys.length)),
  ].filter((budget) => budget !== null)
  return {
    loop_guard: document.loop_guard !== undefined,
    evaluation_key_days: evaluationDays,
    lowest_monthly_budget_eur: budgets.length === 0 ? null : Math.min(...budgets),
    spent_eur: toEur(calls.costMicroeur),
    // A shorter period is not multiplied: its calls may all have come at once.
    spent_a_month_eur: toEur(Math.round((calls.costMicroeur * MONTH_DAYS) / days)),
    days_with_calls: budgetDays.withCalls,
    days_shut_out: budgetDays.shutOut,
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
  const isNear = budget !== null && budget <= Math.max(SMALL_BUDGET_EUR, spent * MOST_TIMES_SPENT)
  return hasLoops && isNear && !isShutOut(values)
}

const isShutOut = ({ days_with_calls: days, days_shut_out: shutOut }: ReturnType<typeof budgetValues>): boolean =>
  shutOut * 100 > days * MOST_SHUT_OUT_PERCENT

const blocksInjections = ({ prompt_injection_guard: guard }: PolicyDocument): boolean =>
  guard !== undefined && INJECTION_RULE_IDS.every((id) => actionOnInjection(guard, id) === 'block')

const MOST_UNDECIDED_PERCENT = 10

/** Fewer calls say little about what is done with them. */
const LEAST_HIGH_RISK_CALLS = 10

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
    query: 'High-risk calls of those looked at that ran without approval; approvals decided and not.',
    wouldPass:
      'No call of a high-risk use case runs without approval (human_approval.when), and people decide most of them.',
    link: '/api/policies',
    measure: (facts) => {
      const values = highRiskValues(facts)
      const sample = facts.sample.draw
      if (values.ran_without_approval > 0) return { values, sample }
      return values.calls < LEAST_HIGH_RISK_CALLS
        ? noData(`Fewer than ${LEAST_HIGH_RISK_CALLS} of the calls declared a high-risk use case.`, values)
        : { values, sample }
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
    query: `Approvals that expired or were withdrawn undecided, against those decided: under ${MOST_UNDECIDED_PERCENT} percent.`,
    wouldPass: `Fewer than ${MOST_UNDECIDED_PERCENT} approvals end undecided for each 100 that are decided.`,
    link: '/api/approvals?state=expired',
    measure: ({ approvals: { decided, undecided } }) => {
      const percent = decided === 0 ? null : percentOf(undecided, decided)
      const values = { decided, undecided, percent }
      return decided + undecided < LEAST_ENDED_APPROVALS
        ? noData(`Fewer than ${LEAST_ENDED_APPROVALS} approvals ended in the period.`, values)
        : { values }
    },
    judge: ({ decided, undecided }) => passIf(undecided * 100 < decided * MOST_UNDECIDED_PERCENT),
  }),
]

/**
 * Values about the calls that declared a use case which a policy called high-risk, the present one or one under which calls came.
 * Taking a use case out of the policy does not hide its calls.
 */
function highRiskValues({ policy: { document, history }, sample: { calls }, approvals: { byUseCase } }: Facts) {
  const marked = new Set(
    [document, ...history.map((one) => one.document)].flatMap((one) => one.high_risk_use_cases ?? []),
  )
  const isMarked = ({ useCase }: { useCase: string | null }): boolean => useCase !== null && marked.has(useCase)
  const came = calls.filter(isMarked)
  const ended = byUseCase.filter(isMarked)
  return {
    high_risk_use_cases: someNames([...new Set(came.flatMap(({ useCase }) => useCase ?? []))].toSorted()),
    calls: came.length,
    ran_without_approval: came.filter(({ isAllowed, isApproved }) => isAllowed && !isApproved).length,
    decided: ended.reduce((sum, { decided }) => sum + decided, 0),
    undecided: ended.reduce((sum, { undecided }) => sum + undecided, 0),
  }
}

const areHighRiskCallsDecided = (values: ReturnType<typeof highRiskValues>): boolean =>
  values.ran_without_approval === 0 && values.decided > 0 && values.decided >= values.undecided
