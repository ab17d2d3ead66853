// The type of a row of the policy's rules, and the formats of use cases and key ids. Pure.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { RuleFacts } from '../facts.ts'
import type { LoopSettings } from '../loops.policy.ts'

/** The settings that hold without a rule: those that a rule of loops replaces, and the budget. */
export type RuledSettings = LoopSettings & { monthlyBudgetMicroeur: number | null }

export type NamedModel = { path: string; model: string }

/** `problem`: the first sentence without its full stop, because the rule follows it. */
type RefusalText = { problem: string; remedy: string }

// Methods, so that any row is one of `Rule<z.ZodType>`, for code that treats all rows alike.
export type Rule<Schema extends z.ZodType, Value = z.output<Schema>> = {
  schema: () => Schema
  /** Describes a member whose schema has no description of its own. */
  meta?: { description: string; example: unknown }
  /** Returns null if the request passes, else a word of a closed list, sometimes with its subject. Never text of the request. */
  refuse?(rule: Value, facts: RuleFacts): string | null
  /** The error of a refusal, with the parameter at fault. `byReason`: its text by the word that begins the reason. */
  refusal?: RefusalText & { param?: string; byReason?: Readonly<Record<string, RefusalText>> }
  /** Returns what is looser, such as `day_eur went from 50 to 80`. Absent: the rule neither refuses nor oversees calls. */
  findLooser?(before: Value, after: Value, settings: RuledSettings): string[]
  /** The value that holds while the rule is not set; undefined if none does. Refusals do not depend on settings. */
  unset?(settings?: RuledSettings): Value | undefined
  /** Returns what is looser because the rule is set. Such a rule may be removed. */
  findLooserIfSet?(after: Value): string[]
  /** For a rule that needs a scan: true if it may refuse what a scan under the earlier rule did not look for. */
  mayRefuseUnseen?(rule: Value, scannedBy: Value | undefined): boolean
  listModels?(rule: Value): NamedModel[]
}

export const defineRule = <Schema extends z.ZodType>(row: Rule<Schema>): Rule<Schema> => row

const MOST_NAMES = 100

/** The format of `x-aqta-use-case`. */
export const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const USE_CASE_RULE = 'up to 64 of a-z, 0-9, dot, hyphen and underscore'

export const useCaseName = once(() => z.string().regex(USE_CASE, USE_CASE_RULE))

export const recordByUseCase = <T extends z.ZodType>(value: T) => boundedRecord(useCaseName(), value)

export const keyId = once(() => z.string().regex(/^key_[0-9a-f-]{36}$/, 'the id of a key, key_…'))

export const recordByKeyId = <T extends z.ZodType>(value: T) => boundedRecord(keyId(), value)

/** Returns the lowest of the limits; Infinity if there is none. */
export const least = (...limits: ReadonlyArray<number | undefined>): number =>
  Math.min(...limits.map((limit) => limit ?? Infinity))

const boundedRecord = <T extends z.ZodType>(name: z.ZodString, value: T) =>
  z.record(name, value).refine((record) => Object.keys(record).length <= MOST_NAMES, `at most ${MOST_NAMES} members`)
