// Every shape that a text of any length holds: those of identifiers, of accounts and of tokens. A long text is looked through
// in stretches that overlap, so that what the search keeps at a time does not grow with it, and only near what a value cannot
// do without.
import type { Finding } from './finding.ts'
import { findAccountsInCopy, findIdentifiersInCopy } from './find-in-copy.ts'
import { IDENTIFIER_SHAPES, type Found, type Shape } from './identifier-shapes.ts'
import { outsideMachineIds } from './machine-ids.ts'
import { foldedCopy, matchingCopies } from './normalise/matching-copies.ts'
import { originalRange } from './normalise/matching-copy.ts'
import { readNumberWords } from './normalise/number-words.ts'
import { resolveOverlaps } from './overlaps.ts'
import { findServiceTokens } from './shapes/service-token.ts'

const STRETCH = 8_192
/** More than the longest identifier with its label, and than what of its surroundings is looked at. */
const MARGIN = 512

/**
 * In order of start, with offsets in UTF-16 units; each stretch of characters once, under its most specific name.
 *
 * @param isWanted the shapes that are asked for. A name is given before it is asked: what is a telephone number is no record
 * number because nobody wants telephone numbers.
 */
export function findShapes(text: string, isWanted: (shape: Shape) => boolean): Found[] {
  const withIdentifiers = IDENTIFIER_SHAPES.some(isWanted)
  const findings: Finding<Shape>[] = findServiceTokens(text)
  for (let from = 0; from < text.length; from += STRETCH) {
    const to = text.length - from <= STRETCH + MARGIN ? text.length : from + STRETCH
    addFoundBetween(findings, text, { from, to, withIdentifiers })
    if (to === text.length) break
  }
  if (findings.length === 0) return []
  return outsideMachineIds(text, resolveOverlaps(findings)).filter(({ shape }) => isWanted(shape))
}

type Stretch = { readonly from: number; readonly to: number }

/** What begins from `from` on and before `to`, read together with what stands around. */
function addFoundBetween(
  findings: Finding<Shape>[],
  text: string,
  { from, to, withIdentifiers }: Stretch & { withIdentifiers: boolean },
): void {
  const first = atCharacter(text, Math.max(0, from - MARGIN))
  const stretch = text.slice(first, atCharacter(text, Math.min(text.length, to + MARGIN)))
  for (const part of partsToSearch(stretch)) {
    for (const { shape, certainty, start, end } of findInPart(stretch, part, withIdentifiers)) {
      if (first + start < from || first + start >= to) continue
      findings.push({ shape, certainty, start: first + start, end: first + end })
    }
  }
}

/** A figure, an at sign, or the words that say one; the labels of postcodes, in which letters may stand for all figures. */
const NEEDED = /[\d@]+|&commat|\bdot\b|[([{<] ?at ?[)\]}>]|code|\bzip\b/gi

/** The longest label, identifier or surrounding that is looked at, as in a copy with second readings. */
const NEARBY = 192

/** Of a stretch, what stands near something that a value cannot do without, disguised or not; whole where that is most of it. */
function partsToSearch(stretch: string): Stretch[] {
  const copy = foldedCopy(stretch)
  const whole = [{ from: 0, to: stretch.length }]
  if (readNumberWords(copy) !== undefined) return whole
  const parts: { from: number; to: number }[] = []
  let length = 0
  for (const { 0: needed, index } of copy.text.matchAll(NEEDED)) {
    const from = Math.max(0, index - NEARBY)
    const to = Math.min(copy.text.length, index + needed.length + NEARBY)
    const last = parts.at(-1)
    length += to - Math.max(from, last?.to ?? 0)
    if (last !== undefined && from <= last.to) last.to = to
    else parts.push({ from, to })
  }
  if (length > copy.text.length / 2) return whole
  const unitAt = unitsByCodePoint(stretch)
  return parts.map((part) => {
    const { start, end } = originalRange(copy, part.from, part.to)
    return { from: unitAt?.[start] ?? start, to: unitAt?.[end] ?? end }
  })
}

function findInPart(stretch: string, { from, to }: Stretch, withIdentifiers: boolean): Finding<Shape>[] {
  const part = stretch.slice(from, to)
  const unitAt = unitsByCodePoint(part)
  return matchingCopies(part).flatMap((copy) => {
    const found = [...findAccountsInCopy(copy), ...(withIdentifiers ? findIdentifiersInCopy(copy) : [])]
    return found.map(({ shape, certainty, start, end }) => ({
      shape,
      certainty,
      start: from + (unitAt?.[start] ?? start),
      end: from + (unitAt?.[end] ?? end),
    }))
  })
}

const LOW_SURROGATE = /[\udc00-\udfff]/

/** Not between the halves of a pair. */
const atCharacter = (text: string, at: number): number => (LOW_SURROGATE.test(text.charAt(at)) ? at - 1 : at)

/** Where each code point begins, and the last ends; null where they are the same as UTF-16 units. */
function unitsByCodePoint(text: string): Int32Array | null {
  if (!LOW_SURROGATE.test(text)) return null
  const units = new Int32Array(text.length + 1)
  let unit = 0
  let count = 0
  for (const character of text) {
    units[count] = unit
    unit += character.length
    count += 1
  }
  units[count] = unit
  return units
}
