// The words for rules, for what they do, and for the reasons why they stop calls.
import { isObject, useCaseWords, type RuleWords, type Say } from '../../policies/rules/rule-words.ts'
import { findWords, RULE_WORDS } from '../../policies/rules/words.ts'
import { formatExactEuro, formatNumber, plural } from './format.ts'
import { capitalised, listed, withSpaces } from './reword-text.ts'
import { shapeName } from './shape-names.ts'
import { formatUnits, TIME_UNITS } from './units.ts'

export const ruleName = (rule: string): string => findWords(rule)?.name ?? capitalised(withSpaces(rule))

const REASONS: ReadonlyMap<string, string> = new Map(RULE_WORDS.flatMap(({ reasons = {} }) => Object.entries(reasons)))

const FOUND = 'found: '

/** Returns a reason in words: `model_not_in_policy` is “Model not allowed”, `found: iban` is “IBAN found”. */
export function reasonName(reason: string): string {
  if (!reason.startsWith(FOUND)) return REASONS.get(reason) ?? capitalised(withSpaces(reason))
  const names = reason.slice(FOUND.length).split(', ').map(shapeName)
  return `${capitalised(listed(names))} found`
}

/** What the words of rules are made with. */
export const SAY: Say = {
  number: formatNumber,
  euro: formatExactEuro,
  time: (seconds) => formatUnits(seconds, TIME_UNITS),
  plural,
  listed,
}

/** Says what a rule does as it is written. */
export function summaryOf({ off, summary }: RuleWords, value: unknown): string {
  if (value === undefined) return off === undefined ? 'Not set' : `Not set: ${off}`
  if (Array.isArray(value)) return useCaseWords(value)
  return isObject(value) ? (summary?.(value, SAY) ?? '') : 'Not what this form can show: see the JSON'
}
