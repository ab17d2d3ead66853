// Loads what the overview page shows (figures, keys, waiting approvals, people), so that all of it is drawn at once.
import type { KeyFiguresList } from '../../../management/analytics/analytics.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import type { Costs, Requests } from '../analytics/chart-data.ts'
import { callApi, hasPermission, hasTierFeature } from '../session.ts'

export type Figures = { requests: Requests; byModel: Costs; byKey: KeyFiguresList }

export type OverviewData = {
  /** The last 30 days. Null if the role or the tier does not include them. */
  figures: Figures | null
  /** The last calls, in a tier without figures. Null if the role does not include them. */
  calls: List<Call> | null
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
  const mayCount = hasPermission('usage:read')
  const isCounted = mayCount && hasTierFeature('analytics')
  const managesMembers = hasPermission('members:manage')
  const answers = await Promise.all([
    isCounted ? ask<Requests>('/api/analytics/requests') : none,
    isCounted ? ask<Costs>('/api/analytics/costs', { bucket: 'total', group_by: 'model' }) : none,
    isCounted ? ask<KeyFiguresList>('/api/analytics/keys') : none,
    mayCount && !isCounted ? ask<List<Call>>('/api/calls', { limit: 10 }) : none,
    hasPermission('keys:read') ? ask<List<Key>>('/api/keys', { status: 'all', limit: 100 }) : none,
    hasPermission('approvals:read')
      ? ask<List<ShownApproval>>('/api/approvals', { state: 'pending', limit: 100 })
      : none,
    managesMembers ? ask<List<unknown>>('/api/members') : none,
    managesMembers ? ask<List<unknown>>('/api/members/invitations') : none,
  ])
  const failed = answers.find((answer) => answer?.outcome === 'refused')
  if (failed?.outcome === 'refused') return failed
  const [requests, byModel, byKey, calls, keys, waiting, members, invited] = answers
  const figures = { requests: bodyOf(requests), byModel: bodyOf(byModel), byKey: bodyOf(byKey) }
  const people = [bodyOf(members), bodyOf(invited)].flatMap((list) => (list === null ? [] : list.data))
  const overview: OverviewData = {
    figures: hasAll(figures) ? figures : null,
    calls: bodyOf(calls),
    keys: bodyOf(keys),
    waiting: bodyOf(waiting),
    people: managesMembers ? people.length : null,
  }
  return answered(overview)
}

const bodyOf = <T>(answer: Answer<T> | null): T | null => (answer?.outcome === 'answered' ? answer.body : null)

const hasAll = (figures: { [Name in keyof Figures]: Figures[Name] | null }): figures is Figures =>
  Object.values(figures).every((body) => body !== null)
