// The query of analytics (period, buckets, what is shown and by what, filters): reads it from the page's URL, turns it into the API's
// query, and explains why the service refused a period.
import { COUNTED_GROUPINGS, GROUPING_TABLE } from '../../../platform/groupings.ts'
import type { Infer } from '../../../platform/once.ts'
import type { AnalyticsQuerySchema } from '../../../management/analytics/analytics.schema.ts'
import { isKeyId, isModelName, isUseCase } from '../../text/call-values.ts'
import { dayIn, countDays, dayAfter, isoDay } from '../../text/day.ts'
import { capitalised } from '../../text/reword-text.ts'

type Wire = Infer<typeof AnalyticsQuerySchema>

export const BUCKETS = [
  ['day', 'Day'],
  ['month', 'Month'],
] as const satisfies readonly (readonly [Wire['bucket'], string])[]

/** What a chart shows its values by. Without a group: by outcome. By member: by who made the key. */
export const GROUPS = [
  ['', 'Outcome'],
  ...COUNTED_GROUPINGS.map((by) => [by, capitalised(GROUPING_TABLE[by].name)] as const),
  ['member', 'Member'],
] as const satisfies readonly (readonly [Wire['group_by'] | 'member' | '', string])[]

export const MEASURES = [
  ['', 'Calls'],
  ['cost', 'Cost'],
  ['tokens', 'Tokens'],
] as const

export type Group = (typeof GROUPS)[number][0]
export const countedBy = (group: Group): Exclude<Group, 'member'> => (group === 'member' ? 'key' : group)

export type Measure = (typeof MEASURES)[number][0]

export type AnalyticsQuery = {
  start: string
  end: string
  bucket: (typeof BUCKETS)[number][0]
  group: Group
  show: Measure
  model: string
  key: string
  useCase: string
}

/** The number of days that the service counts if a request names no period. */
const DAYS = 30

export const PRESET_PERIODS = [
  { name: '7 days', days: 7, bucket: 'day' },
  { name: '30 days', days: DAYS, bucket: 'day' },
  { name: '90 days', days: 90, bucket: 'day' },
  { name: '12 months', days: 365, bucket: 'month' },
] as const

/** Returns the preset period that the URL has, or undefined if it is another period. */
export const presetPeriodOf = (
  { start, end }: AnalyticsQuery,
  now: number,
): (typeof PRESET_PERIODS)[number] | undefined =>
  PRESET_PERIODS.find(({ days }) => lastDays(days, now).start === start && lastDays(days, now).end === end)

/** True if only some calls are counted. */
export const isNarrowed = ({ model, key, useCase }: AnalyticsQuery): boolean =>
  [model, key, useCase].some((one) => one !== '')

/** The number of days of the query, or null if the first one is after the last one. */
export function daysOf({ start, end }: Pick<AnalyticsQuery, 'start' | 'end'>): number | null {
  const days = countDays(start, end)
  return Number.isInteger(days) && days > 0 ? days : null
}

/** Returns the same query for as many days before, or null if its days are in the wrong order. */
export function previousOf(query: AnalyticsQuery): AnalyticsQuery | null {
  const days = daysOf(query)
  if (days === null) return null
  return { ...query, start: dayAfter(query.start, -days), end: dayAfter(query.start, -1) }
}

/** Returns the last `days` days, today included. */
export const lastDays = (days: number, now: number): { start: string; end: string } => ({
  start: dayAfter(isoDay(now), 1 - days),
  end: isoDay(now),
})

/** Use cases beyond 256 are counted together. */
const isUseCaseOrOther = (value: string): boolean => isUseCase(value) || value === '(other)'

/** Reads the URL. What it does not know, and what is no day, it leaves out. The days can be in the wrong order: see `daysOf`. */
export function readUrlQuery(members: URLSearchParams, now: number): AnalyticsQuery {
  const of = (name: string): string => members.get(name) ?? ''
  const known = (name: string, isKnown: (value: string) => boolean): string => (isKnown(of(name)) ? of(name) : '')
  const end = dayIn(members.get('end')) ?? isoDay(now)
  return {
    start: dayIn(members.get('start')) ?? lastDays(DAYS, Date.parse(end)).start,
    end,
    bucket: BUCKETS.find(([name]) => name === of('bucket'))?.[0] ?? 'day',
    group: GROUPS.find(([name]) => name === of('group'))?.[0] ?? '',
    show: MEASURES.find(([name]) => name === of('show'))?.[0] ?? '',
    model: known('model', isModelName),
    key: known('key', isKeyId),
    useCase: known('use_case', isUseCaseOrOther),
  }
}

export const toApiQuery = (query: AnalyticsQuery): Record<string, string> => {
  const { start, end, bucket, group, model, key, useCase } = query
  return { start, end, bucket, group_by: countedBy(group), model, key_id: key, use_case: useCase }
}

type Refused = { code: string; fields: readonly { path: string; rule: string }[] }

export type NotCounted = {
  words: string
  /** True if monthly buckets would make the rows few enough. */
  isLessByMonth: boolean
}

/** Returns how to change the period if the service refused it. Returns null if it refused for another reason. */
export function explainRefusedPeriod({ code, fields }: Refused, { bucket, group }: AnalyticsQuery): NotCounted | null {
  const [field] = fields
  if (code !== 'invalid_request' || field === undefined || !['start', 'end'].includes(field.path)) return null
  const isByDay = bucket === 'day'
  switch (field.rule) {
    case 'at most 400 days':
      return notCounted('At most 400 days can be counted at once. Take fewer.')
    case 'fewer days':
      return notCounted('These are more rows than can be made at once. Take fewer days.', isByDay)
    case 'at most 92 days':
      return isByDay && countedBy(group) === 'key'
        ? notCounted('Key by key and day by day, at most 92 days can be counted. Take fewer days.', true)
        : notCounted(
            'By more than one of model, key, use case and ending, at most 92 days can be counted. Take fewer days.',
          )
    default:
      return notCounted('These days cannot be read. Choose them again.')
  }
}

const notCounted = (words: string, isLessByMonth = false): NotCounted => ({ words, isLessByMonth })
