// The words for rules, and for the reasons why they stop calls; and how many calls each stopped.
import RULE_NAMES from 'virtual:rule-names'
import { ownMember } from '../../platform/json.ts'
import { capitalised, listed, withSpaces } from './reword-text.ts'
import { shapeName } from './shape-names.ts'

export const ruleName = (rule: string): string => ownMember(RULE_NAMES.rules, rule) ?? capitalised(withSpaces(rule))

const FOUND = 'found: '

/** Returns a reason in words: `model_not_in_policy` is “Model not allowed”, `found: iban` is “IBAN found”. */
export function reasonName(reason: string): string {
  if (!reason.startsWith(FOUND)) return ownMember(RULE_NAMES.reasons, reason) ?? capitalised(withSpaces(reason))
  const names = reason.slice(FOUND.length).split(', ').map(shapeName)
  return `${capitalised(listed(names))} found`
}

/** Returns how many calls each rule stopped. */
export function countByRule(stops: readonly { rule: string | null; requests: number }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { rule, requests } of stops) if (rule !== null) counts.set(rule, (counts.get(rule) ?? 0) + requests)
  return counts
}
