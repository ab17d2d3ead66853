// Says in plain words what a rule does, and what a change of the policy changes.
import type { PolicyChange } from '../../../policies/document/policy-changes.ts'
import { caseWords } from '../../../policies/rules/human-approval.words.ts'
import { isJsonObject } from '../../../platform/json.ts'
import { joined, textsIn, type MemberWords, type RuleWords } from '../../../policies/rules/rule-words.ts'
import { findWords } from '../../../policies/rules/words.ts'
import { formatExactEuro, formatNumber } from '../../text/format.ts'
import { listed, withSpaces, capitalised } from '../../text/reword-text.ts'
import { SAY, summaryOf } from '../../text/rule-summaries.ts'
import { formatUnits, SIZE_UNITS } from '../../text/units.ts'
import { namesInPath } from './policy-draft.ts'
import MODEL_NAMES from 'virtual:model-names'
import SHAPE_WORDS from 'virtual:shape-words'
import { shapeName } from '../../text/shape-names.ts'

export function valueWords({ unit, words, actions, group }: Partial<MemberWords>, value: unknown): string {
  if (typeof value === 'number') {
    if (unit === 'time') return SAY.time(value)
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
    return value.map((one: unknown) => (isJsonObject(one) ? caseWords(one, SAY) : String(one))).join(', ')
  }
  if (group !== undefined && isJsonObject(value)) return group.summary(value, SAY)
  if (actions !== undefined && isJsonObject(value)) {
    return Object.entries(value)
      .map(([name, action]) => `${lineName(name)}: ${valueWords({ actions }, action)}`)
      .join(', ')
  }
  return spacedJson(value)
}

const joinWords = (...words: readonly (string | undefined)[]): string =>
  words.filter((word) => word !== undefined).join(' ')

/** Returns the models of a list in the order of the catalogue, which the pages of keys have too. */
export function modelsIn(value: unknown): readonly string[] {
  const names = textsIn(value)
  return [...MODEL_NAMES.filter((name) => names.includes(name)), ...names.filter((name) => !MODEL_NAMES.includes(name))]
}

/** Says what a rule does as it is written, with its models in one order. */
export const orderedSummary = (rule: RuleWords, value: unknown): string =>
  summaryOf(
    rule,
    isJsonObject(value) && isTexts(value['models']) ? { ...value, models: modelsIn(value['models']) } : value,
  )

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

export const wordsOfChanges = (changes: readonly PolicyChange[]) =>
  [...Map.groupBy(changes, ({ path }) => namesInPath(path)[0] ?? '')].map(([id, own]) => ({
    title: findWords(id)?.name ?? id,
    sentences: own.map((change) => sentenceOf(change, id)),
  }))

function sentenceOf({ path, change, before, after }: PolicyChange, id: string): string {
  const [, name, ...inner] = namesInPath(path)
  const rule = findWords(id)
  if (name === undefined) return ruleSentence(rule, change, before, after)
  const { labels, title } = titledMember(rule?.members, name, inner)
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

/** Returns the words of the innermost member on the way that has some, and a title of the whole way. */
function titledMember(
  members: readonly MemberWords[] | undefined,
  name: string,
  inner: readonly string[],
): { labels: MemberWords | undefined; title: string } {
  const labels = members?.find((member) => member.name === name)
  const [next, ...rest] = inner
  if (labels?.group !== undefined && next !== undefined) return titledMember(labels.group.members, next, rest)
  const names = inner.map(labels?.actions ? lineName : withSpaces)
  return { labels, title: [labels?.label ?? withSpaces(name), ...names].join(', ') }
}

function ruleSentence(
  rule: RuleWords | undefined,
  change: PolicyChange['change'],
  before: unknown,
  after: unknown,
): string {
  if (rule === undefined) return change === 'removed' ? 'Removed' : `Set to ${spacedJson(after)}`
  const verb = rule.isLabel === true ? 'set' : 'enforced'
  if (change === 'removed') return joinWords(`Not ${verb} any more`, rule.off && `(${rule.off})`)
  if (change === 'added') return `Now ${verb}: ${orderedSummary(rule, after)}`
  return isTexts(before) && isTexts(after) ? listWords(before, after) : `Set to ${spacedJson(after)}`
}

/** Returns the ids of the rules that differ between two documents. */
export const changedRules = (changes: readonly PolicyChange[]): ReadonlySet<string> =>
  new Set(changes.map(({ path }) => namesInPath(path)[0] ?? ''))

/** Returns the name of a shape or of a wording at the beginning of a line, such as “Date of birth”. */
export const lineName = (id: string): string => capitalised(shapeName(id))

/** Returns the ids group by group. Ids without a group come last, under ''. */
export function groupedShapes(ids: readonly string[]): readonly (readonly [group: string, ids: readonly string[]])[] {
  const known = SHAPE_WORDS.filter(({ id }) => ids.includes(id))
  const others = ids.filter((id) => !known.some((shape) => shape.id === id)).map((id) => ({ id, group: '' }))
  const groups = Map.groupBy([...known, ...others], ({ group }) => group)
  return [...groups].map(([group, shapes]) => [group, shapes.map(({ id }) => id)])
}
