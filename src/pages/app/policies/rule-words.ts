// Says in plain words what a rule does, and what a change of the policy changes.
import { nameOfRegion } from '../../../platform/data-region.ts'
import type { PolicyChange } from '../../../policies/document/policy-changes.ts'
import { formatUnits, SIZE_UNITS, TIME_UNITS } from '../../text/units.ts'
import { formatExactEuro, formatNumber, plural } from '../../text/format.ts'
import { listed, withSpaces } from '../../text/reword-text.ts'
import { isObject, namesInPath, textsIn, type DraftDocument } from './policy-draft.ts'
import { lineName } from './shape-groups.ts'
import { RULE_LABELS, titleOfRule, type MemberLabels, type RuleLabels } from './rule-labels.ts'

type Rule = DraftDocument

/** Returns the parts that are there, as one sentence part. */
const joined = (...parts: readonly (string | null | false)[]): string =>
  parts.filter((part) => typeof part === 'string').join('; ')

const countOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0

const numberWords = (rule: Rule, name: string, words: (value: number) => string): string | null => {
  const value = rule[name]
  return typeof value === 'number' ? words(value) : null
}

const PII_WORDS: Readonly<Record<string, string>> = {
  report: 'Counted and reported',
  redact: 'Replaced before anything is sent',
  block: 'Blocked',
  ignore: 'Ignored',
}

const actionWords = (action: unknown, own: unknown): string =>
  joined(PII_WORDS[String(action)] ?? String(action), countOf(own) > 0 && plural(countOf(own), 'exception'))

const loopWords = (rule: Rule, [count, noun]: [string, string], window: string): string | null => {
  const within = rule[window]
  return numberWords(
    rule,
    count,
    (value) => `${noun} ${formatNumber(value)} times${typeof within === 'number' ? ` in ${timeWords(within)}` : ''}`,
  )
}

const timeWords = (seconds: number): string => formatUnits(seconds, TIME_UNITS)

const budgetWords = (rule: Rule, name: string, words: string): string | null =>
  numberWords(rule, name, (value) => `${formatExactEuro(value)} ${words}`)

const useCaseWords = (value: unknown): string => (countOf(value) === 0 ? 'None' : textsIn(value).join(', '))

/** Says what a case of an approval matches. */
function caseWords(one: unknown): string {
  if (!isObject(one)) return 'a case that the form cannot show'
  const { use_cases: useCases, models, keys, content_kinds: kinds, min_cost_eur: cost, ...others } = one
  const parts = [
    useCases !== undefined && textsIn(useCases).join(' or '),
    models !== undefined && textsIn(models).join(' or '),
    keys !== undefined && plural(countOf(keys), 'key'),
    kinds !== undefined && `with ${textsIn(kinds).join(' or ')}`,
    typeof cost === 'number' && `from ${formatExactEuro(cost)}`,
    countOf(others) > 0 && Object.keys(others).join(', '),
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? 'every call' : parts.join(', ')
}

type Summary = (rule: Rule) => string

const SUMMARIES: Readonly<Record<string, Summary>> = {
  model_allowlist: ({ models, by_use_case: useCases, by_key: keys }) =>
    joined(
      models === undefined
        ? 'Every model'
        : countOf(models) === 0
          ? 'No model: every call is blocked'
          : `${plural(countOf(models), 'model')}; everything else is blocked`,
      countOf(useCases) > 0 && `fewer for ${plural(countOf(useCases), 'use case')}`,
      countOf(keys) > 0 && `fewer for ${plural(countOf(keys), 'key')}`,
    ),
  data_region: ({ within }) => (within === 'any' ? 'Anywhere' : `Only within ${nameOfRegion(String(within))}`),
  content_type_guard: ({ allow, ...limits }) =>
    joined(
      allow === undefined ? 'All types' : `Only ${listed(textsIn(allow))}`,
      countOf(limits) > 0 && plural(countOf(limits), 'limit'),
    ),
  use_case_guard: ({ required, allow }) =>
    joined(
      required === true ? 'Every request declares one' : 'Need not be declared',
      allow !== undefined && `${plural(countOf(allow), 'use case')} allowed`,
    ),
  pii_scan: ({ default: action, shapes }) => actionWords(action, shapes),
  prompt_injection_guard: ({ action, rules }) => actionWords(action, rules),
  loop_guard: (rule) =>
    joined(
      loopWords(rule, ['repeats', 'Same request'], 'window_seconds'),
      loopWords(rule, ['cycle_rounds', 'Requests in turn'], 'cycle_window_seconds'),
    ) || 'As the settings say',
  budget_guard: (rule) =>
    joined(
      budgetWords(rule, 'month_eur', 'a month'),
      budgetWords(rule, 'day_eur', 'a day'),
      budgetWords(rule, 'key_month_eur', 'a month for each key'),
      budgetWords(rule, 'key_day_eur', 'a day for each key'),
      countOf(rule['keys']) > 0 && `own budgets for ${plural(countOf(rule['keys']), 'key')}`,
    ) || 'No amount is set',
  rate_limit: (rule) =>
    joined(
      numberWords(rule, 'requests_per_minute', (value) => `${plural(value, 'request')} a minute`),
      numberWords(rule, 'key_requests_per_minute', (value) => `${formatNumber(value)} a minute for each key`),
      numberWords(rule, 'key_requests_per_day', (value) => `${formatNumber(value)} a day for each key`),
      countOf(rule['keys']) > 0 && `own limits for ${plural(countOf(rule['keys']), 'key')}`,
    ) || 'No limit is set',
  human_approval: ({ when, approvals_required: people, expires_seconds: expires }) =>
    joined(
      `Holds ${Array.isArray(when) ? when.map(caseWords).join('; ') : 'no call'}`,
      people === 2 && '2 people approve',
      typeof expires === 'number' && `expires after ${timeWords(expires)}`,
    ),
  cache: (rule) =>
    numberWords(rule, 'ttl_seconds', (value) => `Given again for ${timeWords(value)}`) ?? 'No time is set',
  bias: ({ cohorts }) => useCaseWords(cohorts),
}

/** Says what a rule does as it is written. */
export function summaryOf({ id, off }: RuleLabels, value: unknown): string {
  if (value === undefined) return off === undefined ? 'Not set' : `Not set: ${off}`
  if (Array.isArray(value)) return useCaseWords(value)
  return isObject(value) ? (SUMMARIES[id]?.(value) ?? '') : 'Not what this form can show: see the JSON'
}

/** A value as a person reads it. */
export function valueWords({ unit, words, actions }: Partial<MemberLabels>, value: unknown): string {
  if (typeof value === 'number') {
    if (unit === 'time') return timeWords(value)
    if (unit === 'size') return formatUnits(value, SIZE_UNITS)
    if (unit === 'euro') return formatExactEuro(value)
  }
  const choice = (words ?? actions)?.find(([one]) => one === value)?.[1]
  if (choice !== undefined) return choice
  if (typeof value === 'number') return joinWords(formatNumber(value), unit)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none'
    return value.map((one: unknown) => (isObject(one) ? caseWords(one) : String(one))).join(', ')
  }
  if (actions !== undefined && isObject(value)) {
    return Object.entries(value)
      .map(([name, action]) => `${lineName(name)}: ${valueWords({ actions }, action)}`)
      .join(', ')
  }
  return spacedJson(value)
}

const joinWords = (...words: readonly (string | undefined)[]): string =>
  words.filter((word) => word !== undefined).join(' ')

/** A value in JSON with spaces, where a long one can wrap. */
export const spacedJson = (value: unknown): string => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')

const sentence = (names: readonly string[], what: string): string | null =>
  names.length === 0 ? null : `${listed(names)} ${names.length === 1 ? 'is' : 'are'} ${what}`

/** Says which names came and went. */
function listWords(before: unknown, after: unknown): string {
  const [old, now] = [textsIn(before), textsIn(after)]
  return (
    joined(
      sentence(
        old.filter((name) => !now.includes(name)),
        'removed',
      ),
      sentence(
        now.filter((name) => !old.includes(name)),
        'added',
      ),
    ) || 'another order'
  )
}

/** What changes in one rule, as sentences. */
export type RuleChange = { title: string; sentences: readonly string[] }

/** Says in words what the changes change, rule by rule. */
export const wordsOfChanges = (changes: readonly PolicyChange[]): RuleChange[] =>
  [...Map.groupBy(changes, ({ path }) => namesInPath(path)[0] ?? '')].map(([id, own]) => ({
    title: titleOfRule(id),
    sentences: own.map((change) => sentenceOf(change, id)),
  }))

function sentenceOf({ path, change, before, after }: PolicyChange, id: string): string {
  const [, name, ...inner] = namesInPath(path)
  const rule = RULE_LABELS.find((one) => one.id === id)
  if (name === undefined) return ruleSentence(rule, change, before, after)
  const labels = rule?.members.find((member) => member.name === name)
  const title = [labels?.label ?? withSpaces(name), ...inner.map(labels?.actions ? lineName : withSpaces)].join(', ')
  if (isTexts(before ?? []) && isTexts(after ?? [])) {
    const isNew = change === 'added' && 'a list now. '
    const isGone = change === 'removed' && 'no list any more. '
    return `${title}: ${isNew || isGone || ''}${listWords(before, after)}`
  }
  const words = (value: unknown): string => valueWords(labels ?? {}, value)
  if (change === 'added') return `${title}: ${words(after)}, not set before`
  if (change === 'removed') return `${title}: not set any more, ${words(before)} before`
  return `${title}: ${words(after)}, ${words(before)} before`
}

function ruleSentence(
  rule: RuleLabels | undefined,
  change: PolicyChange['change'],
  before: unknown,
  after: unknown,
): string {
  if (rule === undefined) return change === 'removed' ? 'Removed' : `Set to ${spacedJson(after)}`
  const verb = rule.isLabel === true ? 'set' : 'enforced'
  if (change === 'removed') return joinWords(`Not ${verb} any more`, rule.off && `(${rule.off})`)
  if (change === 'added') return `Now ${verb}: ${summaryOf(rule, after)}`
  return isTexts(before) && isTexts(after) ? listWords(before, after) : `Set to ${spacedJson(after)}`
}

/** Returns the ids of the rules that differ between two documents. */
export const changedRules = (changes: readonly PolicyChange[]): ReadonlySet<string> =>
  new Set(changes.map(({ path }) => namesInPath(path)[0] ?? ''))
