// A finding: the verdict on one thing, such as a record, a request, a proof, a head, or a part of a bundle.
import type { KeySource } from '../records/verify-record.ts'
import type { EvidencePart } from '../bundles/evidence-bundle.ts'
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
    | 'receipt'
    | 'export'
    | 'subject'
    | 'approval'
    | 'audit entry'
    | 'anchor'
    | EvidencePart
  valid: boolean
  /** The subject of the verdict, safe to print in a terminal. */
  subject: string
  /** Why the subject is invalid, or a note about a valid one. `code` is for programs, `reason` for people. */
  code: string | null
  reason: string | null
  /** For signed documents: whether the caller trusts the key. */
  key_source?: KeySource
}

/** The code for a document without a fault that no trusted key signed. */
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

const MOST_SHOWN = 80

/** SECURITY: a document's text could move a terminal's cursor. So only a few printable characters are shown. */
export function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '?')
  const shown = text.replaceAll(/[^\x20-\x7e]/g, '?')
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown
}

/**
 * True if the mark of invented data fits the organisation's id.
 *
 * @param organisationId the signed value, if any
 */
export const isMarkedAs = ({ demo }: JsonObject, organisationId: unknown): boolean =>
  demo === (typeof organisationId === 'string' && isDemoOrganisation(organisationId) ? true : undefined)

/** The note for invented data; empty for any other organisation. */
export const demoNote = (organisationId: unknown): string =>
  typeof organisationId === 'string' && isDemoOrganisation(organisationId) ? '  of invented data' : ''
