// Finds identifiers that are split over texts which a model reads one after another, such as parts and messages.
import { findShapesInSteps } from '../identifiers/find-shapes.ts'
import type { Shape } from '../identifiers/shapes/index.ts'
import { forEachInSteps, type Steps } from '../../platform/computation-steps.ts'
import { joinTextsInSteps, piecesOf, textBefore, type JoinedText, type Piece } from '../texts/joined-texts.ts'
import type { RequestText } from '../texts/request-texts.ts'
import type { FoundValue, IsWanted } from './find-redactable-values.ts'

/** One value, and its range in each text that it is in. */
export type SplitValue = { readonly shape: Shape; readonly pieces: readonly Piece[] }

/** How far into a text a value may begin if its label ends the text before. */
const MOST_AFTER_LABEL = 16

/** Returns values that only joined texts contain. @param alone the findings of each text by itself, in order of start */
export function* findSplitValues(
  texts: readonly RequestText[],
  alone: readonly (readonly FoundValue[])[],
  isWanted: IsWanted,
): Steps<SplitValue[]> {
  const found: SplitValue[] = []
  const knownPieces = new Map<number, Piece[]>()
  yield* joinTextsInSteps(texts, function* (joined) {
    yield* forEachInSteps(yield* findShapesInSteps(joined.text, isWanted), ({ shape, start, end, pieces: read }) => {
      const pieces = (read ?? [{ start, end }]).flatMap((piece) => piecesOf(joined, piece.start, piece.end))
      if (!isSplitValue({ texts, alone }, { joined, shape, pieces, start })) return
      // The other ways to join the same texts find most values again.
      if (pieces.every((piece) => knownPieces.get(piece.textIndex)?.some((known) => isWithin(piece, known)) === true))
        return
      found.push({ shape, pieces })
      for (const piece of pieces) {
        const known = knownPieces.get(piece.textIndex)
        if (known === undefined) knownPieces.set(piece.textIndex, [piece])
        else known.push(piece)
      }
    })
  })
  return found
}

const isWithin = (piece: Piece, known: Piece): boolean => piece.start >= known.start && piece.end <= known.end

type Texts = { readonly texts: readonly RequestText[]; readonly alone: readonly (readonly FoundValue[])[] }

type Candidate = {
  readonly joined: JoinedText
  readonly shape: Shape
  readonly pieces: readonly Piece[]
  readonly start: number
}

/**
 * Accepts a value that crosses a join, and one whose label ends right before it. Refuses dates, which unrelated texts make too
 * easily (`12`, then `May I ask …`). Texts of two roles just as easily make a record number, or a label with a value after it.
 */
function isSplitValue({ texts, alone }: Texts, { joined, shape, pieces, start }: Candidate): boolean {
  const [first] = pieces
  if (first === undefined || shape === 'date') return false
  const second = pieces.find(({ textIndex }) => textIndex !== first.textIndex)
  if (second !== undefined) {
    if (shape === 'email_address')
      return !isNextSentence(texts[first.textIndex]?.text ?? '', texts[second.textIndex]?.text ?? '')
    return (
      shape !== 'hospital_record_number' || new Set(pieces.map(({ textIndex }) => texts[textIndex]?.role)).size === 1
    )
  }
  if (!joined.isSpaced || first.start > MOST_AFTER_LABEL || isFoundAlone(alone[first.textIndex] ?? [], first))
    return false
  const before = textBefore(joined, start)
  if (before === null || texts[before]?.role !== texts[first.textIndex]?.role) return false
  // An Eircode without a label was found only because no lower-case letters are near (`PAIN AT T12 24HR AGO`).
  return shape !== 'eircode' || POSTCODE_LABEL.test(texts[before]?.text ?? '')
}

/** Returns true for `rate 72@rest.`, then `OPD`. */
const isNextSentence = (before: string, after: string): boolean => before.endsWith('.') && /^[A-Z]/.test(after)

const POSTCODE_LABEL = /(?:code|eirchod|zip)[^A-Za-z0-9]*(?:is[^A-Za-z0-9]*)?$/i

/** Reads only the first few findings, as findings do not overlap and few begin right after the join. */
const isFoundAlone = (alone: readonly FoundValue[], { start, end }: Piece): boolean =>
  alone
    .slice(0, MOST_AFTER_LABEL + 1)
    .some((one) => one.start < end && one.end > start && one.start <= MOST_AFTER_LABEL)
