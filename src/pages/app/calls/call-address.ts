// What the address of the page of calls says: its filters and days. Anybody can write an address, so what the list does not know is
// left out, and the service is not asked for it.
import RULE_NAMES from 'virtual:rule-names'
import { OUTCOME_CHOICES } from '../../parts/outcome-badge.view.tsx'
import { formatDay } from '../../text/format.ts'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { isKeyId, isModelName, isUseCase } from '../../text/call-values.ts'
import { dayIn } from '../../text/day.ts'
import { periodIn } from '../evidence/log-list.view.tsx'
import type { ListedCall } from './call-columns.tsx'

/** Without days in the address, the list is of the last 30. */
export const ALL_DAYS = { from: '', to: '' }

/** Parameters of the open call, which belongs to the list as it was. */
export const CLOSED = { id: '', leaf: '' }

export const openedBy = ({ id, index }: ListedCall) => ({ id, leaf: String(index ?? '') })

const RECORD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isRecordId = (value: string): boolean => RECORD_ID.test(value)

const isDay = (value: string): boolean => dayIn(value) !== null

const isSought = (value: string): boolean => value.trim() !== '' && value.length <= MOST_SOUGHT

/** The longest text that the service searches for. */
const MOST_SOUGHT = 100

const outcomeWord = (value: string): string | undefined =>
  OUTCOME_CHOICES.find((choice) => choice.value === value)?.name

type CallFilter = {
  isKnown: (value: string) => boolean
  /** Its value as a person reads it, with the names of keys that the looking role knows. Absent for the days. */
  words?: (value: string, keys?: ReadonlyMap<string, string>) => string
  /** The name of the filter where it is applied; a filter with a button of its own needs none. */
  label?: string
}

/** The parameters that narrow the list. */
export const CALL_FILTERS: ReadonlyMap<string, CallFilter> = new Map<string, CallFilter>([
  ['medical', { isKnown: (value) => value === 'yes', words: () => 'Medical use cases' }],
  ['outcome', { isKnown: (value) => outcomeWord(value) !== undefined, words: (value) => outcomeWord(value) ?? value }],
  ['rule', { isKnown: (value) => RULE_NAMES.stopping.some((id) => id === value), words: ruleName }],
  ['reason', { isKnown: (value) => value.length <= 200, words: reasonName, label: 'Reason' }],
  ['key', { isKnown: isKeyId, words: (id, keys) => keys?.get(id) ?? id, label: 'Key' }],
  ['model', { isKnown: isModelName, words: String, label: 'Model' }],
  ['use_case', { isKnown: isUseCase, words: String, label: 'Use case' }],
  ['q', { isKnown: isSought, words: (text) => `“${text}”`, label: 'Search' }],
  ['from', { isKnown: isDay }],
  ['to', { isKnown: isDay }],
])

/** What does not narrow the records of medical calls, which are not told apart by how a passed call ended either. */
export const NOT_OF_MEDICAL = { rule: '', reason: '', model: '', key: '', q: '' }

/** Returns the parameters, each once, without empty ones and without what the list does not know. */
export function knownParameters(parameters: URLSearchParams): URLSearchParams {
  const isMedical = parameters.get('medical') === 'yes'
  const names = [...new Set(parameters.keys())].filter(
    (name) => !isMedical || !(name in NOT_OF_MEDICAL || (name === 'outcome' && parameters.get(name) === 'failed')),
  )
  const all = names.map((name) => [name, parameters.get(name) ?? ''])
  return new URLSearchParams(
    all.filter(([name = '', value = '']) => value !== '' && CALL_FILTERS.get(name)?.isKnown(value) !== false),
  )
}

/** False if the first day is after the last one, which is today if the address names none. */
export function areDaysInOrder(parameters: URLSearchParams): boolean {
  const { start, end } = periodIn(parameters)
  return start === null || start <= (end ?? new Date().toISOString())
}

/** What the list is narrowed by: `days` alone, or more. */
export function narrowedBy(parameters: URLSearchParams): 'nothing' | 'days' | 'more' {
  const names = [...parameters.keys()].filter((name) => name !== 'medical' && CALL_FILTERS.has(name))
  if (names.length === 0) return 'nothing'
  return names.every((name) => name === 'from' || name === 'to') ? 'days' : 'more'
}

/** The filters and days of the list in words, for paper. */
export function narrowedInWords(parameters: URLSearchParams, keyNames: ReadonlyMap<string, string>): readonly string[] {
  const { start, end } = periodIn(parameters)
  const until = end === null ? 'today' : formatDay(end)
  const days = start === null ? `30 days to ${until}` : `${formatDay(start)} to ${until}`
  const filters = [...CALL_FILTERS].flatMap(([name, { words, label }]) => {
    const value = parameters.get(name) ?? ''
    return value === '' || words === undefined ? [] : [[label, words(value, keyNames)].filter(Boolean).join(' ')]
  })
  return [`${days}, UTC`, ...filters]
}
