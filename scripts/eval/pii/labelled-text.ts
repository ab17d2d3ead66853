// A text and what it holds of each shape: what a scan should find, and nothing else.
import type { Shape } from '../../../src/scanning/identifiers/identifier-shapes.ts'

/** Offsets count code points, as Python's do. */
export type Span = { readonly shape: Shape; readonly start: number; readonly end: number }

export type LabelledText = { readonly text: string; readonly spans: readonly Span[] }

/** A piece of a text: plain, or a value of a shape. */
export type Piece = string | { readonly shape: Shape; readonly value: string }

export function joinPieces(pieces: readonly Piece[]): LabelledText {
  const spans: Span[] = []
  let text = ''
  let length = 0
  for (const piece of pieces) {
    const written = typeof piece === 'string' ? piece : piece.value
    const end = length + Array.from(written).length
    if (typeof piece !== 'string') spans.push({ shape: piece.shape, start: length, end })
    text += written
    length = end
  }
  return { text, spans }
}
