// Counts for the checklist how a period's approvals ended, who approved their own request, and which decisions have a record.
import { readAcceptance } from '../../evidence/records/accept-record.ts'
import type { ApprovalFacts } from '../../reports/controls/control.ts'
import type { Archive, FoundEntry } from '../journal/archive.ts'
import { contentOf } from '../../evidence/entry.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { listApprovals, personBehind, type AnyApproval, type ApprovalsQuery } from '../approvals/read-approvals.ts'
import type { ApprovalStores } from '../approvals/approval-steps.ts'
import { isApproved } from '../journal/state/approvals.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { Days } from '../usage/usage-sums.store.ts'
import { fallbackIfDamaged } from './log-facts.ts'

const PAGE_SIZE = 100
/** The most executed approvals whose records are read: each decision is an entry that may have to be fetched. */
const MOST_RECORDS = 50

/** No approval is open for longer: it waits at most 7 days for people, and can then be used for an hour. */
const LONGEST_LIFE_MS = 8 * DAY_MS

const COUNTED = ['asked', 'approved', 'denied', 'expired', 'withdrawn', 'executed', 'pending'] as const

export type ApprovalCounts = Record<(typeof COUNTED)[number], number>

type Parts = { stores: ApprovalStores; archive: Pick<Archive, 'findEntry'>; takeTurn: TakeTurn }

/** Counts all approvals of the period, and reads the records of the latest executed ones. */
export async function gatherApprovals(
  parts: Parts,
  period: Days,
  now: number,
): Promise<{ facts: ApprovalFacts; counts: ApprovalCounts }> {
  const { stores, takeTurn } = parts
  const isIn = (at: number): boolean => utcDay(at) >= period.first && utcDay(at) <= period.last
  const since = period.first * DAY_MS - LONGEST_LIFE_MS
  const counts: ApprovalCounts = { asked: 0, approved: 0, denied: 0, expired: 0, withdrawn: 0, executed: 0, pending: 0 }
  const ownApproved: string[] = []
  const latestExecuted: AnyApproval[] = []
  const byUseCase: EndedByUseCase = new Map()
  let decisions = 0
  for (let before: string | null = null; ;) {
    const query: ApprovalsQuery = { state: null, before, limit: PAGE_SIZE }
    const page: AnyApproval[] = takeTurn(() => listApprovals(stores, query, now))
    const ofPeriod = page.filter(({ createdAt }) => createdAt >= since)
    const sorted = groupApprovals(ofPeriod, isIn)
    for (const name of COUNTED) counts[name] += sorted[name].length
    countByUseCase(byUseCase, sorted)
    latestExecuted.push(...sorted.executed.slice(0, MOST_RECORDS - latestExecuted.length))
    for (const { approval_id: id, key_id: key, decisions: made } of ofPeriod) {
      const inPeriod = made.filter(({ at, decision }) => isIn(at) && decision !== 'escalate')
      decisions += inPeriod.length
      const maker = personBehind(stores.keys, key)
      if (inPeriod.some(({ decision, by }) => decision === 'approve' && by === maker)) ownApproved.push(id)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_SIZE || last.createdAt < since) break
    before = last.approval_id
    await scheduler.wait(0)
  }
  const facts = {
    decisions,
    decided: counts.approved + counts.denied,
    undecided: counts.expired + counts.withdrawn,
    byUseCase: Array.from(byUseCase, ([useCase, ended]) => ({ useCase, ...ended })),
    ownApproved,
    executed: counts.executed,
    ...(await findMissingRecords(parts, latestExecuted, now)),
  }
  return { facts, counts }
}

type EndedByUseCase = Map<string | null, { decided: number; undecided: number }>

function countByUseCase(counts: EndedByUseCase, { approved, denied, expired, withdrawn }: GroupedApprovals): void {
  const add = (approvals: readonly AnyApproval[], name: 'decided' | 'undecided'): void => {
    for (const { use_case: useCase } of approvals) {
      const sum = counts.get(useCase) ?? { decided: 0, undecided: 0 }
      counts.set(useCase, { ...sum, [name]: sum[name] + 1 })
    }
  }
  add([...approved, ...denied], 'decided')
  add([...expired, ...withdrawn], 'undecided')
}

type GroupedApprovals = Record<keyof ApprovalCounts, AnyApproval[]>

function groupApprovals(approvals: readonly AnyApproval[], isIn: (at: number) => boolean): GroupedApprovals {
  const asked = approvals.filter(({ createdAt }) => isIn(createdAt))
  const ended = approvals.filter((one) => 'endedAt' in one && isIn(one.endedAt))
  const inState = (state: AnyApproval['state']): AnyApproval[] => ended.filter((one) => one.state === state)
  return {
    asked,
    approved: approvals.filter((one) => isApproved(one) && isIn(one.decisions.at(-1)?.at ?? one.createdAt)),
    denied: inState('denied'),
    expired: inState('expired').filter((one) => !isApproved(one)),
    withdrawn: inState('withdrawn'),
    executed: inState('executed'),
    pending: asked.filter(({ state }) => state === 'pending'),
  }
}

const DAMAGED: FoundEntry = { outcome: 'unreadable', cause: 'leaf_differs' }

/** Returns positions of decisions without a record. Expired entries are skipped: their record was there. */
async function findMissingRecords(
  { archive }: Parts,
  executed: readonly AnyApproval[],
  now: number,
): Promise<Pick<ApprovalFacts, 'recordsLooked' | 'withoutRecord'>> {
  const looked = new Set<string>()
  const withoutRecord: number[] = []
  for (const { position, approval_id: id } of executed.flatMap(({ approval_id, decisions }) =>
    decisions.map((decision) => ({ ...decision, approval_id })),
  )) {
    // Each may open several objects, so other calls run in between.
    await scheduler.wait(0)
    const found = await fallbackIfDamaged(archive.findEntry(position, now), DAMAGED)
    if (found.outcome === 'not_kept') continue
    looked.add(id)
    const record = found.outcome === 'found' ? readAcceptance(contentOf(found.entry)['acceptance']) : null
    if (record === null) withoutRecord.push(position)
  }
  return { recordsLooked: looked.size, withoutRecord }
}
