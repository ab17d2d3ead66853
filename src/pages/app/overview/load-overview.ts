// Loads what the overview page shows (figures, keys, waiting approvals, people), so that all of it is drawn at once.
import type { Key } from '../../../keys/key.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, type Answer, type Problem } from '../../api/send-request.ts'
import type { Costs, Requests } from '../analytics/chart-data.ts'
import { callApi, hasPermission } from '../session.ts'

export type Figures = { requests: Requests; byModel: Costs; byKey: Costs }

export type OverviewData = {
  /** The last 30 days. Null if the role or the tier does not include them. */
  figures: Figures | null
  /** The refusal if the tier does not include the figures, otherwise null. */
  tier: Problem | null
  /** Null if the role does not include the keys. The members below follow the same rule. */
  keys: List<Key> | null
  waiting: List<ShownApproval> | null
  /** The number of members and invited people. */
  people: number | null
}

export async function loadOverview(signal: AbortSignal): Promise<Answer<OverviewData>> {
  const ask = <T>(path: string, query: Record<string, string | number> = {}): Promise<Answer<T>> =>
    callApi<T>('GET', path, { query, signal })
  const none = Promise.resolve(null)
  const isCounted = hasPermission('usage:read')
  const managesMembers = hasPermission('members:manage')
  const answers = await Promise.all([
    isCounted ? ask<Requests>('/api/analytics/requests') : none,
    isCounted ? ask<Costs>('/api/analytics/costs', { bucket: 'total', group_by: 'model' }) : none,
    isCounted ? ask<Costs>('/api/analytics/costs', { bucket: 'total', group_by: 'key' }) : none,
    hasPermission('keys:read') ? ask<List<Key>>('/api/keys', { status: 'all', limit: 100 }) : none,
    hasPermission('approvals:read')
      ? ask<List<ShownApproval>>('/api/approvals', { state: 'pending', limit: 100 })
      : none,
    managesMembers ? ask<List<unknown>>('/api/members') : none,
    managesMembers ? ask<List<unknown>>('/api/members/invitations') : none,
  ])
  const refused = answers.flatMap((answer) => (answer?.outcome === 'refused' ? [answer.problem] : []))
  const failed = refused.find(({ code }) => code !== 'tier_required')
  if (failed !== undefined) return { outcome: 'refused', problem: failed }
  const [requests, byModel, byKey, keys, waiting, members, invited] = answers
  const figures = { requests: bodyOf(requests), byModel: bodyOf(byModel), byKey: bodyOf(byKey) }
  const people = [bodyOf(members), bodyOf(invited)].flatMap((list) => (list === null ? [] : list.data))
  const overview: OverviewData = {
    figures: hasAll(figures) ? figures : null,
    tier: refused[0] ?? null,
    keys: bodyOf(keys),
    waiting: bodyOf(waiting),
    people: managesMembers ? people.length : null,
  }
  return answered(overview)
}

const bodyOf = <T>(answer: Answer<T> | null): T | null => (answer?.outcome === 'answered' ? answer.body : null)

const hasAll = (figures: { [Name in keyof Figures]: Figures[Name] | null }): figures is Figures =>
  Object.values(figures).every((body) => body !== null)
