// Turns the facts about an organisation into the checklist's controls, and composes the report of a period from both. Pure:
// compliance.service.ts collects the facts.
import { type AttestationKeys, currentKey } from '../../evidence/records/configured-keys.ts'
import type { Facts, MemberFacts, SigningFacts } from '../../reports/controls/control.ts'
import type { GatheredFacts, GroupComparison, UsageFacts } from '../../organisation/compliance/gather-facts.ts'
import { alarmSubject, disparitySubject, presentAnomaly } from '../../organisation/bias/bias-measures.ts'
import { namePlaces } from '../../platform/data-region.ts'
import { catalogueModels, catalogueRoutes, findRoutes } from '../../providers/model-catalogue.ts'
import { dateOf } from '../../platform/time.ts'
import { toEur } from '../../platform/money.ts'
import { describeStatement } from './compliance.schema.ts'
import type { ErasureCounts, Named } from './member-facts.store.ts'
import { toPublishedKey } from '../../evidence/records/key-history.ts'
import { CANNOT_SHOW, CHECKLIST_VERSION, judgeControls, LAW_AS_OF, scoreOf } from '../../reports/controls/checklist.ts'
import { decisionsOf, risksOf } from '../../reports/report/decisions.ts'
import { trendOf, type EarlierReport } from '../../reports/report/trend.ts'
import { LAW } from '../../reports/report/law.ts'
import type { ComplianceReport } from '../../reports/report/report.schema.ts'
import type { TreeHead } from '../../evidence/bundles/log-proofs.schema.ts'
import {
  countIn,
  membersOf,
  NO_ENDINGS,
  NOT_PASSED,
  outcomeCounts,
  type Endings,
} from '../../evidence/records/call-endings.ts'
import type { Days, UsageSum } from '../../organisation/usage/usage-sums.store.ts'
import { presentBias } from '../bias/present-bias.ts'

type ReportInputs = {
  period: Days
  gathered: GatheredFacts
  erasures: ErasureCounts
  /** Null if this deployment has no attestation keys. */
  keys: AttestationKeys | null
}

export function checklistFactsOf({
  period,
  gathered,
  erasures,
  keys,
  jurisdiction,
  members,
}: ReportInputs & { jurisdiction: string; members: MemberFacts }): Facts {
  const { now, usage, policy, enabledProviders, contentDays, retentionDays, sealed } = gathered
  const models = catalogueModels().filter(({ gateway }) => gateway)
  const providers = [...new Set([...enabledProviders, ...providersOf(gathered)])]
  return {
    ...gathered,
    start: dateOf(period.first),
    end: dateOf(period.last),
    calls: usage.calls,
    signing: signingFacts(keys, now),
    members,
    policy: { ...policy, modelsOffered: models.length },
    monitoring: monitoringFacts(gathered),
    data: {
      jurisdiction,
      providers,
      europeanRoutes: listEuropeanRoutes(providers),
      contentDays,
      retentionDays,
      sealed,
      erasures,
    },
  }
}

/** Returns providers that got text in the period: those of the calls that were looked at, and the only ones of their models. */
function providersOf({ usage, sample }: Pick<GatheredFacts, 'usage' | 'sample'>): string[] {
  const seen = sample.calls.flatMap(({ isAllowed, provider }) => (isAllowed ? [provider] : []))
  const onlyOnes = usage.calls.models.flatMap((id) => {
    const [first, ...others] = new Set(findRoutes(id).map(({ provider }) => provider))
    return first !== undefined && others.length === 0 ? [first] : []
  })
  return [...seen, ...onlyOnes]
}

function listEuropeanRoutes(providers: readonly string[]): string[] {
  const routes = catalogueRoutes().flatMap(({ provider, endpoint, dataRegion, places, promise }) =>
    dataRegion === 'any' || promise === null || !providers.includes(provider)
      ? []
      : [`${endpoint}: ${namePlaces(places)}, read on ${promise.readOn}`],
  )
  return [...new Set(routes)]
}

function monitoringFacts({ bias, lastBiasReport, incidents, policy }: GatheredFacts): Facts['monitoring'] {
  const comparisons = bias?.compared.flatMap(({ query, report }) =>
    report.comparisons.map(({ group, verdict }) => {
      return { verdict, subject: disparitySubject(query.by, query.outcome, group) }
    }),
  )
  return {
    lastBiasReport,
    anomalies:
      bias?.anomalies.map((anomaly) => {
        return { subject: alarmSubject(anomaly), alarms: anomaly.alarms.map(alarmSubject) }
      }) ?? null,
    cohorts: policy.document.bias?.cohorts ?? [],
    compared: comparisons?.filter(({ verdict }) => verdict !== 'not_enough_data').length ?? 0,
    disparities: comparisons?.filter(({ verdict }) => verdict === 'disparity') ?? null,
    incidents,
  }
}

function signingFacts(keys: AttestationKeys | null, now: number): SigningFacts {
  if (keys === null) return { current: null, isThrowAway: false, history: [] }
  const history = keys.history.map(({ public_key: publicKey, status, valid_from: from, valid_until: until }) => {
    return { publicKey, status, validFrom: Date.parse(from), validUntil: until === null ? null : Date.parse(until) }
  })
  return { current: currentKey(keys, now)?.public_key ?? null, isThrowAway: keys.isThrowAway, history }
}

export function presentChecklist(facts: Facts) {
  const controls = judgeControls(facts)
  return {
    checklist: CHECKLIST_VERSION,
    law_as_of: LAW_AS_OF,
    score: scoreOf(controls, facts.calls.passed),
    controls,
    cannot_show: [...CANNOT_SHOW],
  }
}

type ReportParts = ReportInputs & {
  id: string
  organisation: ComplianceReport['organisation']
  isDemo: boolean
  facts: Facts
  head: TreeHead
  /** The last stored report; null if there is none that can be read. */
  earlier: EarlierReport | null
  roles: readonly Named[]
  serviceOrigin: string | null
}

export function composeReport(composed: ReportParts): ComplianceReport {
  const { id, organisation, isDemo, period, facts, gathered, erasures, head, keys, earlier, roles } = composed
  const createdAt = new Date(facts.now).toISOString()
  const checklist = presentChecklist(facts)
  const report = {
    object: 'compliance_report' as const,
    id,
    report: 'report-1' as const,
    organisation,
    start: facts.start,
    end: facts.end,
    created_at: createdAt,
    ...checklist,
    decisions: decisionsOf(checklist.controls, createdAt),
    trend: trendOf(checklist, earlier),
    risks: risksOf(checklist.controls),
    law: LAW,
    statements: gathered.statements.map(describeStatement),
    usage: presentUsage(gathered.usage, period),
    bias: gathered.bias?.compared.map(presentParity) ?? [],
    anomalies: gathered.bias?.anomalies.map(presentAnomaly) ?? null,
    approvals: gathered.approvalCounts,
    retention: {
      tier: facts.tier,
      details_days: gathered.retentionDays,
      content_logging: gathered.contentDays !== null,
      content_days: gathered.contentDays,
      jurisdiction: facts.data.jurisdiction,
      erasures,
    },
    coverage: gathered.coverage,
    tree_head: head,
    public_keys: keys?.history.map(toPublishedKey) ?? [],
    service_origin: composed.serviceOrigin,
    demo: isDemo,
  }
  return { ...report, names: namesIn(report, [...gathered.apiKeys, ...roles]) }
}

/** Ids of people and API keys. */
const NAMED_ID = /\b(?:usr|key)_[0-9a-f-]{36}/g

/**
 * Returns the names of the ids in a report. A person has the role instead of a name, because the report's hash is in the log:
 * nobody could erase a name from it.
 */
function namesIn(report: object, named: readonly Named[]): Named[] {
  const ids = new Set(JSON.stringify(report).match(NAMED_ID))
  return named.filter(({ id }) => ids.has(id)).map(({ id, name }) => ({ id, name }))
}

function presentUsage({ totals, inFlight, byDay, byModel, byUseCase }: UsageFacts, { first, last }: Days) {
  // The report has no sum of the calls that passed.
  const { passed: _passed, ...ofOutcomes } = outcomeCounts(totals)
  const days = new Map(byDay.map((sum) => [sum.day, sum]))
  return {
    totals: {
      requests: totals.requests + inFlight,
      ...ofOutcomes,
      in_flight: inFlight,
      refused: totals.refused,
      input_tokens: totals.input + totals.cache_read + totals.cache_write,
      output_tokens: totals.output + totals.reasoning,
      cost_eur: toEur(totals.cost_microeur),
      cost_prevented_eur: toEur(totals.prevented_microeur),
      cost_estimated_requests: totals.estimated,
    },
    by_day: Array.from({ length: last - first + 1 }, (_, at) => {
      return { date: dateOf(first + at), ...presentSum(days.get(first + at)) }
    }),
    by_model: byModel.map((sum) => ({ name: sum.value ?? '', ...presentSum(sum) })),
    by_use_case: byUseCase.map((sum) => ({ name: sum.value, ...presentSum(sum) })),
  }
}

const NO_CALLS = { requests: 0, cost_microeur: 0, ...NO_ENDINGS }

const presentSum = (sum: Pick<UsageSum, 'requests' | 'cost_microeur'> & Endings = NO_CALLS) => ({
  requests: sum.requests,
  ...membersOf(NOT_PASSED, (shown) => countIn(sum, shown)),
  cost_eur: toEur(sum.cost_microeur),
})

function presentParity({ query, report }: GroupComparison): ComplianceReport['bias'][number] {
  const { by, outcome, method, groups, comparisons, parity, cannot_show } = presentBias(query, report)
  return { by, outcome, method, groups, comparisons, parity, cannot_show }
}
