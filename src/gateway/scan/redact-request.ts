// Finds the identifier shapes that an organisation's policy names, and redacts those that it says to redact. A placeholder
// replaces a value: its shape with a number, the same wherever the value repeats.
import type { Shape } from '../../scanning/identifiers/shapes/index.ts'
import { forEachInSteps, forEachMatchInSteps, runSteps, type Steps } from '../../platform/computation-steps.ts'
import type { ChatRequest } from '../../providers/chat-request.ts'
import { actionFor, type PiiScan, type ShapeCounts } from '../../policies/rules/pii-scan.rule.ts'
import type { Range } from '../../scanning/identifiers/markup/reading.ts'
import { joinUnrelated, piecesOf } from '../../scanning/texts/joined-texts.ts'
import { mapTexts, TEXT_PLACES, textsOf, type RequestText } from '../../scanning/texts/request-texts.ts'
import {
  findInJson,
  findInSchema,
  findInText,
  isFoundInNames,
  type FoundValue,
  type IsWanted,
} from '../../scanning/redaction/find-redactable-values.ts'
import { findSplitValues, type SplitValue } from '../../scanning/redaction/find-split-values.ts'
import { createPlaceholders, PLACEHOLDER } from '../../scanning/redaction/placeholders.ts'

export type Redaction = {
  readonly counts: ShapeCounts
  /** The values found in parts of a request that cannot be redacted, such as names of functions. */
  readonly fixed: ShapeCounts
  readonly redacted: number
  /** The original request if nothing was redacted. */
  readonly request: ChatRequest
  /** Placeholder → value. SECURITY: in memory for this call only, and nowhere else. */
  readonly values: ReadonlyMap<string, string>
}

export const redactRequest = (request: ChatRequest, scan: PiiScan): Redaction =>
  runSteps(redactInSteps(request, scan, textsOf(request)))

/** @param texts the texts of `request` */
export function* redactInSteps(request: ChatRequest, scan: PiiScan, texts: readonly RequestText[]): Steps<Redaction> {
  const isWanted = (shape: Shape): boolean => actionFor(scan, shape) !== 'ignore'
  const isRedacted = ({ shape }: { shape: Shape }): boolean => actionFor(scan, shape) === 'redact'
  const alone: (readonly FoundValue[])[] = []
  const fixed: FoundValue[] = []
  const inShort = yield* findInShort(texts, isWanted)
  for (const [textIndex, text] of texts.entries()) {
    const inText = isShort(text)
      ? { found: inShort.get(textIndex) ?? NOTHING, fixed: NOTHING }
      : yield* find(text, isWanted)
    alone.push(inText.found)
    for (const value of inText.fixed) fixed.push(value)
  }
  const splitValues = yield* findSplitValues(texts, alone, isWanted)
  const counts = yield* countShapes([...withoutJoined(alone, splitValues), splitValues, fixed])
  const spans = yield* spansToRedact(texts, alone, splitValues, isRedacted)
  const found = { counts, fixed: yield* countShapes([fixed]) }
  const redacted = spans.reduce((sum, values) => sum + values.length, 0)
  if (redacted === 0) return { ...found, redacted, request, values: new Map() }
  const placeholders = createPlaceholders(yield* placeholdersIn(texts))
  const written: string[] = []
  for (const [textIndex, { text }] of texts.entries()) {
    written.push(yield* replaceFound(text, spans[textIndex] ?? NOTHING, (value) => placeholders.of(value)))
  }
  let next = 0
  const redactedRequest = mapTexts(request, ({ text }) => written[next++] ?? text)
  return { ...found, redacted, request: redactedRequest, values: placeholders.values }
}

/**
 * Each search has a fixed cost, like that of some hundred characters, so short texts are searched as one. A text with the mark for
 * right-to-left (U+202E) or with markup is not: its effect could reach into the next text.
 */
const SHORT_CHARACTERS = 256
const isShort = ({ place, form, text }: RequestText): boolean =>
  form === 'words' &&
  text.length <= SHORT_CHARACTERS &&
  TEXT_PLACES[place].redaction !== 'refuse' &&
  !REACHES_OUT.test(text)

/** Matches the mark for right-to-left, and what may begin markup that ends in another text, or decides how another is read. */
const REACHES_OUT = /[\u202e<\\]|=[\da-f\r\n]|^[a-z][a-z\d]{2}\|/im

/** Searches all short texts at once. Returns the values by the text's index in the list. */
function* findInShort(
  texts: readonly RequestText[],
  isWanted: IsWanted,
): Steps<ReadonlyMap<number, readonly FoundValue[]>> {
  const short = texts.flatMap((text, textIndex) => (isShort(text) ? [textIndex] : []))
  const joined = joinUnrelated(texts, short)
  const found = new Map<number, FoundValue[]>()
  yield* forEachInSteps(yield* findInText(joined.text, isWanted), (value) => {
    for (const { textIndex, start, end } of piecesOf(joined, value.start, value.end)) {
      const values = found.get(textIndex) ?? []
      const pieces = piecesIn(value).flatMap((piece) => piecesOf(joined, piece.start, piece.end))
      values.push({ ...value, start, end, pieces })
      found.set(textIndex, values)
    }
  })
  return found
}

type FoundInText = { readonly found: readonly FoundValue[]; readonly fixed: readonly FoundValue[] }

const NOTHING: readonly FoundValue[] = []

function* find({ place, form, text }: RequestText, isWanted: IsWanted): Steps<FoundInText> {
  if (TEXT_PLACES[place].redaction === 'refuse') {
    return {
      found: NOTHING,
      fixed: yield* findInText(text, (shape) => (place === 'unread' || isFoundInNames(shape)) && isWanted(shape)),
    }
  }
  if (form === 'schema') return yield* findInSchema(text, isWanted)
  return { found: yield* form === 'json' ? findInJson(text, isWanted) : findInText(text, isWanted), fixed: NOTHING }
}

function* countShapes(lists: readonly (readonly { readonly shape: Shape }[])[]): Steps<ShapeCounts> {
  const counts: Partial<Record<Shape, number>> = {}
  for (const found of lists) {
    yield* forEachInSteps(found, ({ shape }) => {
      counts[shape] = (counts[shape] ?? 0) + 1
    })
  }
  return counts
}

/** Drops values that are part of a value of the same shape that continues in another text. */
function withoutJoined(
  alone: readonly (readonly FoundValue[])[],
  splitValues: readonly SplitValue[],
): (readonly FoundValue[])[] {
  const pieces = Map.groupBy(
    splitValues.flatMap(({ shape, pieces: ownPieces }) => ownPieces.map((piece) => ({ ...piece, shape }))),
    ({ textIndex }) => textIndex,
  )
  const isJoined = (textIndex: number, { shape, start, end }: FoundValue): boolean =>
    pieces.get(textIndex)?.some((piece) => piece.shape === shape && piece.start <= start && end <= piece.end) === true
  return alone.map((found, textIndex) =>
    pieces.has(textIndex) ? found.filter((value) => !isJoined(textIndex, value)) : found,
  )
}

/** Returns the spans to redact in each text, in order, without overlaps. */
function* spansToRedact(
  texts: readonly RequestText[],
  alone: readonly (readonly FoundValue[])[],
  splitValues: readonly SplitValue[],
  isRedacted: (found: { shape: Shape }) => boolean,
): Steps<(readonly FoundValue[])[]> {
  const spans: FoundValue[][] = []
  for (const found of alone) {
    const redacted: FoundValue[] = []
    yield* forEachInSteps(found, (span) => {
      if (isRedacted(span)) redacted.push(span)
    })
    spans.push(redacted)
  }
  const joined = new Set<number>()
  for (const { shape, pieces } of splitValues.filter(isRedacted)) {
    for (const [textIndex, inText] of Map.groupBy(pieces, (piece) => piece.textIndex)) {
      spans[textIndex]?.push(spanOf(texts[textIndex]?.text ?? '', shape, inText))
      joined.add(textIndex)
    }
  }
  for (const textIndex of joined)
    spans[textIndex] = yield* withoutOverlaps(texts[textIndex]?.text ?? '', spans[textIndex] ?? [])
  return spans
}

/** @param pieces in order of start, apart from each other */
function spanOf(text: string, shape: Shape, pieces: readonly Range[]): FoundValue {
  const value = pieces.map(({ start, end }) => text.slice(start, end)).join('')
  return { shape, start: pieces[0]?.start ?? 0, end: pieces.at(-1)?.end ?? 0, value, quoted: false, pieces }
}

/** Merges overlapping spans into one, with the shape of the first. */
function* withoutOverlaps(text: string, found: readonly FoundValue[]): Steps<FoundValue[]> {
  const apart: FoundValue[] = []
  yield* forEachInSteps(
    found.toSorted((first, second) => first.start - second.start),
    (span) => {
      const last = apart.at(-1)
      if (last === undefined || span.start >= last.end) apart.push(span)
      else
        apart.splice(-1, 1, {
          ...last,
          ...spanOf(text, last.shape, union(piecesIn(last), piecesIn(span))),
          quoted: last.quoted,
        })
    },
  )
  return apart
}

const piecesIn = ({ start, end, pieces = [{ start, end }] }: FoundValue): readonly Range[] => pieces

function union(first: readonly Range[], second: readonly Range[]): Range[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of [...first, ...second].toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Finds texts of the caller that look like placeholders, so that no new placeholder equals one. */
function* placeholdersIn(texts: readonly RequestText[]): Steps<ReadonlySet<string>> {
  const written = new Set<string>()
  for (const { text } of texts) {
    if (!text.includes('[')) continue
    yield* forEachMatchInSteps(text, PLACEHOLDER, ([placeholder]) => void written.add(placeholder))
  }
  return written
}

/** Joins this many pieces in a step, so that the end is not one long step. */
const MANY_PIECES = 2_048

function* replaceFound(
  text: string,
  found: readonly FoundValue[],
  placeholderOf: (found: FoundValue) => string,
): Steps<string> {
  const written: string[] = []
  let pieces: string[] = []
  let at = 0
  yield* forEachInSteps(found, (span) => {
    const placeholder = placeholderOf(span)
    pieces.push(text.slice(at, span.start), span.quoted ? `"${placeholder}"` : placeholder)
    // The markup between the parts of a value stays.
    span.pieces?.forEach((piece, index) => {
      if (index > 0) pieces.push(text.slice(at, piece.start))
      at = piece.end
    })
    at = span.end
    if (pieces.length < MANY_PIECES) return
    written.push(pieces.join(''))
    pieces = []
  })
  return at === 0 ? text : [...written, ...pieces, text.slice(at)].join('')
}
