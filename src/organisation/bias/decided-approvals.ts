// Approvals as an outcome: of those that people decided, how many they approved. By the day of the decision that ended it.
import { utcDay } from '../../platform/time.ts'
import type { Proportion } from '../../reports/statistics/proportions.ts'
import type { AnyApproval } from '../approvals/read-approvals.ts'
import type { EndedApprovalsStore } from '../approvals/ended-approvals.store.ts'
import type { EndedApproval } from '../journal/state/approval.schema.ts'
import type { Days } from '../usage/usage-sums.store.ts'

import { UNNAMED_GROUP, type Grouping } from './outcomes.ts'

export type CountedGroupDay = Proportion & { day: number; group: string }

/** `approvals`: those that have not ended. */
export type ApprovalsToCount = {
  approvals: Iterable<AnyApproval>
  endedApprovals: Pick<EndedApprovalsStore, 'list'>
}

/** No approval knows a cohort. */
export type ApprovalGrouping = Exclude<Grouping, 'cohort'>

const PAGE = 500
/** The most ended approvals that are read: the newest. */
export const MOST_APPROVALS = 5000

/** `isCut`: there are older ones that were not looked at. */
export function decidedApprovals(
  { approvals, endedApprovals }: ApprovalsToCount,
  by: ApprovalGrouping,
  { first, last }: Days,
): { counted: CountedGroupDay[]; isCut: boolean } {
  const counted: CountedGroupDay[] = []
  const count = (approval: AnyApproval): void => {
    const decided = decisionOf(approval)
    if (decided === null || decided.day < first || decided.day > last) return
    counted.push({ day: decided.day, group: groupOf(approval, by), k: decided.isApproved ? 1 : 0, n: 1 })
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

/** Null where people have not decided it: it waits, or its time was over before. */
function decisionOf({ decisions, approvals_required }: AnyApproval): { day: number; isApproved: boolean } | null {
  const denied = decisions.find(({ decision }) => decision === 'deny')
  if (denied !== undefined) return { day: utcDay(denied.at), isApproved: false }
  const approved = decisions.filter(({ decision, counts }) => decision === 'approve' && counts)[approvals_required - 1]
  return approved === undefined ? null : { day: utcDay(approved.at), isApproved: true }
}

function groupOf({ key_id, model, use_case }: AnyApproval, by: ApprovalGrouping): string {
  switch (by) {
    case 'key':
      return key_id
    case 'model':
      return model
    case 'use_case':
      return use_case ?? UNNAMED_GROUP
  }
}
