// Finds identifiers, account numbers and access tokens in prompts of any length, for pii_scan. Long texts are searched in
// overlapping stretches, to bound memory, and only near anchors, which every value contains.
import { runSteps, type Steps } from '../../platform/computation-steps.ts'
import { isDigit, type Finder, type Finding, type ReportedFinding } from './finding.ts'
import { findIdentifiersInCopy, IDENTIFIER_FINDERS, runFinders, toOriginalRanges } from './find-identifiers.ts'
import { findInMarkup, type InMarkup } from './markup/find-in-markup.ts'
import { foldedCopy, matchingCopies } from './normalise/make-matching-copies.ts'
import { originalRange, unitsByCodePoint, type MatchingCopy } from './normalise/matching-copy.ts'
import { readNumberWords } from './normalise/number-words.ts'
import { resolveOverlapsInSteps } from './overlaps.ts'
import { IDENTIFIER_SHAPES } from './shapes/identifiers.ts'
import { ACCOUNTS, type Shape } from './shapes/index.ts'
import { findServiceTokensInSteps, serviceTokens } from './shapes/service-token.ts'

/** Changing STRETCH or MARGIN changes findings: in a long row of digits, where values begin depends on where a search began. */
const STRETCH = 8_192
/** Longer than the longest identifier with its label, and than the surroundings that a finder reads. */
const MARGIN = 512

type IsWanted = (shape: Shape) => boolean

/**
 * Returns findings in order of start, with offsets in UTF-16 units. Findings never overlap: only the surest is reported.
 *
 * @param isWanted selects the shapes to return. Overlaps are resolved before: a telephone number never becomes a record number
 * because telephone numbers are not wanted.
 */
export const findShapes = (text: string, isWanted: IsWanted): FoundShape[] =>
  runSteps(findShapesInSteps(text, isWanted))

export type FoundShape = ReportedFinding<Shape> & InMarkup

export function* findShapesInSteps(text: string, isWanted: IsWanted): Steps<FoundShape[]> {
  const withIdentifiers = IDENTIFIER_SHAPES.some(isWanted)
  const found = yield* findInMarkup(text, (written) => findAsWritten(written, withIdentifiers))
  return found.filter(({ shape }) => isWanted(shape))
}

function* findAsWritten(text: string, withIdentifiers: boolean): Steps<ReportedFinding<Shape>[]> {
  const tokens = (yield* findServiceTokensInSteps(text)).toSorted((a, b) => a.start - b.start)
  const kept: ReportedFinding<Shape>[] = []
  /** Findings that later findings may still overlap. */
  let open: Finding<Shape>[] = []
  let openTo = 0
  let token = 0
  for (let from = 0, to = 0; to < text.length; from = to) {
    to = text.length - from <= STRETCH + MARGIN ? text.length : from + STRETCH
    const added: Finding<Shape>[] = []
    while ((tokens[token]?.start ?? to) < to) added.push(...tokens.slice(token, (token += 1)))
    yield (to - from) / 32
    yield* addFoundBetween(added, text, { from, to, withIdentifiers })
    const { cut, end } = lastCut(added, { from, to }, openTo)
    for (const finding of added) open.push(finding)
    openTo = end
    if (cut === null || open.length === 0) continue
    const closed = open.filter(({ start }) => start < cut)
    open = open.filter(({ start }) => start >= cut)
    for (const found of outsideMachineIds(text, yield* resolveOverlapsInSteps(closed))) kept.push(found)
  }
  return kept
}

type Stretch = { readonly from: number; readonly to: number }

/**
 * Returns the last position that no finding covers, null if there is none. `end` is where the last finding ends.
 * @param openTo where the last of the earlier findings ends
 */
function lastCut(
  added: readonly Finding<Shape>[],
  { from, to }: Stretch,
  openTo: number,
): { cut: number | null; end: number } {
  if (added.length === 0) return { cut: openTo <= to ? to : null, end: openTo }
  const ends = new Int32Array(to - from)
  for (const { start, end } of added) ends[start - from] = Math.max(ends[start - from] ?? 0, end)
  let cut: number | null = null
  let end = openTo
  for (let at = from; at < to; at += 1) {
    if (at >= end) cut = at
    end = Math.max(end, ends[at - from] ?? 0)
  }
  return { cut: end <= to ? to : cut, end }
}

/** Adds the values that begin in [from, to). Their surroundings are searched with them. */
function* addFoundBetween(
  findings: Finding<Shape>[],
  text: string,
  { from, to, withIdentifiers }: Stretch & { withIdentifiers: boolean },
): Steps<void> {
  const first = atCharacter(text, Math.max(0, from - MARGIN))
  const stretch = text.slice(first, atCharacter(text, Math.min(text.length, to + MARGIN)))
  for (const part of partsToSearch(stretch)) {
    for (const finding of yield* findInPart(stretch, part, withIdentifiers)) {
      finding.start += first
      finding.end += first
      if (finding.start >= from && finding.start < to) findings.push(finding)
    }
  }
}

/** The longest label, identifier or surroundings that a finder reads, also in a copy with second readings. */
const NEARBY = 192

/** If more than one character in this many is a digit, nearly all of the text is near one. */
const DENSE = 16

/** Returns the parts of a stretch near an anchor, or the whole stretch if they are most of it. */
function partsToSearch(stretch: string): Stretch[] {
  const copy = foldedCopy(stretch)
  const { text } = copy
  const whole = [{ from: 0, to: stretch.length }]
  if (isDense(text) || readNumberWords(copy) !== undefined) return whole
  const parts: { from: number; to: number }[] = []
  let length = 0
  for (const { 0: needed, index } of text.matchAll(ANCHOR)) {
    const from = Math.max(0, index - NEARBY)
    const to = Math.min(text.length, index + needed.length + NEARBY)
    const last = parts.at(-1)
    length += to - Math.max(from, last?.to ?? 0)
    if (length > text.length / 2) return whole
    if (last !== undefined && from <= last.to) last.to = to
    else parts.push({ from, to })
  }
  const unitAt = unitsByCodePoint(stretch)
  return parts.map((part) => {
    const { start, end } = originalRange(copy, part.from, part.to)
    return { from: unitAt?.[start] ?? start, to: unitAt?.[end] ?? end }
  })
}

function isDense(text: string): boolean {
  let digits = 0
  for (let at = 0; at < text.length; at += 1) {
    if (!isDigit(text.charCodeAt(at))) continue
    digits += 1
    if (digits > text.length / DENSE) return true
  }
  return false
}

function* findInPart(stretch: string, { from, to }: Stretch, withIdentifiers: boolean): Steps<Finding<Shape>[]> {
  const part = stretch.slice(from, to)
  const unitAt = unitsByCodePoint(part)
  const findings: Finding<Shape>[] = []
  for (const copy of matchingCopies(part)) {
    yield copy.text.length / 8
    for (const finding of yield* findAccountsInCopy(copy)) findings.push(finding)
    if (withIdentifiers) for (const finding of yield* findIdentifiersInCopy(copy)) findings.push(finding)
  }
  for (const finding of findings) {
    finding.start = from + (unitAt?.[finding.start] ?? finding.start)
    finding.end = from + (unitAt?.[finding.end] ?? finding.end)
  }
  return findings
}

const LOW_SURROGATE = /[\udc00-\udfff]/

/** Returns `at`, or the position before it if `at` is between the halves of a surrogate pair. */
const atCharacter = (text: string, at: number): number => (at > 0 && LOW_SURROGATE.test(text.charAt(at)) ? at - 1 : at)

const ACCOUNT_FINDERS = ACCOUNTS.flatMap<Finder<Shape>>(({ finders }) => finders)

/** Matches in every value of every shape, except numbers that are spelled in words. */
export const ANCHOR: RegExp = new RegExp(
  [...new Set([...IDENTIFIER_FINDERS, ...ACCOUNT_FINDERS].flatMap(({ anchor }) => anchor))].join('|'),
  'gi',
)

/** Finds accounts, and tokens where the copy differs from the text: the whole text is searched for tokens anyway. */
function* findAccountsInCopy(copy: MatchingCopy): Steps<Finding<Shape>[]> {
  const finders = copy.origin === undefined ? ACCOUNT_FINDERS : [...ACCOUNT_FINDERS, serviceTokens]
  return toOriginalRanges(copy, yield* runFinders(finders, copy, []))
}

const MACHINE_ID =
  /(?<![a-z0-9])(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|(?=\d*[a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}))(?![a-z0-9])/gi

const LONGEST_MACHINE_ID = 64

/** Removes findings within a machine id (UUID, hash). `found` is in order of start. Only the text near it is searched. */
function outsideMachineIds(text: string, found: readonly ReportedFinding<Shape>[]): ReportedFinding<Shape>[] {
  const [first] = found
  const last = found.at(-1)
  if (first === undefined || last === undefined) return []
  // One more character on either side shows whether a machine id begins or ends there.
  const from = Math.max(0, first.start - LONGEST_MACHINE_ID - 1)
  const names = text.slice(from, last.end + LONGEST_MACHINE_ID + 1).matchAll(MACHINE_ID)
  let name = names.next()
  return found.filter(({ start, end }) => {
    while (name.done !== true && from + endOf(name.value) < end) name = names.next()
    return name.done === true || start < from + name.value.index
  })
}

const endOf = ({ 0: name, index }: RegExpExecArray): number => index + name.length
