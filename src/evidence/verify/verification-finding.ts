// A finding of the verifier: the verdict on one thing, such as a record, a proof or a head. Also makes findings, and checks a
// document's mark of invented data.
import { printed } from './printable.ts'
import type { KeySource } from '../records/verify-record.ts'
import { isDemoOrganisation } from '../../platform/ids.ts'
import type { JsonObject } from '../../platform/json.ts'

export type Finding = {
  kind:
    | 'document'
    | 'checkpoint'
    | 'older checkpoint'
    | 'witnesses'
    | 'timestamp'
    | 'age'
    | 'record'
    | 'request'
    | 'inclusion'
    | 'consistency'
    | 'head'
    | 'history'
    | 'erasure'
    | 'acceptance'
    | 'reading'
    | 'letter'
    | 'outcome'
    | 'receipt'
    | 'export'
    | 'selection'
    | 'subject'
    | 'approval'
    | 'audit entry'
    | 'anchor'
    | 'bundle'
    | 'organisation_log'
    | 'public_log'
    | 'settlement'
    | 'facts'
    | 'coverage'
    | 'answer'
    | 'answer_scan'
    | 'keys'
    | 'report'
    | 'usage'
    | 'control'
  valid: boolean
  /** The subject of the verdict, safe to print in a terminal. */
  subject: string
  /** Why the subject is invalid, or a note about a valid one. `code` is for programs, `reason` for people. */
  code: string | null
  reason: string | null
  /** For signed documents: whether the caller trusts the key. */
  key_source?: KeySource
}

/** The code for a document that has no fault, but no signature by a trusted key either. */
export const NOT_PROVEN = 'not_proven'

export const passed = (kind: Finding['kind'], subject: string, more: Partial<Finding> = {}): Finding => ({
  kind,
  valid: true,
  subject,
  code: null,
  reason: null,
  ...more,
})

export const failed = (kind: Finding['kind'], subject: string, code: string, reason: string): Finding => ({
  kind,
  valid: false,
  subject,
  code,
  reason,
})

export type Fault = { readonly code: string; readonly reason: string }

export const unproven = (reason: string): Fault => ({ code: NOT_PROVEN, reason })

/** Returns the finding on a subject: failed with this fault, or passed if it is null. */
export const judged = (kind: Finding['kind'], subject: string, fault: Fault | null, key_source?: KeySource): Finding =>
  fault === null ? passed(kind, subject, key_source && { key_source }) : failed(kind, subject, fault.code, fault.reason)

/** Returns the finding on a record of a trusted key. @param names its id, and what else is shown of a valid one */
export const judgedRecord = (
  kind: Finding['kind'],
  record: JsonObject,
  [id, ...names]: readonly [string, ...string[]],
  fault: Fault | null,
  note = '',
): Finding =>
  judged(kind, fault === null ? printed(record, [id, ...names]) + note : printed(record, [id]), fault, 'pinned')

export function faultOf<Code extends string>(reasons: Readonly<Record<Code, string>>, code: Code): Fault
export function faultOf<Code extends string>(reasons: Readonly<Record<Code, string>>, code: Code | null): Fault | null
export function faultOf<Code extends string>(reasons: Readonly<Record<Code, string>>, code: Code | null): Fault | null {
  return code && { code, reason: reasons[code] }
}

const isDemo = (organisationId: unknown): boolean =>
  typeof organisationId === 'string' && isDemoOrganisation(organisationId)

/**
 * Returns true if the mark of invented data fits the organisation's id.
 *
 * @param organisationId the signed value, if any
 */
export const hasFittingDemoMark = ({ demo }: JsonObject, organisationId: unknown): boolean =>
  demo === (isDemo(organisationId) ? true : undefined)

/** Returns the note for invented data; empty for any other organisation. */
export const demoNote = (organisationId: unknown): string => (isDemo(organisationId) ? '  of invented data' : '')
