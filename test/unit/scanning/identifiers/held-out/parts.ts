// Pieces that generated texts are put together from.
import fc from 'fast-check'

export type Piece = string | fc.Arbitrary<string | number>

export const integer = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max })
export const padded = (min: number, max: number): fc.Arbitrary<string> =>
  integer(min, max).map((value) => String(value).padStart(2, '0'))
export const digits = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.nat(9), { minLength: length, maxLength: length }).map((each) => each.join(''))
/** One of the words of `list`, which blanks part; `_` stands for a blank inside one, `|` for a line end. */
export const oneOf = (list: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    ...list
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll('_', ' ').replaceAll('|', '\n')),
  )
export const text = (...pieces: Piece[]): fc.Arbitrary<string> =>
  fc
    .tuple(...pieces.map((piece) => (typeof piece === 'string' ? fc.constant(piece) : piece)))
    .map((each) => each.join(''))
