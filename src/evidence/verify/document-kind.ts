// Decides the kind of a document to verify: the kind that the caller names, or the one whose own members the document has.
//
// SECURITY: the kind decides which key counts and what a verdict means, and the document's maker chose its members. So a document
// with members of two kinds is refused.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { ACCEPT_PROFILE } from '../records/accept-record.ts'
import { readJsonObject } from '../records/read-json-object.ts'
import { OUTCOME_PROFILE, READING_PROFILE } from '../records/reading-words.ts'

/** The kinds, in the order of --help. */
export const DOCUMENT_KINDS = [
  'record',
  'answer',
  'entry',
  'inclusion',
  'consistency',
  'head',
  'bundle',
  'history',
  'erasure',
] as const

export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

export const isDocumentKind = (word: string): word is DocumentKind =>
  (DOCUMENT_KINDS as readonly string[]).includes(word)

/** Formats outside ATTESTATION-v1. The caller must name the profile; a document cannot. */
export const PROFILES = [ACCEPT_PROFILE, READING_PROFILE, OUTCOME_PROFILE] as const
export type Profile = (typeof PROFILES)[number]

/** Members that only one kind has. A head has none: it shares its members with proofs, erasures and records. */
export const OWN_MEMBERS: Readonly<Record<Exclude<DocumentKind, 'head'>, readonly string[]>> = {
  record: ['trace_id', 'request_hash', 'outcome', 'policy_applied', 'cost_prevented_eur'],
  answer: ['aqta', 'choices', 'error'],
  entry: ['attestation'],
  inclusion: ['audit_path', 'leaf_hash', 'leaf_index'],
  consistency: ['consistency_path', 'old_size', 'new_size', 'old_root', 'new_root'],
  bundle: ['format', 'record', 'settlement', 'organisation_log', 'public_log'],
  history: ['heads', 'inclusions'],
  erasure: ['erasure_id', 'removed', 'remaining', 'recovery_copies_until'],
}

export type DetectedKind = { kind: DocumentKind } | { mixed: readonly DocumentKind[] }

/** Detects the kind. A document without members of any kind counts as a record, which later fails. */
export function detectKind(document: JsonObject, named: DocumentKind | null): DetectedKind {
  const marked = DOCUMENT_KINDS.filter((kind) => isMarked(document, kind))
  const kinds = named === null ? marked : [named, ...marked.filter((kind) => kind !== named)]
  const [kind = 'record', ...others] = kinds
  return others.length === 0 ? { kind } : { mixed: kinds }
}

function isMarked(document: JsonObject, kind: DocumentKind): boolean {
  const hasAny = (names: readonly string[]): boolean => names.some((name) => Object.hasOwn(document, name))
  if (kind !== 'head') return hasAny(OWN_MEMBERS[kind])
  if (isMarked(document, 'erasure')) return false
  return hasAny(['tree_size', 'root_hash']) && (hasAny(['signature']) || !isMarked(document, 'inclusion'))
}

/** Returns the profile that a document, or the signed reading in it, says it is of. SECURITY: only the caller may name it. */
export function profileOf(document: JsonObject): Profile | null {
  const { v } = readingIn(document)?.signed ?? document
  return PROFILES.find((one) => one === v) ?? null
}

type ReadingRecord = { record: JsonObject; signed: JsonObject; salt: string | null; entry: string | null }

/** Returns a reading's record, which may be in an answer, and what it has for a check; null for any other document. */
export function readingIn(document: JsonObject): ReadingRecord | null {
  const record = isJsonObject(document['record']) ? document['record'] : document
  const { signed, question, ledger } = record
  return isJsonObject(signed)
    ? { record, signed, salt: textIn(question, 'salt'), entry: textIn(ledger, 'entry') }
    : null
}

/** Returns a text member; null without one. */
export function textIn(object: unknown, name: string): string | null {
  const text = isJsonObject(object) ? object[name] : null
  return typeof text === 'string' ? text : null
}

const EXPORT_NAMES = ['audit_export', 'medical_export', 'selection_export'] as const

/** The first part of `object` in the head and in the last line of an export. */
export type ExportName = (typeof EXPORT_NAMES)[number]

/** Returns the name of an export with this first line; null if it is no export. */
export function exportNameOf(line: Uint8Array): ExportName | null {
  const read = readJsonObject(line)
  return EXPORT_NAMES.find((name) => read.readable && read.object['object'] === `${name}.head`) ?? null
}
