// What was found about one thing: a record, the request it is about, a proof, a head, a part of a bundle.
import type { KeySource } from '../records/verify-record.ts'
import type { EvidencePart } from '../bundles/evidence-bundle.ts'
import { isDemoOrganisation } from '../../platform/ids.ts'
import type { JsonObject } from '../../platform/json-object.ts'

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
  /** What it is about, fit for a terminal. */
  subject: string
  /** Why it is not valid, or what is to be known although it is: a word for programs and a sentence for people. */
  code: string | null
  reason: string | null
  /** For what is signed: whether the key is one the caller trusts. */
  key_source?: KeySource
}

/** The code of what nothing is wrong with, and which no trusted key has signed. */
export const NOT_PROVEN = 'not_proven'

export const found = (kind: Finding['kind'], subject: string, more: Partial<Finding> = {}): Finding => ({
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

/** SECURITY: a document's own words could move a terminal's cursor; only plain characters are shown, and not many. */
export function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '?')
  const shown = text.replaceAll(/[^\x20-\x7e]/g, '?')
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown
}

/** @param organisationId as it is signed, if it is an id at all */
export const isMarkedAs = ({ demo }: JsonObject, organisationId: unknown): boolean =>
  demo === (typeof organisationId === 'string' && isDemoOrganisation(organisationId) ? true : undefined)

/** What a reader is told beside what was found; nothing of any other organisation. */
export const demoNote = (organisationId: unknown): string =>
  typeof organisationId === 'string' && isDemoOrganisation(organisationId) ? '  of invented data' : ''
