// The interface of the policy's rules: facts in, a refusal by name out. Also the formats of use cases and key ids. Pure.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { ContentFacts } from './content-type-guard.policy.ts'
import type { RegionFacts } from './data-region.policy.ts'
import type { PolicyId } from './policy-ids.ts'

/** The facts that a rule gets about a request. SECURITY: never its text. */
export type RuleFacts = RegionFacts & {
  keyId: string
  model: string
  /** The declared use case; null if none was declared. */
  useCase: string | null
  content: ContentFacts
  findings: Findings
}

/** The scan's findings: how often each shape was found, and which injection rules matched. SECURITY: never the text. */
export type Findings = {
  readonly pii_scan?: Readonly<Record<string, number>>
  /** How many of each shape are in places where redaction is impossible. */
  readonly pii_fixed?: Readonly<Record<string, number>>
  readonly prompt_injection_guard?: readonly string[]
}

/** `reason`: a word of a closed list, sometimes with its subject, such as `found: eircode`. Never text of the request. */
export type PolicyRefusal = { policy: PolicyId; reason: string }

const MOST_NAMES = 100

/** The format of `x-aqta-use-case`. */
export const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const USE_CASE_RULE = 'up to 64 of a-z, 0-9, dot, hyphen and underscore'

export const useCaseName = once(() => z.string().regex(USE_CASE, USE_CASE_RULE))

export const recordByUseCase = <T extends z.ZodType>(value: T) => boundedRecord(useCaseName(), value)

export const keyId = once(() => z.string().regex(/^key_[0-9a-f-]{36}$/, 'the id of a key, key_…'))

export const recordByKeyId = <T extends z.ZodType>(value: T) => boundedRecord(keyId(), value)

/** Returns the record's own member of this name, or undefined. Inherited members, such as `constructor`, do not count. */
export const ownMember = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

const boundedRecord = <T extends z.ZodType>(name: z.ZodString, value: T) =>
  z.record(name, value).refine((record) => Object.keys(record).length <= MOST_NAMES, `at most ${MOST_NAMES} members`)
