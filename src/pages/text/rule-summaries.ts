// Says what a rule does as it is written, with the formats of the pages.
import { isJsonObject } from '../../platform/json.ts'
import { useCaseWords, type RuleWords, type Say } from '../../policies/rules/rule-words.ts'
import { formatExactEuro, formatNumber, plural } from './format.ts'
import { listed } from './reword-text.ts'
import { shapeName } from './shape-names.ts'
import { formatUnits, TIME_UNITS } from './units.ts'

/** The formats of the pages, for the words of rules. */
export const SAY: Say = {
  number: formatNumber,
  euro: formatExactEuro,
  time: (seconds) => formatUnits(seconds, TIME_UNITS),
  plural,
  listed,
  found: shapeName,
  each: 'per key',
}

/** Says what a rule does as it is written. */
export function summaryOf({ off, summary }: RuleWords, value: unknown, say = SAY): string {
  if (value === undefined) return off === undefined ? 'Not set' : `Not set: ${off}`
  if (Array.isArray(value)) return useCaseWords(value)
  return isJsonObject(value) ? (summary?.(value, say) ?? '') : 'Not what this form can show: see the JSON'
}
