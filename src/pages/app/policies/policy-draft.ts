// The policy draft of the policies page: one document, edited as a form or as JSON. The form keeps members without a field.
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { isJsonObject, ownMember } from '../../../platform/json.ts'
import { textsIn } from '../../../policies/rules/rule-words.ts'
import { READ_FAULTS, readJsonObject } from '../../../evidence/records/read-json-object.ts'

/** The document as written. It may be invalid, which the service checks. */
export type DraftDocument = Readonly<Record<string, unknown>>

export type Draft = {
  document: DraftDocument
  text: string
  /** Why the text is not a JSON object. Null if the text and `document` agree. */
  fault: string | null
}

export const textOf = (document: DraftDocument): string => JSON.stringify(document, null, 2)

export const draftOfDocument = (document: DraftDocument): Draft => ({ document, text: textOf(document), fault: null })

/** Makes a draft from a text. If the text is not a document, keeps the document of the draft before. */
export function parseDraft(text: string, before: Draft): Draft {
  const read = readJsonObject(new TextEncoder().encode(text))
  if (!read.readable) return { ...before, text, fault: READ_FAULTS[read.fault] }
  // `readJsonObject` stores each number as text. A policy needs plain numbers.
  const document: unknown = JSON.parse(text)
  return { document: isJsonObject(document) ? document : {}, text, fault: null }
}

export function memberOf(document: DraftDocument, path: readonly string[]): unknown {
  let at: unknown = document
  for (const name of path) at = ownMember(isJsonObject(at) ? at : undefined, name)
  return at
}

/** Returns the document with one member changed. @param value undefined removes the member */
export function withMember(document: DraftDocument, path: readonly string[], value: unknown): DraftDocument {
  const [name, ...rest] = path
  if (name === undefined) return document
  const own = document[name]
  const changed = rest.length === 0 ? value : withMember(isJsonObject(own) ? own : {}, rest, value)
  if (changed !== undefined) return { ...document, [name]: changed }
  const { [name]: _, ...others } = document
  return others
}

/** Refusals of a version of before, in words. */
const NOT_KEPT = 'There is no such version, or it is not kept any more.'
export const NO_VERSION = { not_found: NOT_KEPT, invalid_request: NOT_KEPT }

/** What the form's fields know beside the document. */
export type Known = {
  /** The document in force, to show what was removed. */
  before: DraftDocument
  /** The use cases that the policy names anywhere. */
  useCases: readonly string[]
  keys: ReadonlyMap<string, { name: string }>
  /** What holds where a rule leaves it to the settings; null if they could not be read. */
  settings: Settings | null
  isReadOnly: boolean
}

export type Editing = Known & {
  document: DraftDocument
  /** Changes a member. @param value undefined removes the member */
  set: (path: readonly string[], value: unknown) => void
  /** Returns the service's complaint about a member or about something inside it, or null. */
  faultOf: (path: readonly string[]) => string | null
}

const NOTHING_KNOWN: Known = { before: {}, useCases: [], keys: new Map(), settings: null, isReadOnly: false }

/** Makes what the form's parts share: the document, a function that changes a member, and the complaints. */
export const editingOf = (
  document: DraftDocument,
  onDocument: (document: DraftDocument) => void,
  /** The service's complaints. */
  fields: readonly { path: string; rule: string }[],
  known: Known = NOTHING_KNOWN,
): Editing => ({
  ...known,
  document,
  set: (path, value) => onDocument(withMember(document, path, value)),
  faultOf: (path) => {
    const at = path.join('.')
    const faults = fields.map(({ path: of, rule }) => ({ path: of.replaceAll(/\[(\d+)\]/g, '.$1'), rule }))
    const fault = faults.find((one) => one.path === at || one.path.startsWith(`${at}.`))
    if (fault === undefined) return null
    const innerPath = fault.path.slice(at.length + 1)
    return innerPath === '' ? fault.rule : `${innerPath}: ${fault.rule}`
  },
})

/** Returns the use cases that a policy names, each once, in the order of their names. */
export function useCasesIn(document: DraftDocument): readonly string[] {
  const cases = memberOf(document, ['human_approval', 'when'])
  const own = memberOf(document, ['model_allowlist', 'by_use_case'])
  const lists = [
    memberOf(document, ['use_case_guard', 'allow']),
    document['medical_use_cases'],
    document['high_risk_use_cases'],
    isJsonObject(own) ? Object.keys(own) : [],
    ...(Array.isArray(cases) ? cases.map((one: unknown) => (isJsonObject(one) ? one['use_cases'] : [])) : []),
  ]
  return [...new Set(lists.flatMap(textsIn))].toSorted()
}

export const valueAt = ({ document }: Editing, path: readonly string[]): unknown => memberOf(document, path)

/** Returns the names in a JSON Pointer. */
export const namesInPath = (path: string): string[] =>
  path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Formats a JSON Pointer for people: “budget_guard › day_eur”. */
export const wordsOfPath = (path: string): string => namesInPath(path).join(' › ')
