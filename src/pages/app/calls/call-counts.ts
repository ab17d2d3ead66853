// Counts of the listed calls: by outcome, and by the rule that stopped them. Both are counted by the service, not from the rows.
import { ownMember } from '../../../platform/json.ts'
import { useRef } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import { countIn, SHOWN_OUTCOMES, type ShownOutcome } from '../../../evidence/records/call-endings.ts'
import type { RequestsSchema, StopsSchema } from '../../../management/analytics/analytics.schema.ts'
import { answered, bothOf, type Query } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { callApi, hasTierFeature } from '../session.ts'
import { DAY_MS } from '../../text/day.ts'

export type CallCounts = {
  /** By the outcome that the URL names; `all` for all of them. Null where they are not known. */
  outcomes: Readonly<Record<string, number>> | null
  /** The rules that stopped calls of the chosen outcome, the most first. Null where no such outcome is chosen, or nothing is known. */
  rules: readonly { rule: string; count: number | null }[] | null
  /** How many calls the list has in all. Null where that is not known. */
  listed: number | null
}

const UNKNOWN: CallCounts = { outcomes: null, rules: null, listed: null }

type Requests = Infer<typeof RequestsSchema>
type Stops = Infer<typeof StopsSchema>

/** What narrows the list. `common`: days, model, key and use case, which the counts are narrowed by too. */
export type Narrowing = { common: Query; outcome: string; rule: string; reason: string; hasText: boolean }

/**
 * Returns null until the first counts are there; then the last ones until others are.
 * @param isWhole false in a list that has no filters, of which nothing is counted
 * @param on counts again when it changes
 */
export function useCallCounts(narrowing: Narrowing, isWhole: boolean, on: unknown): CallCounts | null {
  const { common, outcome } = narrowing
  const isCounted = isWhole && !narrowing.hasText && hasTierFeature('analytics') && isCountable(common)
  const hasStops = isStopped(outcome) || isByRule(narrowing)
  const [loaded] = useAnswer<readonly [Requests, Stops | null] | null>(
    async (signal) => {
      if (!isCounted) return answered(null)
      const query = { ...common, bucket: 'total' }
      return bothOf(
        callApi<Requests>('GET', '/api/analytics/requests', { query, signal }),
        hasStops ? callApi<Stops>('GET', '/api/analytics/stops', { query: common, signal }) : NO_STOPS,
      )
    },
    [JSON.stringify(common), isCounted, hasStops, on],
  )
  const last = useRef<CallCounts | null>(null)
  if (loaded.state !== 'loading')
    last.current = loaded.state === 'answered' && loaded.body !== null ? countsOf(narrowing, ...loaded.body) : UNKNOWN
  return last.current
}

/** The service counts at most 400 days at once. */
function isCountable({ start, end }: Query): boolean {
  if (typeof start !== 'string') return true
  const last = typeof end === 'string' ? Date.parse(end) : Date.now()
  return last - Date.parse(start) < 400 * DAY_MS
}

const isByRule = ({ rule, reason }: Pick<Narrowing, 'rule' | 'reason'>): boolean => rule !== '' || reason !== ''

/** What people see of calls that a rule stopped. */
export const isStopped = (outcome: string): boolean =>
  SHOWN_OUTCOMES.some((group) => group.name === outcome && group.outcome !== 'passed')

const NO_STOPS = Promise.resolve(answered(null))

function countsOf(narrowing: Narrowing, { totals }: Requests, stops: Stops | null): CallCounts {
  const { outcome, rule, reason } = narrowing
  const stopped = stops?.data ?? []
  const narrowed = stopped.filter((stop) => [stop.rule, ''].includes(rule) && [stop.reason, ''].includes(reason))
  const countOf = (name: ShownOutcome): number =>
    isByRule(narrowing) ? sumOf(narrowed.filter((stop) => stop.outcome === name)) : countIn(totals, name)
  const outcomes = Object.fromEntries([
    ['all', isByRule(narrowing) ? sumOf(narrowed) : totals.requests],
    ...SHOWN_OUTCOMES.map(({ name }) => [name, countOf(name)] as const),
  ])
  const rules = [
    ...Map.groupBy(
      stopped.filter((stop) => stop.outcome === outcome),
      (stop) => stop.rule,
    ),
  ]
    .flatMap(([id, rows]) => (id === null ? [] : [{ rule: id, count: sumOf(rows) }]))
    .toSorted((one, other) => other.count - one.count)
  return {
    outcomes,
    rules: isStopped(outcome) ? rules : null,
    listed: ownMember(outcomes, outcome === '' ? 'all' : outcome) ?? null,
  }
}

const sumOf = (rows: readonly { requests: number }[]): number => rows.reduce((sum, { requests }) => sum + requests, 0)
