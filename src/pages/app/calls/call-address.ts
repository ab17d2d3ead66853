// What the address of the page of calls says: its filters and days. Anybody can write an address, so what the list does not know is
// left out, and the service is not asked for it.
import { POLICY_IDS } from '../../../policies/document/policy-ids.ts'
import { OUTCOME_CHOICES } from '../../parts/outcome-badge.view.tsx'
import { dayIn } from '../../text/day.ts'
import { periodIn } from '../evidence/log-list.view.tsx'

/** Parameters of the open call, which belongs to the list as it was. */
export const CLOSED = { id: '', leaf: '' }

const KEY = /^key_[0-9a-f-]{36}$/
const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/

const isDay = (value: string): boolean => dayIn(value) !== null
const isAtMost =
  (length: number) =>
  (value: string): boolean =>
    value.length <= length

const KNOWN: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['outcome', (value: string) => OUTCOME_CHOICES.some((choice) => choice.value === value)],
  ['rule', (value: string) => POLICY_IDS.some((id) => id === value)],
  ['reason', isAtMost(200)],
  ['model', isAtMost(100)],
  ['key', (value: string) => KEY.test(value)],
  ['use_case', (value: string) => USE_CASE.test(value)],
  ['from', isDay],
  ['to', isDay],
])

/** Returns the parameters without empty ones and without values that the list does not know. */
export const knownParameters = (parameters: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...parameters].filter(([name, value]) => value !== '' && (KNOWN.get(name)?.(value) ?? true)))

/** False if the first day is after the last one, which is today if the address names none. */
export function areDaysInOrder(parameters: URLSearchParams): boolean {
  const { start, end } = periodIn(parameters)
  return start === null || start <= (end ?? new Date().toISOString())
}

/** Parameters that do not narrow the list: the open call and the organisation. */
const OTHERS: ReadonlySet<string> = new Set(['id', 'leaf', 'org', 'medical'])

/** What the list is narrowed by: `days` alone, or more. */
export function narrowedBy(parameters: URLSearchParams): 'nothing' | 'days' | 'more' {
  const names = [...parameters.keys()].filter((name) => !OTHERS.has(name))
  if (names.length === 0) return 'nothing'
  return names.every((name) => name === 'from' || name === 'to') ? 'days' : 'more'
}
