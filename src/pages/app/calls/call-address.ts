// What the address of the page of calls says: its filters and days. Anybody can write an address, so what the list does not know is
// left out, and the service is not asked for it.
import RULE_NAMES from 'virtual:rule-names'
import { OUTCOME_CHOICES } from '../../parts/outcome-badge.view.tsx'
import { formatDay } from '../../text/format.ts'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { isKeyId, isModelName, isUseCase } from '../../text/call-values.ts'
import { dayIn } from '../../text/day.ts'
import { periodIn } from '../evidence/log-list.view.tsx'

/** Without days in the address, the list is of the last 30. */
export const ALL_DAYS = { from: '', to: '' }

/** Parameters of the open call, which belongs to the list as it was. */
export const CLOSED = { id: '', leaf: '' }

const isDay = (value: string): boolean => dayIn(value) !== null

const KNOWN: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['outcome', (value: string) => OUTCOME_CHOICES.some((choice) => choice.value === value)],
  ['rule', (value: string) => RULE_NAMES.stopping.some((id) => id === value)],
  ['reason', (value: string) => value.length <= 200],
  ['model', isModelName],
  ['key', isKeyId],
  ['use_case', isUseCase],
  ['from', isDay],
  ['to', isDay],
  ['q', (value: string) => value.trim() !== '' && value.length <= 100],
  ['medical', (value: string) => value === 'yes'],
])

const isKnownValue = (name: string, value: string): boolean => KNOWN.get(name)?.(value) ?? true

/** What does not narrow the records of medical calls, which are not told apart by how a passed call ended either. */
const NOT_OF_MEDICAL: ReadonlySet<string> = new Set(['rule', 'reason', 'model', 'key', 'q'])

/** Returns the parameters, each once, without empty ones and without what the list does not know. */
export function knownParameters(parameters: URLSearchParams): URLSearchParams {
  const isMedical = parameters.get('medical') === 'yes'
  const names = [...new Set(parameters.keys())].filter(
    (name) => !isMedical || !(NOT_OF_MEDICAL.has(name) || (name === 'outcome' && parameters.get(name) === 'failed')),
  )
  const all = names.map((name) => [name, parameters.get(name) ?? ''])
  return new URLSearchParams(all.filter(([name = '', value = '']) => value !== '' && isKnownValue(name, value)))
}

/** False if the first day is after the last one, which is today if the address names none. */
export function areDaysInOrder(parameters: URLSearchParams): boolean {
  const { start, end } = periodIn(parameters)
  return start === null || start <= (end ?? new Date().toISOString())
}

/** What the list is narrowed by: `days` alone, or more. */
export function narrowedBy(parameters: URLSearchParams): 'nothing' | 'days' | 'more' {
  const names = [...parameters.keys()].filter((name) => name !== 'medical' && KNOWN.has(name))
  if (names.length === 0) return 'nothing'
  return names.every((name) => name === 'from' || name === 'to') ? 'days' : 'more'
}

const outcomeWord = (value: string): string => OUTCOME_CHOICES.find((choice) => choice.value === value)?.name ?? value

/** Each filter as a person reads it, with the names that the looking role knows. */
const WORDS: readonly (readonly [name: string, words: (value: string, keys: ReadonlyMap<string, string>) => string])[] =
  [
    ['medical', () => 'Medical use cases'],
    ['outcome', outcomeWord],
    ['rule', ruleName],
    ['reason', reasonName],
    ['key', (id, keys) => `Key ${keys.get(id) ?? id}`],
    ['model', String],
    ['use_case', String],
    ['q', (text) => `“${text}”`],
  ]

/** The filters and days of the list in words, for paper. */
export function narrowedInWords(parameters: URLSearchParams, keyNames: ReadonlyMap<string, string>): readonly string[] {
  const { start, end } = periodIn(parameters)
  const until = end === null ? 'today' : formatDay(end)
  const days = start === null ? `30 days to ${until}` : `${formatDay(start)} to ${until}`
  const filters = WORDS.flatMap(([name, words]) => {
    const value = parameters.get(name) ?? ''
    return value === '' ? [] : [words(value, keyNames)]
  })
  return [`${days}, UTC`, ...filters]
}
