// Compares how the calls of an organisation's groups were served, and lists the anomalies of the same days. Each comparison is an
// entry of the log, in the turn that computes it.
import { dateOf, DAY_MS } from '../../platform/time.ts'
import {
  compareGroups,
  type DailyGroup,
  type ParityReport,
  type Verdict,
} from '../../reports/statistics/compare-groups.ts'
import { MIX_DIMENSIONS, type GroupStratum } from '../../reports/statistics/adjust-for-mix.ts'
import { appendAct, type Act } from '../append-act.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores } from '../organisation-stores.ts'
import { AnomaliesStore } from './anomalies.store.ts'
import { type Anomaly, proportionOf } from './bias-measures.ts'
import type { Grouping } from '../../platform/groupings.ts'
import {
  comparedOutcome,
  type ComparedCallOutcome,
  type ComparedOutcome,
} from '../../reports/statistics/compared-outcomes.ts'
import {
  countDecidedApprovals,
  type ApprovalsToCount,
  type CountedGroupDay,
  GroupCounts,
  type GroupDay,
  type GroupMix,
  MOST_GROUPS,
} from './group-counts.ts'
import type { Days } from '../usage/usage-sums.store.ts'

/** `by` a cohort with `outcome` approved is impossible: approvals have no cohort. */
export type BiasQuery = Days & { by: Grouping; outcome: ComparedOutcome; reference: string | null }

export type BiasReport = OutcomesCompared & { anomalies: Anomaly[] }

/** `omitted`: how many groups were not compared, as enough others have more calls. `isCut`: older approvals were not read. */
export type OutcomesCompared = ParityReport & { omitted: number; isCut: boolean }

export type BiasDetected =
  | { outcome: 'detected'; report: BiasReport }
  /** The reference group has no call on these days. */
  | { outcome: 'no_reference' }

export class BiasTarget extends FeatureTarget<'sql' | 'stores' | 'turns' | 'usage' | 'anomalies'> {
  /** Looks for anomalies first, if that is due. The act is in the log with the answer. */
  async detect(query: BiasQuery, act: Act): Promise<BiasDetected> {
    const { sql, stores, turns, usage, anomalies } = this.parts
    await anomalies.lookIfDue(Date.now())
    return usage.answer(turns.takeUntilClosed, () => detectBias(sql, stores, query, act))
  }

  /** Returns all stored anomalies, in the order in which they began. */
  listAnomalies(): Anomaly[] {
    const { sql, turns } = this.parts
    return turns.takeUntilClosed(() => new AnomaliesStore(sql).list({ since: 0, until: Number.MAX_SAFE_INTEGER }))
  }
}

function detectBias(
  sql: SqlStorage,
  { journal, endedApprovals }: Pick<Stores, 'journal' | 'endedApprovals'>,
  query: BiasQuery,
  act: Act,
): BiasDetected {
  const approvals = journal.state.approvals.values()
  const compared = compareOutcomes(sql, { approvals, endedApprovals }, query)
  const range = { since: query.first * DAY_MS, until: (query.last + 1) * DAY_MS }
  const report = { ...compared, anomalies: new AnomaliesStore(sql).list(range) }
  if (query.reference !== null && report.reference === null) return { outcome: 'no_reference' }
  appendAct(journal, { ...act, content: describe(query, report) }, Date.now())
  return { outcome: 'detected', report }
}

/** Compares the groups and writes no entry. Call it inside a turn in which every entry is counted. */
export function compareOutcomes(sql: SqlStorage, approvals: ApprovalsToCount, query: BiasQuery): OutcomesCompared {
  const { outcome, reference } = query
  const { counted, strata, isCut } = countedDays(sql, approvals, query)
  const groups = dailyGroups(counted, strata)
  const compared = groups
    .toSorted((one, other) => other.calls - one.calls)
    .filter(({ group }, at) => at < MOST_GROUPS || group === reference)
  return {
    ...compareGroups(compared, {
      reference,
      isFavourable: comparedOutcome(outcome).isFavourable,
      // What calls of two groups may have in common, besides what the groups are made by.
      mix: MIX_DIMENSIONS.filter((dimension) => dimension !== query.by),
    }),
    omitted: groups.length - compared.length,
    isCut,
  }
}

type Counted = { counted: readonly CountedGroupDay[]; strata: readonly CountedStratum[] | null; isCut: boolean }
type CountedStratum = GroupStratum & { group: string }

function countedDays(sql: SqlStorage, approvals: ApprovalsToCount, { by, outcome, first, last }: BiasQuery): Counted {
  const days = { first, last }
  if (outcome === 'approved') {
    if (by === 'cohort') return { counted: [], strata: [], isCut: false }
    const { counted, isCut } = countDecidedApprovals(approvals, by, days)
    return { counted, strata: counted, isCut }
  }
  const store = new GroupCounts(sql)
  const rows = by === 'cohort' ? store.cohortDays(days) : store.days(by, days)
  const strata = store.mixes(by, days)?.map((row) => callStratum(row, outcome)) ?? null
  return { counted: rows.map((row) => callDay(row, outcome)), strata, isCut: false }
}

const callStratum = (row: GroupMix, outcome: ComparedCallOutcome): CountedStratum => {
  const { group, use_case: useCase, model } = row
  return { group, use_case: useCase, model, ...proportionOf(row, outcome) }
}

const callDay = (row: GroupDay, outcome: ComparedCallOutcome): CountedGroupDay => {
  const { day, group } = row
  return { day, group, ...proportionOf(row, outcome) }
}

/** Returns one proportion a day and group, and the strata of each group. */
function dailyGroups(
  counted: readonly CountedGroupDay[],
  strata: Counted['strata'],
): (DailyGroup & { calls: number })[] {
  const strataOf = strata === null ? null : Map.groupBy(strata, ({ group }) => group)
  const groups = Map.groupBy(counted, ({ group }) => group)
  return Array.from(groups, ([group, rows]) => {
    const days = new Map<number, { k: number; n: number }>()
    for (const { day, k, n } of rows) {
      const sum = days.get(day)
      days.set(day, { k: (sum?.k ?? 0) + k, n: (sum?.n ?? 0) + n })
    }
    const ofGroup = strataOf === null ? null : (strataOf.get(group) ?? [])
    return { group, days: [...days.values()], strata: ofGroup, calls: rows.reduce((sum, { n }) => sum + n, 0) }
  })
}

/** Returns the act's content: what was compared, the verdict, and the names of the groups that differ. */
function describe({ first, last, by, outcome }: BiasQuery, { reference, parity, comparisons, anomalies }: BiasReport) {
  const groupsWith = (wanted: Verdict): string[] =>
    comparisons.filter(({ verdict }) => verdict === wanted).map(({ group }) => group)
  return {
    start: dateOf(first),
    end: dateOf(last),
    by,
    outcome,
    reference,
    verdict: parity.verdict,
    disparities: groupsWith('disparity'),
    explained: groupsWith('explained'),
    anomalies: anomalies.length,
  }
}
