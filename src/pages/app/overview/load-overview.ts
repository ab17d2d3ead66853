// Loads what the overview shows, so that all of it is drawn at once: figures of the days and of as many days before, the latest calls,
// keys, waiting requests, the webhook, and in a new organisation how many people there are.
import type { KeyFiguresList } from '../../../management/analytics/analytics.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { WebhookResponse } from '../../../management/notifications/notifications.schema.ts'
import type { Key } from '../../../keys/key.schema.ts'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, bodyOf, bothOf, type Answer, type Query } from '../../api/send-request.ts'
import type { Costs, Requests } from '../analytics/chart-data.ts'
import { callApi, hasPermission, hasTierFeature, loadWholeList } from '../session.ts'
import { dayFromToday } from '../../text/day.ts'

/** `byKey` has the sums of the days before, too. `daily`: the cost of each day of this month, which a budget is of, and of those before. */
export type Figures = { requests: Requests; byModel: Costs; byKey: KeyFiguresList; daily: Costs }

export type OverviewData = {
  /** Null if the role or the tier does not include them. */
  figures: Figures | null
  /** The latest calls. Null if the role does not include them. */
  calls: List<Call> | null
  /** Null if the role does not include the keys. The members below follow the same rule. */
  keys: List<Key> | null
  waiting: List<NamedApproval> | null
  webhook: WebhookResponse | null
  /** The number of members and invited people, where first steps are shown. */
  people: number | null
}

/** So many calls of the last seven days every tier lists. */
const MOST_RECENT = 50
const LATEST = 6

/** @param days how many days the figures are of, today included */
export async function loadOverview(days: number, signal: AbortSignal): Promise<Answer<OverviewData>> {
  const none = Promise.resolve(null)
  const askIf = <T>(isAsked: boolean, path: string, query: Query = {}): Promise<Answer<T>> | Promise<null> =>
    isAsked ? callApi<T>('GET', path, { query, signal }) : none
  const mayCount = hasPermission('usage:read')
  const isCounted = mayCount && hasTierFeature('analytics')
  const period = { start: dayFromToday(1 - days), end: dayFromToday(0) }
  const answers = await Promise.all([
    askIf<Requests>(isCounted, '/api/analytics/requests', { ...period, limit: days }),
    askIf<Costs>(isCounted, '/api/analytics/costs', { ...period, bucket: 'total', group_by: 'model' }),
    askIf<KeyFiguresList>(isCounted, '/api/analytics/keys', period),
    askIf<Costs>(isCounted, '/api/analytics/costs', { start: dayFromToday(-31), end: period.end }),
    askIf<List<Call>>(mayCount, '/api/calls', { limit: isCounted ? LATEST : MOST_RECENT }),
    hasPermission('keys:read') ? loadWholeList<Key>('/api/keys', { status: 'all', limit: 100 }, signal) : none,
    askIf<List<NamedApproval>>(hasPermission('approvals:read'), '/api/approvals', { state: 'pending', limit: 100 }),
    askIf<WebhookResponse>(hasPermission('settings:read'), '/api/notifications'),
  ])
  const failed = answers.find((answer) => answer?.outcome === 'refused')
  if (failed?.outcome === 'refused') return failed
  const [requests, byModel, byKey, daily, calls, keys, waiting, webhook] = answers
  const figures = { requests: bodyOf(requests), byModel: bodyOf(byModel), byKey: bodyOf(byKey), daily: bodyOf(daily) }
  const overview: OverviewData = {
    figures: hasAll(figures) ? figures : null,
    calls: bodyOf(calls),
    keys: bodyOf(keys),
    waiting: bodyOf(waiting),
    webhook: bodyOf(webhook),
    people: null,
  }
  if (!isNew(overview) || !hasPermission('members:manage')) return answered(overview)
  const lists = await bothOf<List<unknown>, List<unknown>>(
    callApi('GET', '/api/members', { signal }),
    callApi('GET', '/api/members/invitations', { signal }),
  )
  if (lists.outcome === 'refused') return lists
  return answered({ ...overview, people: lists.body.reduce((sum, { data }) => sum + data.length, 0) })
}

/** The number of days with calls after which an organisation needs no first steps. */
const DAYS_OF_A_NEW_ORGANISATION = 7

export const daysWithCalls = ({ figures }: OverviewData): number =>
  figures?.requests.data.filter(({ requests }) => requests > 0).length ?? 0

export const isNew = (seen: OverviewData): boolean => daysWithCalls(seen) <= DAYS_OF_A_NEW_ORGANISATION

const hasAll = (figures: { [Name in keyof Figures]: Figures[Name] | null }): figures is Figures =>
  Object.values(figures).every((body) => body !== null)
