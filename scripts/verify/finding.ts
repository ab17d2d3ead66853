// What was found about one thing: a record, the request it is about, a proof, a head.
import type { KeySource } from '../../src/attestation/verify-record.ts'

export type Finding = {
  kind: 'record' | 'request' | 'inclusion' | 'consistency' | 'head'
  valid: boolean
  /** What it is about, fit for a terminal. */
  subject: string
  /** Why it is not valid: a word for programs and a sentence for people. */
  code: string | null
  reason: string | null
  /** For what is signed: whether the key is one the caller trusts. */
  key_source?: KeySource
}

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
