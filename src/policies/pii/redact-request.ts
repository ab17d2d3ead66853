// What a request holds of the shapes that its organisation asks for, and the request without those that are taken out. In
// the place of a value stands its shape with a number, the same wherever the value comes again.
import { SHAPES, type Shape } from '../../identifiers/identifier-shapes.ts'
import type { ChatRequest } from '../../providers/request.ts'
import { actionFor, type PiiScan, type ShapeCounts } from '../document/pii-scan.policy.ts'
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

export function redactRequest(request: ChatRequest, scan: PiiScan): Redaction {
  const counts: Partial<Record<Shape, number>> = {}
  const taken: FoundValue[][] = []
  /** Of what only looks like a placeholder, because the caller wrote it. */
  const reserved = new Set<string>()
  const isWanted = (shape: Shape): boolean => actionFor(scan, shape) !== 'ignore'
  mapTexts(request, (text, kind) => {
    const found = find(text, kind, isWanted)
    for (const { shape } of found) counts[shape] = (counts[shape] ?? 0) + 1
    taken.push(found.filter(({ shape }) => actionFor(scan, shape) === 'redact'))
    if (text.includes('[')) for (const [written] of text.matchAll(PLACEHOLDER)) reserved.add(written)
    return text
  })
  const redacted = taken.reduce((sum, found) => sum + found.length, 0)
  if (redacted === 0) return { counts, redacted, request, values: new Map() }
  const placeholders = createPlaceholders(reserved)
  let at = 0
  const withoutThem = mapTexts(request, (text) =>
    replaceFound(text, taken[at++] ?? [], (found) => placeholders.of(found)),
  )
  return { counts, redacted, request: withoutThem, values: placeholders.values }
}

function find(text: string, kind: TextKind, isWanted: (shape: Shape) => boolean): FoundValue[] {
  if (kind === 'words') return findInText(text, isWanted)
  const found = findInJson(text, isWanted)
  return kind === 'json' || found.length === 0 ? found : exceptNames(text, found)
}

const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/gs

/** A schema without the names of its members would be another, and so would one whose lists of names or references differ. */
function exceptNames(schema: string, found: readonly FoundValue[]): FoundValue[] {
  const strings = [...schema.matchAll(STRING)]
  const names = new Set(strings.flatMap(([, written = '', colon]) => (colon === undefined ? [] : [written])))
  const isKept = ([, written = '', colon]: RegExpExecArray): boolean =>
    colon !== undefined || names.has(written) || written.startsWith('#')
  let at = 0
  return found.filter(({ start, quoted }) => {
    if (quoted) return false
    while ((strings[at + 1]?.index ?? Infinity) <= start) at += 1
    const string = strings[at]
    return string !== undefined && !isKept(string)
  })
}

function replaceFound(
  text: string,
  found: readonly FoundValue[],
  placeholderOf: (found: FoundValue) => string,
): string {
  let replaced = ''
  let at = 0
  for (const one of found) {
    const placeholder = placeholderOf(one)
    replaced += text.slice(at, one.start) + (one.quoted ? `"${placeholder}"` : placeholder)
    at = one.end
  }
  return at === 0 ? text : replaced + text.slice(at)
}

function createPlaceholders(reserved: ReadonlySet<string>) {
  const values = new Map<string, string>()
  const byValue = new Map<string, string>()
  const last = new Map<Shape, number>(SHAPES.map((shape) => [shape, 0]))

  function next(shape: Shape): string {
    const number = (last.get(shape) ?? 0) + 1
    last.set(shape, number)
    const placeholder = `[${shape.toUpperCase()}_${number}]`
    return reserved.has(placeholder) ? next(shape) : placeholder
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
