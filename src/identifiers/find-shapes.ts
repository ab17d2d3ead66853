// Every shape that a text of any length holds: those of identifiers, of accounts and of tokens. A long text is looked through
// in stretches that overlap, so that what the search keeps at a time does not grow with it.
import type { Finding } from './finding.ts'
import { findAccountsInCopy, findIdentifiersInCopy } from './find-in-copy.ts'
import { IDENTIFIER_SHAPES, type Found, type Shape } from './identifier-shapes.ts'
import { matchingCopies } from './normalise/matching-copies.ts'
import { outsideMachineIds } from './machine-ids.ts'
import { resolveOverlaps } from './overlaps.ts'
import { whereToLook, type Range } from './where-to-look.ts'
import { findServiceTokens } from './shapes/service-token.ts'

const STRETCH = 8_192
/** More than the longest identifier with its label, and than what of its surroundings is looked at. */
const MARGIN = 512

/**
 * In order of start, with offsets in UTF-16 units; each stretch of characters once, under its most specific name.
 *
 * @param isWanted the shapes that are asked for. A name is given before it is asked: what is a telephone number is no record
 * number because nobody wants telephone numbers.
 * @param ranges where what is found begins
 */
export function findShapes(
  text: string,
  isWanted: (shape: Shape) => boolean,
  ranges: readonly Range[] = whereToLook(text),
): Found[] {
  const withIdentifiers = IDENTIFIER_SHAPES.some(isWanted)
  const findings: Finding<Shape>[] = findServiceTokens(text)
  for (const { from, to } of ranges.flatMap(stretchesOf)) addFoundBetween(findings, text, { from, to, withIdentifiers })
  if (findings.length === 0) return []
  return outsideMachineIds(text, resolveOverlaps(findings)).filter(({ shape }) => isWanted(shape))
}

/** None is so short that it is little beside its margins, unless the range is. */
function stretchesOf({ from, to }: Range): Range[] {
  const stretches: Range[] = []
  for (let at = from; at < to; at = stretches.at(-1)?.to ?? to) {
    stretches.push({ from: at, to: to - at <= STRETCH + MARGIN ? to : at + STRETCH })
  }
  return stretches
}

/** What begins from `from` on and before `to`, read together with what stands around. */
function addFoundBetween(
  findings: Finding<Shape>[],
  text: string,
  { from, to, withIdentifiers }: { from: number; to: number; withIdentifiers: boolean },
): void {
  const first = atCharacter(text, Math.max(0, from - MARGIN))
  const stretch = text.slice(first, atCharacter(text, Math.min(text.length, to + MARGIN)))
  const unitAt = unitsByCodePoint(stretch)
  for (const copy of matchingCopies(stretch)) {
    const found = [...findAccountsInCopy(copy), ...(withIdentifiers ? findIdentifiersInCopy(copy) : [])]
    for (const { shape, certainty, start, end } of found) {
      const startUnit = first + (unitAt?.[start] ?? start)
      if (startUnit < from || startUnit >= to) continue
      findings.push({ shape, certainty, start: startUnit, end: first + (unitAt?.[end] ?? end) })
    }
  }
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
