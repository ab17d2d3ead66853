// Finds the values that pii_scan redacts in plain text, in JSON and in JSON schemas. In JSON each lies inside one string or number and
// not in part of an escape, so that the redacted text stays JSON.
import { readJson } from '../../platform/json.ts'
import { forEachInSteps, forEachMatchInSteps, type Steps } from '../../platform/computation-steps.ts'
import { findShapesInSteps, type FoundShape } from '../identifiers/find-shapes.ts'
import type { Range } from '../identifiers/markup/reading.ts'
import type { ReportedFinding } from '../identifiers/finding.ts'
import type { Shape } from '../identifiers/shapes/index.ts'

/**
 * `value` is decoded from JSON escapes. `quoted`: its placeholder must become a string of its own. `pieces`: the parts of the text
 * to replace if markup is between them; the markup stays.
 */
export type FoundValue = ReportedFinding<Shape> & {
  readonly value: string
  readonly quoted: boolean
  readonly pieces?: readonly Range[]
}

export type IsWanted = (shape: Shape) => boolean

export function* findInText(text: string, isWanted: IsWanted): Steps<FoundValue[]> {
  const found = yield* findShapesInSteps(text, isWanted)
  const values: FoundValue[] = []
  yield* forEachInSteps(found, ({ shape, start, end, pieces, value = text.slice(start, end) }) => {
    values.push({ shape, start, end, value, quoted: false, ...(pieces === undefined ? {} : { pieces }) })
  })
  return values
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs

/** Searches JSON as one text, since a member's name says what its value is. Text that is no JSON is searched as words. */
export function* findInJson(json: string, isWanted: IsWanted): Steps<FoundValue[]> {
  if (readJson(json) === undefined) return yield* findInText(json, isWanted)
  const found = yield* findShapesInSteps(json, isWanted)
  const values: FoundValue[] = []
  if (found.length === 0) return values
  let next = 0
  yield* forEachMatchInSteps(json, TOKEN, ({ 0: token, index }) => {
    const end = index + token.length
    while ((found[next]?.end ?? Infinity) <= index) next += 1
    for (let at = next; (found[at]?.start ?? Infinity) < end; at += 1) {
      const value = within(json, found[at], { start: index, end })
      if (value !== null) values.push(value)
      if (value?.quoted === true) break
    }
  })
  return values
}

/** Returns the part of a finding that is within a string token, or the whole number token. Returns null if no part is. */
function within(json: string, found: FoundShape | undefined, token: { start: number; end: number }): FoundValue | null {
  if (found === undefined) return null
  if (json.charAt(token.start) !== '"') {
    return { shape: found.shape, ...token, value: json.slice(token.start, token.end), quoted: true }
  }
  const start = Math.max(found.start, token.start + 1)
  const end = Math.min(found.end, token.end - 1)
  if (start >= end) return null
  const isWhole = start === found.start && end === found.end
  const value = (isWhole ? found.value : undefined) ?? unescaped(json.slice(start, end))
  const pieces = isWhole && found.pieces !== undefined ? { pieces: found.pieces } : {}
  return { shape: found.shape, start, end, value, quoted: false, ...pieces }
}

function unescaped(written: string): string {
  const value = readJson(`"${written}"`)
  return typeof value === 'string' ? value : written
}

const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/gs

/** Members whose values name a schema or a location in one. */
const REFERENCES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
])

/** Numbers that only limit others: the largest of 32 bits looks like a health number. */
const BOUND =
  /"(?:minimum|maximum|exclusiveM(?:in|ax)imum|multipleOf|(?:min|max)(?:Length|Items|Properties|Contains))":$/
const LONGEST_BOUND = 24

/** Dates count only outside names: programs put dates into names, and a date alone identifies nobody. */
export const isFoundInNames = (shape: Shape): boolean => shape !== 'date'

/** Finds values in a JSON schema. `fixed`: replacing these would change the schema or break it. */
export function* findInSchema(
  schema: string,
  isWanted: IsWanted,
): Steps<{ found: readonly FoundValue[]; fixed: readonly FoundValue[] }> {
  const all = yield* findInJson(schema, isWanted)
  if (all.length === 0) return { found: all, fixed: [] }
  const isFixed = yield* fixedParts(schema)
  const { found = [], fixed = [] } = Object.groupBy(all, (one) => (isFixed(one) ? 'fixed' : 'found'))
  return { found, fixed: fixed.filter((one) => isFoundInNames(one.shape) && !isBound(schema, one)) }
}

/** Returns a test for findings, which must come in order of start. A string that is also a member's name counts as fixed. */
function* fixedParts(schema: string): Steps<(found: FoundValue) => boolean> {
  const strings: RegExpExecArray[] = []
  yield* forEachMatchInSteps(schema, STRING, (match) => void strings.push(match))
  const names = new Set(strings.flatMap(([, written = '', colon]) => (colon === undefined ? [] : [written])))
  yield strings.length * 8
  const kept = strings.filter(({ 1: written = '', 2: colon, index }, at) => {
    const before = strings[at - 1]
    return colon !== undefined || names.has(written) || (endOf(before) === index && REFERENCES.has(before?.[1] ?? ''))
  })
  let next = 0
  return ({ start, end, quoted }) => {
    while (endOf(kept[next]) <= start) next += 1
    return quoted || (kept[next]?.index ?? Infinity) < end
  }
}

const isBound = (schema: string, { shape, start, quoted }: FoundValue): boolean =>
  quoted && shape !== 'payment_card' && BOUND.test(schema.slice(Math.max(0, start - LONGEST_BOUND), start))

const endOf = (string: RegExpExecArray | undefined): number =>
  string === undefined ? Infinity : string.index + string[0].length
