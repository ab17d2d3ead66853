// What the address of the anomalies page says: days, groups, what is compared. Anybody can write an address, so what the service does not
// know is left out, and it is not asked about days that it would refuse.
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { COMPARED_NAMES } from '../../../reports/statistics/compared-outcomes.ts'
import { dayIn, countDays, dayAfter, dayFromToday } from '../../text/day.ts'
import { periodIn } from '../evidence/log-list.view.tsx'

/** The service compares at most so many days. */
export const MOST_DAYS = 92

const DEFAULT_DAYS = 30
const LONGEST_NAME = 200

const KNOWN: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['from', (value: string) => dayIn(value) !== null],
  ['to', (value: string) => dayIn(value) !== null],
  ['by', (value: string) => Object.hasOwn(GROUPING_TABLE, value)],
  ['outcome', (value: string) => COMPARED_NAMES.some((name) => name === value)],
  ['reference', (value: string) => value.length <= LONGEST_NAME],
])

/** Returns the parameters without empty ones and without values that the service does not know. */
export function knownParameters(parameters: URLSearchParams): URLSearchParams {
  const known = new URLSearchParams(
    [...parameters].filter(([name, value]) => value !== '' && (KNOWN.get(name)?.(value) ?? true)),
  )
  // No approval knows the comparison group of its call.
  if (known.get('outcome') === 'approved' && (known.get('by') ?? 'cohort') === 'cohort') known.set('by', 'key')
  return known
}

/** Says why the service would not compare these days, or returns null. */
export function faultOfDays(parameters: URLSearchParams): string | null {
  const { start, end } = periodIn(parameters)
  const last = end ?? dayFromToday(0)
  const first = start ?? dayAfter(last, 1 - DEFAULT_DAYS)
  if (first > last) return 'The first day is after the last one. Change one of them.'
  if (countDays(first, last) > MOST_DAYS) return `These are more than ${MOST_DAYS} days. Choose fewer.`
  return null
}
