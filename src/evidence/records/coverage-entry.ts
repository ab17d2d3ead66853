// What a log covers, `coverage-1`: the content of an entry that says which software writes the decisions after it, and which calls
// leave no entry. The tables of it are in organisation/coverage.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { isHash } from '../tree/verify-proof.ts'
import { canonicalJson } from './canonical-json.ts'
import type { HashText } from './facts-commitment.ts'
import { parseExactTime } from './rfc3339.ts'

export const COVERAGE_FORM = 'coverage-1'

export const COVERAGE_FAULTS = {
  coverage_missing:
    'It names no coverage entry, where the log says that each decision does. Older software, as after a rollback, names none.',
  coverage_mismatch: 'It names a coverage entry that is not before it, or is an entry of another kind.',
  coverage_withheld: 'The coverage entry that it names is withheld, though the decision is kept.',
  coverage_malformed: 'Its content is not of the form coverage-1.',
  operation_undeclared: 'Its coverage entry does not say that its operation writes such decisions.',
} as const

export type CoverageFault = keyof typeof COVERAGE_FAULTS

export const COVERAGE_NOTES = {
  coverage_absent: 'They name no coverage entry, so the log does not say which software made them.',
  coverage_elsewhere: 'The coverage entry that they name is not in the file.',
} as const

const KEY_DIGITS = 32

/** Returns 32 hex digits, the same for all entries of one build of the software with the same settings. */
export function coverageKey(content: JsonObject, hash: HashText): string {
  const { at: _at, kind: _kind, policy_version: _policy, retention_days: _days, ...surface } = content
  return hash(canonicalJson(surface)).slice(0, KEY_DIGITS)
}

/** Calls that leave no entry. `counted`: the members of `hour_counts` that count them, joined by `+`. */
type UnwrittenCalls = {
  readonly codes: readonly string[]
  readonly counted: string | null
  readonly why: string
  readonly at_least?: true
}

/** The members of the content that a check needs. */
export type Coverage = {
  readonly software: {
    readonly name: string
    readonly version: string
    readonly source_sha256: string | null
    readonly worker: { readonly id: string } | null
  }
  readonly decides: readonly { readonly operation: string; readonly writes: readonly string[] }[]
  readonly writes_none: readonly UnwrittenCalls[]
}

type Form = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isWhole: Form = (value) => Number.isSafeInteger(value) && Number(value) >= 0

/** The longest list. SECURITY: the sender of a file may have made it, with many entries. */
const MOST_LISTED = 100

/** True for texts in ascending order of their UTF-16 code units, each once. */
const isSorted = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.length <= MOST_LISTED &&
  value.every((text, at) => isText(text) && (at === 0 || value[at - 1] < text))

const orNull =
  (form: Form): Form =>
  (value) =>
    value === null || form(value)

/** True for an object with exactly these members. Those of `optional` may be left out. */
function withMembers(members: Readonly<Record<string, Form>>, optional: Readonly<Record<string, Form>> = {}): Form {
  const forms = new Map(Object.entries({ ...members, ...optional }))
  return (value) =>
    isJsonObject(value) &&
    Object.keys(members).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => forms.get(name)?.(member) === true)
}

const listOf =
  (form: Form): Form =>
  (value) =>
    Array.isArray(value) && value.length <= MOST_LISTED && value.every(form)

const FORM = withMembers({
  v: (value) => value === COVERAGE_FORM,
  kind: (value) => value === 'coverage',
  at: (value) => parseExactTime(value) !== null,
  software: withMembers({
    name: isText,
    version: isText,
    source_sha256: orNull(isHash),
    // A version may have no tag.
    worker: orNull(withMembers({ id: isText, tag: (value) => value === '' || isText(value), uploaded_at: isText })),
  }),
  forms: (value) => isJsonObject(value) && Object.values(value).every(isText),
  catalogue: isHash,
  policy_version: isWhole,
  retention_days: (value) => isWhole(value) && value !== 0,
  decides: listOf(
    withMembers({ operation: isText, route: isText, writes: (value) => isSorted(value) && value.length > 0 }),
  ),
  also: isSorted,
  reads: isSorted,
  enumerated_by: isText,
  endpoints: withMembers({ on: isSorted, off: isSorted }),
  writes_none: listOf(
    withMembers({ codes: isSorted, counted: orNull(isText), why: isText }, { at_least: (value) => value === true }),
  ),
  at_capacity: withMembers({ sent: isText, status: isWhole }),
  settles_within_s: isWhole,
})

type Whole = Coverage & {
  readonly endpoints: { readonly on: readonly string[]; readonly off: readonly string[] }
}

const hasForm = (content: JsonObject): content is JsonObject & Whole => FORM(content)

/** Returns the content of an entry as what it says. Null if it is not of the form. @see docs/coverage.md */
export function readCoverage(content: JsonObject): Coverage | null {
  if (!hasForm(content)) return null
  const { decides, endpoints, writes_none: rows } = content
  const codes = rows.flatMap((row) => row.codes)
  const isWholeSet =
    isSorted(decides.map(({ operation }) => operation)) &&
    new Set(codes).size === codes.length &&
    !endpoints.on.some((id) => endpoints.off.includes(id))
  return isWholeSet ? content : null
}

export const judgeOperation = (
  kind: string,
  operation: unknown,
  { decides }: Pick<Coverage, 'decides'>,
): CoverageFault | null =>
  decides.some((one) => one.operation === operation && one.writes.includes(kind)) ? null : 'operation_undeclared'

const SHOWN_DIGITS = 8

/** Returns the software as it is shown, such as `countersign 0.1.0, source d9321197, worker 7b3f9e21`. */
export const softwareText = ({
  software: { name, version, source_sha256: source, worker },
}: Pick<Coverage, 'software'>): string =>
  [
    `${name} ${version}`,
    ...(source === null ? [] : [`source ${source.slice(0, SHOWN_DIGITS)}`]),
    ...(worker === null ? [] : [`worker ${worker.id.slice(0, SHOWN_DIGITS)}`]),
  ].join(', ')

const WHY = new Map([
  ['no_organisation', 'no valid key'],
  ['no_operation', 'no such operation'],
  ['not_run', 'faulty requests'],
  ['replayed', 'repeated requests'],
  ['over_limit', 'requests over a limit'],
  ['not_allowed', 'requests that are not allowed'],
  ['before_decision', 'faults of the service before a decision'],
])

/** Returns why calls leave no entry, in words. A word that is not in the table may be of a newer version. */
export const whyText = (why: string): string => WHY.get(why) ?? why
