// Reads for bias detection how each group's calls ended, their costs and latencies. Counts how people decided a group's approvals.
import type { Latencies } from '../usage/latency-histogram.ts'
import { UsageSumsStore, type Days } from '../usage/usage-sums.store.ts'
import { readUsageMix } from '../usage/usage-mix.store.ts'
import { UNNAMED_GROUP } from './bias-measures.ts'
import type { Counts } from '../../reports/statistics/compared-outcomes.ts'
import { GROUPING_TABLE, type CountedGrouping, type Grouping } from '../../platform/groupings.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { utcDay } from '../../platform/time.ts'
import type { Proportion } from '../../reports/statistics/proportions.ts'
import type { AnyApproval } from '../approvals/read-approvals.ts'
import type { EndedApprovalsStore } from '../approvals/ended-approvals.store.ts'
import type { EndedApproval } from '../journal/state/approval.schema.ts'

export type GroupDay = Counts & { day: number; group: string; costMicroeur: number }

/** Calls of a group that have use case and model in common. */
export type GroupMix = Counts & { group: string; use_case: string; model: string }

export type GroupHour = Counts & { hour: number; group: string }

export type CountedDimension = 'all' | CountedGrouping

/** Latencies of calls at their providers. */
export type ModelLatencies = { day: number; model: string; latencies: Latencies }

/** Only the largest groups are compared: every further comparison makes all others harder to pass. */
export const MOST_GROUPS = 100

/** Reads the usage counts. Use it in a turn in which the counts include every entry. */
export class GroupCounts extends ObjectStore {
  readonly #sums = new UsageSumsStore(this.sql)

  /** Returns sums in the order of the days. */
  days(by: CountedDimension, days: Days): GroupDay[] {
    return this.#sums.sums({ days, bucket: 'day', by }).map((sum) => {
      const { value, cost_microeur: costMicroeur } = sum
      return Object.assign(sum, { group: value ?? UNNAMED_GROUP, costMicroeur })
    })
  }

  /** Returns sums by cohort. Calls that declare no cohort are omitted. */
  cohortDays(days: Days): GroupDay[] {
    return this.#sums.cohorts(days).map(({ day, cohort, endings, refused }) => {
      return Object.assign(endings, { day, group: cohort, costMicroeur: 0, refused })
    })
  }

  /** Returns sums of the whole range by use case and model. Null if too many rows would be read. */
  mixes(by: Grouping, days: Days): GroupMix[] | null {
    const sums = readUsageMix(this.sql, by, days)
    if (sums === null) return null
    return sums.map(({ value, model, use_case: useCase, ...counts }) =>
      Object.assign(counts, {
        group: value ?? UNNAMED_GROUP,
        model: model ?? UNNAMED_GROUP,
        use_case: useCase ?? UNNAMED_GROUP,
      }),
    )
  }

  /** Returns sums from hour `from` to before hour `until`, in their order. */
  hours(by: CountedDimension, from: number, until: number): GroupHour[] {
    return this.#sums.hours({ first: from, last: until - 1 }, by).map(({ hour, value, endings, refused }) => {
      return Object.assign(endings, { hour, group: value ?? UNNAMED_GROUP, refused })
    })
  }

  /** Returns latencies in the order of the days. */
  latencies(days: Days): ModelLatencies[] {
    const names = new Map(this.#sums.sums({ days, bucket: 'total', by: 'model' }).map((sum) => [sum.number, sum.value]))
    const found = this.#sums.latencies(days, 'day', { byModel: true })
    return Array.from(found, ([day, models]) =>
      Array.from(models, ([number, latencies]) => ({ day, model: names.get(number) ?? UNNAMED_GROUP, latencies })),
    ).flat()
  }
}

export type CountedGroupDay = Proportion & { day: number; group: string }

export type DecidedApproval = CountedGroupDay & { use_case: string; model: string }

/** `approvals`: open ones. */
export type ApprovalsToCount = {
  approvals: Iterable<AnyApproval>
  endedApprovals: Pick<EndedApprovalsStore, 'list'>
}

const PAGE = 500
/** The most ended approvals that are read, newest first. */
export const MOST_APPROVALS = 5000

/** Counts approvals that people decided on these days. `isCut`: there are older approvals that were not read. */
export function countDecidedApprovals(
  { approvals, endedApprovals }: ApprovalsToCount,
  by: CountedGrouping,
  { first, last }: Days,
): { counted: DecidedApproval[]; isCut: boolean } {
  const counted: DecidedApproval[] = []
  const count = (approval: AnyApproval): void => {
    const decided = decisionOf(approval)
    if (decided === null || decided.day < first || decided.day > last) return
    const { model, use_case: useCase } = approval
    const group = approval[GROUPING_TABLE[by].member] ?? UNNAMED_GROUP
    const mix = { model, use_case: useCase ?? UNNAMED_GROUP }
    counted.push({ day: decided.day, group, ...mix, k: decided.isApproved ? 1 : 0, n: 1 })
  }
  for (const approval of approvals) count(approval)
  let before: string | null = null
  for (let seen = 0; seen < MOST_APPROVALS; seen += PAGE) {
    const page: EndedApproval[] = endedApprovals.list({ state: null, before, limit: PAGE })
    for (const approval of page) count(approval)
    if (page.length < PAGE) return { counted, isCut: false }
    before = page.at(-1)?.approval_id ?? null
  }
  return { counted, isCut: true }
}

/** Returns null if people have not decided: the approval is pending, or expired first. */
function decisionOf({ decisions, approvals_required }: AnyApproval): { day: number; isApproved: boolean } | null {
  const denied = decisions.find(({ decision }) => decision === 'deny')
  if (denied !== undefined) return { day: utcDay(denied.at), isApproved: false }
  const approved = decisions.filter(({ decision, counts }) => decision === 'approve' && counts)[approvals_required - 1]
  return approved === undefined ? null : { day: utcDay(approved.at), isApproved: true }
}
