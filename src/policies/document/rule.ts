// The interface of a policy's rules, facts in and a refusal by name out, and the names of use cases and keys. Pure.
import { z } from '@hono/zod-openapi'
import type { ContentFacts } from './content-type-guard.policy.ts'

export const POLICY_IDS = [
  'model_allowlist',
  'content_type_guard',
  'use_case_guard',
  'pii_scan',
  'prompt_injection_guard',
  'loop_guard',
  'budget_guard',
  'rate_limit',
  'human_approval',
] as const

/** As records name the rules that were applied. */
export type PolicyId = (typeof POLICY_IDS)[number]

/** The facts that a rule gets about a request. Never its text. */
export type RuleFacts = {
  keyId: string
  model: string
  /** As declared; null where it is not. */
  useCase: string | null
  content: ContentFacts
  findings: Findings
}

/** The findings in the text, by rule: how often each shape, and which patterns. Never the text. */
export type Findings = {
  readonly pii_scan?: Readonly<Record<string, number>>
  /** How many of each stand where nothing can be taken out. */
  readonly pii_fixed?: Readonly<Record<string, number>>
  readonly prompt_injection_guard?: readonly string[]
}

/** `reason`: a word of a closed list, and what it is about where that is not text of the request. */
export type PolicyRefusal = { policy: PolicyId; reason: string }

const MOST_NAMES = 100

/** As `x-aqta-use-case` declares it. */
export const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const USE_CASE_RULE = 'up to 64 of a-z, 0-9, dot, hyphen and underscore'

export const useCaseName = z.string().regex(USE_CASE, USE_CASE_RULE)

export const useCases = <T extends z.ZodType>(value: T) => boundedRecord(useCaseName, value)

export const keyId = z.string().regex(/^key_[0-9a-f-]{36}$/, 'the id of a key, key_…')

export const keyIds = <T extends z.ZodType>(value: T) => boundedRecord(keyId, value)

/** Undefined where the record has none: every object has a member named `constructor`, which is not ours. */
export const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

const boundedRecord = <T extends z.ZodType>(name: z.ZodString, value: T) =>
  z.record(name, value).refine((record) => Object.keys(record).length <= MOST_NAMES, `at most ${MOST_NAMES} members`)
