// Reads the filter in the head of a selection, and judges by a call's own entries whether it matches. organisation/audit/audit-trail.ts
// is what the service lists by.
import { findEnding, outcomeOf, settledEndingOf, type Outcome } from '../records/call-endings.ts'
import { parseExactTime } from '../records/rfc3339.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { KnownEntry } from './check-facts.ts'
import { toPrintable } from './printable.ts'

/** `settlement`: the content of the entry that settles it; null if the file has none. */
export type JudgedCall = {
  readonly decision: Pick<KnownEntry, 'index' | 'content' | 'time' | 'at' | 'facts'>
  readonly settlement: JsonObject | null
}

/** Returns how the decision ended the call; null for an unknown word. */
export function outcomeIn({ content, facts }: JudgedCall['decision']): Outcome | null {
  switch (content['outcome']) {
    case 'ALLOWED':
      return 'passed'
    case 'SUPPRESSED':
      return 'suppressed'
    case 'BLOCKED':
      return typeof facts?.['approval_id'] === 'string' ? 'held' : 'blocked'
    default:
      return null
  }
}

/** The filter's members, each with its test. A test passes if the file does not have the entry that would show it. */
const TESTS: Readonly<Record<string, (value: string, call: JudgedCall) => boolean>> = {
  outcome: (value, { decision }) => outcomeIn(decision) === value,
  ending: (value, { decision, settlement }) => {
    const endings = value.split(',').flatMap((name) => findEnding(name) ?? [])
    if (settlement === null) return endings.some(({ name }) => outcomeOf(name) === outcomeIn(decision))
    const ended = settledEndingOf(settlement['ended'])
    return endings.some(({ name }) => name === ended)
  },
  rule: (value, { decision }) => {
    const { policy_applied: rules } = decision.content
    return outcomeIn(decision) !== 'passed' && Array.isArray(rules) && rules[0] === value
  },
  reason: (value, { decision, settlement }) => {
    if (settlement !== null) return settlement['error_cause'] === value
    return outcomeIn(decision) === 'passed' || decision.facts?.['reason'] === value
  },
  // A call that another model of its request answered is listed under that model too.
  model: (value, { decision, settlement }) => [decision.content['model'], settlement?.['model']].includes(value),
  key_id: (value, { decision }) => decision.facts?.['key_id'] === value,
  use_case: (value, { decision }) => decision.facts?.['use_case'] === value,
  // A text is also sought in the names of keys, which no entry has.
  q: () => true,
  cursor: (value, { decision }) => decision.index < Number(value),
}

/** `text`: the filter in words. `findMismatch`: returns the first member that the call does not match; null if it matches. */
export type SelectionFilter = { readonly text: string; readonly findMismatch: (call: JudgedCall) => string | null }

/** Returns null if it is not in its form, or has a member that this check does not know. */
export function readFilter({ filter, start, end }: JsonObject): SelectionFilter | null {
  const days = { start: startOf(start), end: startOf(end) + DAY_MS }
  if (!isJsonObject(filter) || !(days.start < days.end)) return null
  const members: [string, string][] = []
  for (const [name, value] of Object.entries(filter)) {
    if (typeof value !== 'string' || !Object.hasOwn(TESTS, name)) return null
    members.push([name, value])
  }
  const words = members.map(
    ([name, value]) => `${name} ${toPrintable(value)}${name === 'q' ? ' (not compared with entries)' : ''}`,
  )
  const isOfDays = (time: number | null): boolean => time !== null && time >= days.start && time < days.end
  return {
    text: [`from ${toPrintable(start)} to ${toPrintable(end)}`, ...words].join(', '),
    findMismatch(call) {
      if (![call.decision.time, parseExactTime(call.decision.at)].some(isOfDays)) return 'days'
      return members.find(([name, value]) => TESTS[name]?.(value, call) !== true)?.[0] ?? null
    },
  }
}

const startOf = (day: unknown): number => parseExactTime(`${String(day)}T00:00:00.000Z`) ?? NaN
