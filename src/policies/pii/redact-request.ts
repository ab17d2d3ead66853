// What a request holds of the shapes that its organisation asks for, and the request without those that are taken out. In
// the place of a value stands its shape with a number, the same wherever the value comes again.
import { SHAPES, type Shape } from '../../identifiers/identifier-shapes.ts'
import type { ChatRequest } from '../../providers/request.ts'
import { actionFor, type PiiScan, type ShapeCounts } from '../document/pii-scan.policy.ts'
import { forEachInSteps, runSteps, type Steps } from '../../platform/steps.ts'
import { findInJson, findInText, type FoundValue } from './find-in-text.ts'
import { PLACEHOLDER } from './placeholder.ts'
import { mapTexts, type TextKind } from './request-texts.ts'

export type Redaction = {
  readonly counts: ShapeCounts
  /** How many stretches were taken out. */
  readonly redacted: number
  /** The request as it came where nothing was taken out. */
  readonly request: ChatRequest
  /** By placeholder. Kept in memory for this call alone, and nowhere else. */
  readonly values: ReadonlyMap<string, string>
}

export const redactRequest = (request: ChatRequest, scan: PiiScan): Redaction => runSteps(redactInSteps(request, scan))

export function* redactInSteps(request: ChatRequest, scan: PiiScan): Steps<Redaction> {
  const counts: Partial<Record<Shape, number>> = {}
  const taken: FoundValue[][] = []
  /** Of what only looks like a placeholder, because the caller wrote it. */
  const reserved = new Set<string>()
  const isWanted = (shape: Shape): boolean => actionFor(scan, shape) !== 'ignore'
  const texts: { text: string; kind: TextKind }[] = []
  mapTexts(request, (text, kind) => {
    texts.push({ text, kind })
    return text
  })
  for (const { text, kind } of texts) {
    const found = yield* find(text, kind, isWanted)
    const toTake: FoundValue[] = []
    yield* forEachInSteps(found, (one) => {
      counts[one.shape] = (counts[one.shape] ?? 0) + 1
      if (actionFor(scan, one.shape) === 'redact') toTake.push(one)
    })
    taken.push(toTake)
    if (text.includes('[')) for (const [written] of text.matchAll(PLACEHOLDER)) reserved.add(written)
  }
  const redacted = taken.reduce((sum, found) => sum + found.length, 0)
  if (redacted === 0) return { counts, redacted, request, values: new Map() }
  const placeholders = createPlaceholders(reserved)
  const written: string[] = []
  for (const [at, { text }] of texts.entries()) {
    written.push(yield* replaceFound(text, taken[at] ?? [], (found) => placeholders.of(found)))
  }
  let next = 0
  const withoutThem = mapTexts(request, (text) => written[next++] ?? text)
  return { counts, redacted, request: withoutThem, values: placeholders.values }
}

function* find(text: string, kind: TextKind, isWanted: (shape: Shape) => boolean): Steps<FoundValue[]> {
  if (kind === 'words') return yield* findInText(text, isWanted)
  const found = yield* findInJson(text, isWanted)
  return kind === 'json' || found.length === 0 ? found : exceptNames(text, found)
}

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

/** A schema without the names of its members would be another, and so would one whose lists of names or references differ. */
function exceptNames(schema: string, found: readonly FoundValue[]): FoundValue[] {
  const strings = [...schema.matchAll(STRING)]
  const names = new Set(strings.flatMap(([, written = '', colon]) => (colon === undefined ? [] : [written])))
  const kept = strings.filter(({ 1: written = '', 2: colon, index }, at) => {
    const before = strings[at - 1]
    return colon !== undefined || names.has(written) || (endOf(before) === index && isReference(before))
  })
  let next = 0
  return found.filter(({ start, end, quoted }) => {
    while (endOf(kept[next]) <= start) next += 1
    return !quoted && (kept[next]?.index ?? Infinity) >= end
  })
}

const isReference = (name: RegExpExecArray | undefined): boolean => REFERENCES.has(name?.[1] ?? '')

const endOf = (string: RegExpExecArray | undefined): number =>
  string === undefined ? Infinity : string.index + string[0].length

/** So many are joined in a step, and not all at the end. */
const MANY_PIECES = 2_048

function* replaceFound(
  text: string,
  found: readonly FoundValue[],
  placeholderOf: (found: FoundValue) => string,
): Steps<string> {
  const written: string[] = []
  let pieces: string[] = []
  let at = 0
  yield* forEachInSteps(found, (one) => {
    const placeholder = placeholderOf(one)
    pieces.push(text.slice(at, one.start), one.quoted ? `"${placeholder}"` : placeholder)
    at = one.end
    if (pieces.length < MANY_PIECES) return
    written.push(pieces.join(''))
    pieces = []
  })
  return at === 0 ? text : [...written, ...pieces, text.slice(at)].join('')
}

function createPlaceholders(reserved: ReadonlySet<string>) {
  const values = new Map<string, string>()
  const byValue = new Map<string, string>()
  const last = new Map<Shape, number>(SHAPES.map((shape) => [shape, 0]))

  function next(shape: Shape): string {
    let number = last.get(shape) ?? 0
    let placeholder: string
    do {
      number += 1
      placeholder = `[${shape.toUpperCase()}_${number}]`
    } while (reserved.has(placeholder))
    last.set(shape, number)
    return placeholder
  }

  return {
    values,
    of({ shape, value }: FoundValue): string {
      const known = byValue.get(value)
      if (known !== undefined) return known
      const placeholder = next(shape)
      byValue.set(value, placeholder)
      values.set(placeholder, value)
      return placeholder
    },
  }
}
