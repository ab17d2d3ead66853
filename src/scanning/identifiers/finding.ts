// What a shape's finder reports, in offsets of the matching copy it was given.
import type { IdentifierShape, Shape } from './identifier-shapes.ts'

/** How sure a finder is of the shape's name. Where findings overlap, the surest is kept, then the longest. */
export const CERTAINTY = { token: 0, labelled: 1, distinctive: 2, shaped: 3, digitsOnly: 4 } as const

export type Finding<S extends Shape = IdentifierShape> = {
  shape: S
  start: number
  end: number
  certainty: (typeof CERTAINTY)[keyof typeof CERTAINTY]
}
