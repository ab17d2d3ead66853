// Loads what the overview shows, so that all of it is drawn at once: figures of the days and of as many days before, the latest calls,
// keys, waiting requests, and how many people there are.
import type { KeyFiguresList } from '../../../management/analytics/analytics.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, bodyOf, type Answer, type Query } from '../../api/send-request.ts'
import type { Costs, Requests } from '../analytics/chart-data.ts'
import { callApi, hasPermission, hasTierFeature, loadWholeList } from '../session.ts'
import { dayFromToday } from '../../text/day.ts'

/** `byKey` has the sums of the days before, too. `month`: the cost of this month, which a budget is of. */
export type Figures = { requests: Requests; byModel: Costs; byKey: KeyFiguresList; month: Costs }

export type OverviewData = {
  /** Null if the role or the tier does not include them. */
  figures: Figures | null
  /** The latest calls. Null if the role does not include them. */
  calls: List<Call> | null
  /** Null if the role does not include the keys. The members below follow the same rule. */
  keys: List<Key> | null
  waiting: List<ShownApproval> | null
  /** The number of members and invited people. */
  people: number | null
}

/** So many calls of the last seven days every tier lists. */
const MOST_RECENT = 50
const LATEST = 6

/** @param days how many days the figures are of, today included */
export async function loadOverview(days: number, signal: AbortSignal): Promise<Answer<OverviewData>> {
  const ask = <T>(path: string, query: Query = {}): Promise<Answer<T>> => callApi<T>('GET', path, { query, signal })
  const none = Promise.resolve(null)
  const mayCount = hasPermission('usage:read')
  const isCounted = mayCount && hasTierFeature('analytics')
  const managesMembers = hasPermission('members:manage')
  const period = { start: dayFromToday(1 - days), end: dayFromToday(0) }
  const answers = await Promise.all([
    isCounted ? ask<Requests>('/api/analytics/requests', { ...period, limit: days }) : none,
    isCounted ? ask<Costs>('/api/analytics/costs', { ...period, bucket: 'total', group_by: 'model' }) : none,
    isCounted ? ask<KeyFiguresList>('/api/analytics/keys', period) : none,
    isCounted
      ? ask<Costs>('/api/analytics/costs', { start: `${dayFromToday(0).slice(0, 7)}-01`, bucket: 'total' })
      : none,
    mayCount ? ask<List<Call>>('/api/calls', { limit: isCounted ? LATEST : MOST_RECENT }) : none,
    hasPermission('keys:read') ? loadWholeList<Key>('/api/keys', { status: 'all', limit: 100 }, signal) : none,
    hasPermission('approvals:read')
      ? ask<List<ShownApproval>>('/api/approvals', { state: 'pending', limit: 100 })
      : none,
    managesMembers ? ask<List<unknown>>('/api/members') : none,
    managesMembers ? ask<List<unknown>>('/api/members/invitations') : none,
  ])
  const failed = answers.find((answer) => answer?.outcome === 'refused')
  if (failed?.outcome === 'refused') return failed
  const [requests, byModel, byKey, month, calls, keys, waiting, members, invited] = answers
  const figures = { requests: bodyOf(requests), byModel: bodyOf(byModel), byKey: bodyOf(byKey), month: bodyOf(month) }
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

const hasAll = (figures: { [Name in keyof Figures]: Figures[Name] | null }): figures is Figures =>
  Object.values(figures).every((body) => body !== null)
