// Composes the report of a period from gathered facts, judgements, signatures and counts. It reads nothing itself.
import type { AttestationKeys } from '../../evidence/records/attestation-keys.ts'
import { publishKey } from '../../evidence/records/key-history.ts'
import { CANNOT_SHOW, CHECKLIST, judgeControls, LAW_AS_OF, scoreOf } from '../../reports/controls/checklist.ts'
import type { Facts } from '../../reports/controls/control.ts'
import { LAW } from '../../reports/report/law.ts'
import type { ComplianceReport } from '../../reports/report/report.schema.ts'
import type { TreeHead } from '../../evidence/bundles/log.schema.ts'
import { sinceText, type FoundAnomaly } from '../../organisation/bias/anomaly.ts'
import type { Compared, Gathered, Period } from '../../organisation/compliance/gathered.ts'
import type { Statement } from '../../organisation/compliance/statements.store.ts'
import type { UsageFacts } from '../../organisation/compliance/usage-facts.ts'
import type { UsageSum } from '../../organisation/usage/usage-sums.store.ts'
import { presentBias } from '../bias/present-bias.ts'
import { dateOf } from '../date-range.ts'
import type { ErasureCounts } from './compliance-people.store.ts'

type Known = {
  id: string
  organisation: ComplianceReport['organisation']
  isDemo: boolean
  period: Period
  facts: Facts
  gathered: Gathered
  erasures: ErasureCounts
  head: TreeHead
  keys: AttestationKeys | null
}

/** The judged controls and the score. */
export function presentChecklist(facts: Facts) {
  const controls = judgeControls(facts)
  return {
    checklist: CHECKLIST,
    law_as_of: LAW_AS_OF,
    score: scoreOf(controls),
    controls,
    cannot_show: [...CANNOT_SHOW],
  }
}

export function composeReport(known: Known): ComplianceReport {
  const { id, organisation, isDemo, period, facts, gathered, erasures, head, keys } = known
  return {
    object: 'compliance_report',
    id,
    report: 'report-1',
    organisation,
    start: facts.start,
    end: facts.end,
    created_at: new Date(facts.now).toISOString(),
    ...presentChecklist(facts),
    law: LAW,
    statements: gathered.statements.map(presentStatement),
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
    tree_head: head,
    public_keys: keys?.history.map(publishKey) ?? [],
    demo: isDemo,
  }
}

const presentStatement = ({ subject, text, date, statedBy, statedAt }: Statement) => ({
  subject,
  text,
  date,
  stated_by: statedBy,
  stated_at: new Date(statedAt).toISOString(),
})

const MICROEUR_PER_EUR = 1_000_000
const toEur = (microeur: number): number => microeur / MICROEUR_PER_EUR

function presentUsage({ totals, inFlight, byDay, byModel, byUseCase }: UsageFacts, { first, last }: Period) {
  const days = new Map(byDay.map((sum) => [sum.day, sum]))
  return {
    totals: {
      requests: totals.requests + inFlight,
      completed: totals.completed,
      failed: totals.failed,
      cancelled: totals.cancelled,
      interrupted: totals.interrupted,
      cached: totals.cached,
      blocked: totals.blocked,
      suppressed: totals.suppressed,
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

const presentSum = (sum: UsageSum | undefined) => ({
  requests: sum?.requests ?? 0,
  blocked: sum?.blocked ?? 0,
  suppressed: sum?.suppressed ?? 0,
  failed: sum?.failed ?? 0,
  cost_eur: toEur(sum?.cost_microeur ?? 0),
})

function presentParity({ wanted, report }: Compared): ComplianceReport['bias'][number] {
  const { by, outcome, method, dispersion, groups, comparisons, parity, cannot_show } = presentBias(wanted, report)
  return { by, outcome, method, dispersion, groups, comparisons, parity, cannot_show }
}

const presentAnomaly = (anomaly: FoundAnomaly): NonNullable<ComplianceReport['anomalies']>[number] => {
  const { kind, series, value, baseline, statistic, threshold } = anomaly
  return { kind, series, since: sinceText(anomaly), value, baseline, statistic, threshold }
}
