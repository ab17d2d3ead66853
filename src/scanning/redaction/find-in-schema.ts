// Finds values in a JSON schema: values in its texts, which can be taken out, and values in what makes it this schema: names of members,
// references, and numbers.
import type { Shape } from '../identifiers/identifier-shapes.ts'
import { forEachMatchInSteps, type Steps } from '../../platform/steps.ts'
import { findInJson, type FoundValue, type IsWanted } from './find-in-text.ts'

const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/gs

/** Members whose values name a schema, or a place in one. */
const REFERENCES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
])

/** Numbers that only bound others: the largest of 32 bits looks like a health number. */
const BOUND =
  /"(?:minimum|maximum|exclusiveM(?:in|ax)imum|multipleOf|(?:min|max)(?:Length|Items|Properties|Contains))":$/
const LONGEST_BOUND = 24

/** Programs date their names. A date alone is nobody's. */
export const isFoundInNames = (shape: Shape): boolean => shape !== 'date'

/** `fixed`: without these values the schema would be another, or none. */
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

/** Takes findings in order of start. A name in a list of names counts as that name. */
function* fixedParts(schema: string): Steps<(found: FoundValue) => boolean> {
  const strings: RegExpExecArray[] = []
  yield* forEachMatchInSteps(schema, STRING, (match) => void strings.push(match))
  const names = new Set(strings.flatMap(([, written = '', colon]) => (colon === undefined ? [] : [written])))
  yield strings.length * 8
  const kept = strings.filter(({ 1: written = '', 2: colon, index }, at) => {
    const before = strings[at - 1]
    return colon !== undefined || names.has(written) || (endOf(before) === index && isReference(before))
  })
  let next = 0
  return ({ start, end, quoted }) => {
    while (endOf(kept[next]) <= start) next += 1
    return quoted || (kept[next]?.index ?? Infinity) < end
  }
}

const isBound = (schema: string, { shape, start, quoted }: FoundValue): boolean =>
  quoted && shape !== 'payment_card' && BOUND.test(schema.slice(Math.max(0, start - LONGEST_BOUND), start))

const isReference = (name: RegExpExecArray | undefined): boolean => REFERENCES.has(name?.[1] ?? '')

const endOf = (string: RegExpExecArray | undefined): number =>
  string === undefined ? Infinity : string.index + string[0].length
