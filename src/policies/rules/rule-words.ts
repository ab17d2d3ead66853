// The type of the words that pages have for a rule, and functions that make them. Pages load these: no zod, no code of the service.
import type { DataRegion } from '../../platform/data-region.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { PolicyDocument } from '../document/policy-document.ts'
import type { MemberId } from './index.ts'
import type { SettingName } from '../settings-table.ts'

/** The formats of the pages, which they hand to the words. `time`: of seconds. */
export type Say = {
  number: (value: number) => string
  euro: (eur: number) => string
  time: (seconds: number) => string
  plural: (count: number, one: string) => string
  listed: (words: readonly string[]) => string
  /** The name of a shape or of a wording that a scan finds. */
  found: (id: string) => string
  /** Whose a limit of a key is: `per key`, or `for this key` on the page of one. */
  each: string
}

type Choices<Choice = string | number> = readonly (readonly [choice: Choice, words: string])[]

/** The label, hint and unit of a field of the form. Types, bounds and choices come from the policy's schema. */
export type MemberWords<Name extends string = string> = {
  /** The name of the rule's member, or undefined if the rule itself is a list. */
  name?: Name
  label: string
  hint?: string
  /** The names that a list has, or that an object has lists of models for. */
  names?: 'models' | 'use cases' | 'labels' | 'models by use case' | 'models by key'
  /** The unit of a number: `time` and `size` are chosen, any other is a word. */
  unit?: string
  /** Labels of the choices. Undefined shows the choices themselves. */
  words?: Choices
  /** The noun for one of the names that have an action of their own, and the labels of the actions. */
  noun?: string
  actions?: Choices<string>
  /** The setting that holds while the member is missing. */
  setting?: Extract<SettingName, `loop_${string}`>
  /** The choices in force if the member is missing, or undefined for all of them. */
  absent?: readonly string[]
  /** True if an empty list means something else than no list. */
  isKeptEmpty?: boolean
  /** The fields of a member that is an object of its own, which a box switches on and off. */
  group?: MemberGroup
}

type MemberGroup = {
  box: string
  /** Says what the service does while the member is missing. */
  off: string
  /** The value that the member has when it is switched on. */
  start: unknown
  members: readonly MemberWords[]
  summary: (value: JsonObject, say: Say) => string
}

/** A key, as the words of rules need it. `region`: in which its calls stay. `models`: with a route there. */
export type KeyRuling = {
  id: string
  region: DataRegion
  models: readonly string[]
  settings: { loop_repeats: number; loop_window_seconds: number; monthly_budget_eur: number | null }
}

// A method, so that the words of each rule are those of any, for code that treats all alike.
export type RuleWords<Value = unknown, Name extends string = string> = {
  name: string
  about: string
  /** Warns people not to expect too much of the rule. */
  limit?: string
  /** Says what the service does while the rule is not set, where that is more than nothing. */
  off?: string
  /** The value that a rule has when it is switched on. */
  start: unknown
  members: readonly MemberWords<Name>[]
  /** True for names that calls are counted by: nothing is enforced. */
  isLabel?: boolean
  /** The words for the reasons of its refusals, where those of the reason itself do not say enough. */
  reasons?: Readonly<Record<string, string>>
  /** Says what the rule does as it is written, which may be invalid. Undefined for a rule that is a list of use cases. */
  summary?: (rule: JsonObject, say: Say) => string
  /** Returns what holds of the rule for a key, for its summary; undefined for nothing. Absent: all of it holds for every key. */
  forKey?(rule: Value | undefined, key: KeyRuling): Value | undefined
}

type SetRule<Id extends MemberId> = NonNullable<PolicyDocument[Id]>
export type WordsOf<Id extends MemberId> = RuleWords<SetRule<Id>, keyof SetRule<Id> & string>

const MOST_NAMED = 3

/** Lists at most three names, and says how many more there are. */
export const namesWords = (names: readonly string[]): string =>
  names.length > MOST_NAMED
    ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`
    : names.join(', ')

export const joined = (...parts: readonly (string | null | false)[]): string =>
  parts.filter((part) => typeof part === 'string').join('; ')

export function lowest(...limits: readonly (number | null | undefined)[]): number | undefined {
  const set = limits.filter((limit) => typeof limit === 'number')
  return set.length === 0 ? undefined : Math.min(...set)
}

export const countOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0

/** Returns the texts in a list. Other items can be changed only in the JSON. */
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

export const useCaseWords = (value: unknown): string => (countOf(value) === 0 ? 'None' : textsIn(value).join(', '))

export const numberWords = (rule: JsonObject, name: string, words: (value: number) => string): string | null => {
  const value = rule[name]
  return typeof value === 'number' ? words(value) : null
}

export const ACTIONS = [
  ['report', 'Count'],
  ['redact', 'Replace'],
  ['block', 'Block'],
  ['ignore', 'Ignore'],
] as const

export const DONE: ReadonlyMap<unknown, string> = new Map([
  ['block', 'Blocked'],
  ['redact', 'Replaced'],
  ['report', 'Counted'],
  ['ignore', 'Ignored'],
])

/** Says what a guard does where it finds something, and with its exceptions. @param done says what each action did */
export function actionWords(action: unknown, exceptions: unknown, { found }: Say, done = DONE): string {
  const own = isJsonObject(exceptions) ? Object.entries(exceptions) : []
  return joined(
    `${done.get(action) ?? String(action)} where found`,
    ...[...done].map(([one, word]) => {
      const names = own.flatMap(([id, its]) => (its === one && its !== action ? [found(id)] : []))
      return names.length > 0 && `${word.toLowerCase()}: ${namesWords(names)}`
    }),
  )
}
