// Detects the kind of a document from its first bytes and its members, and describes it. The kind decides how the verifier page
// checks the document and what else the page asks for.
import { READ_FAULTS, readJsonObject } from '../../evidence/records/read-json-object.ts'
import { isReceipt } from '../../evidence/verify/check-call-evidence.ts'
import { isCheckpoint } from '../../evidence/checkpoint/checkpoint.ts'
import {
  OWN_MEMBERS,
  detectKind,
  exportNameOf,
  profileOf,
  readingIn,
  type DocumentKind,
  type Profile,
} from '../../evidence/verify/document-kind.ts'
import { findFirstOfLines, MOST_LINE_BYTES } from '../../evidence/verify/file-lines.ts'
import type { Foreign } from './foreign-text.ts'

/** Loads beside the page, so that a check sends no request. */
const foreignPart = import('./foreign-text.ts').catch(() => null)

export type DocumentInput = { readonly name: string | null; readonly blob: Blob }

/** Makes an input of a pasted text. Adds only the final line break of a checkpoint, which copying often drops. */
export function pasted(text: string): DocumentInput {
  const ended = new TextEncoder().encode(`${text}\n`)
  return { name: null, blob: new Blob([isCheckpoint(ended) ? ended : text]) }
}

export type DetectedDocument =
  | { readonly form: keyof typeof FORMS }
  | ({ readonly form: 'foreign' } & Foreign)
  | { readonly form: 'unreadable'; readonly why: string }
  | { readonly form: 'lines'; readonly of: keyof typeof LINES }
  | { readonly form: 'document'; readonly kind: DocumentKind }
  | ClaimedProfile

/** The kind that a document says it is. The visitor decides. `salt`, `entry`: those in a reading's record. */
type ClaimedProfile = {
  readonly form: 'profile'
  readonly profile: Profile
  readonly salt: string | null
  readonly entry: string | null
}

export const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer())

/** Yields the blob's bytes. Uses a reader, because some browsers cannot loop over a stream. */
export async function* partsOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

export async function detect({ blob }: Pick<DocumentInput, 'blob'>): Promise<DetectedDocument> {
  const first = await findFirstOfLines(partsOf(blob))
  if (first !== null) return { form: 'lines', of: exportNameOf(first) ?? 'documents' }
  if (blob.size > MOST_LINE_BYTES) return { form: 'too_large' }
  const bytes = await bytesOf(blob)
  const text = new TextDecoder().decode(bytes).trim()
  const detected = isCheckpoint(bytes) ? ({ form: 'checkpoint' } as const) : detectObject(bytes, text)
  if (detected !== null) return detected
  return {
    form: 'foreign',
    ...((await foreignPart)?.describeForeign(text) ?? { what: 'no record', next: 'Reload this page.' }),
  }
}

/** Returns null for a text without a record. */
function detectObject(bytes: Uint8Array, text: string): DetectedDocument | null {
  // Only what begins as one can be a damaged record.
  if (!text.startsWith('{')) return null
  const read = readJsonObject(bytes)
  if (!read.readable)
    return { form: 'unreadable', why: read.fault === 'not_json' ? jsonFault(bytes) : READ_FAULTS[read.fault] }
  const { object } = read
  const profile = profileOf(object)
  if (profile !== null) {
    const { salt = null, entry = null } = readingIn(object) ?? {}
    return { form: 'profile', profile, salt, entry }
  }
  if (isReceipt(object)) return { form: 'receipt' }
  if (Array.isArray(object['keys']) && !Object.hasOwn(object, 'record')) return { form: 'keys' }
  const detected = detectKind(object, null)
  if ('mixed' in detected) return { form: 'mixed' }
  // `detectKind` takes a document without a kind as a record.
  const isUnknown = detected.kind === 'record' && !OWN_MEMBERS.record.some((name) => Object.hasOwn(object, name))
  return isUnknown ? null : { form: 'document', kind: detected.kind }
}

/** Names the line, if the browser tells it. Reads it from the end of the message, because the rest may quote the document. */
function jsonFault(bytes: Uint8Array): string {
  try {
    JSON.parse(new TextDecoder().decode(bytes))
  } catch (thrown) {
    const line = /(line \d+) column \d+(?:\)| of the JSON data)$/.exec(String(thrown))?.[1]
    if (line !== undefined) return `It is not valid JSON, from ${line} on.`
  }
  return 'It is not valid JSON.'
}

const KINDS: Readonly<Record<DocumentKind | Profile, string>> = {
  record: 'a record of a decision',
  answer: 'an answer of the gateway, with the record in it',
  entry: 'a line of an export, with the record in it',
  inclusion: 'a proof that an entry is in a log',
  consistency: 'a proof that a log only grew',
  head: 'a signed head of a log',
  bundle: 'an evidence bundle: a record with all that proves it',
  history: 'several public heads and the proofs between them',
  erasure: 'a record of an erasure',
  'accept-1': 'a record of a person’s decision (accept-1)',
  'reading-1': 'a signed reading of a letter (reading-1)',
  'outcome-1': 'what a clinician chose after a reading (outcome-1)',
}

export const nameOfKind = (kind: DocumentKind | Profile): string => KINDS[kind]

const LINES = {
  medical_export: 'It is an export of medical receipts.',
  audit_export: 'It is an export of audit entries.',
  selection_export: 'It is an export of listed calls.',
  documents: 'It has one document a line.',
} as const

const FORMS = {
  nothing: null,
  too_large: 'It is larger than 16 MiB and has no lines: it cannot be checked.',
  mixed: 'It has fields of several kinds of document.',
  keys: 'It is a list of keys, and nothing in it is signed. It belongs under “Keys that you trust”.',
  receipt: 'It is a record of a call, with its proofs.',
  checkpoint: 'It is a checkpoint of the public log.',
} as const

/** Describes the document in a sentence, or returns null if there is none. */
export function describeDetected(detected: DetectedDocument): string | null {
  if (detected.form === 'profile') return `It says that it is ${KINDS[detected.profile]}.`
  if (detected.form === 'document') return `It is ${KINDS[detected.kind]}.`
  if (detected.form === 'foreign') return `This is ${detected.what}. ${detected.next}`
  if (detected.form === 'unreadable') return `It cannot be read. ${detected.why}`
  return detected.form === 'lines' ? LINES[detected.of] : FORMS[detected.form]
}
