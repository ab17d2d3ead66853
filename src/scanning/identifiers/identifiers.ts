// The identifier guard: which identifier shapes a letter holds, and where. Pure; it never returns the letter's characters.
import { runSteps } from '../../platform/steps.ts'
import { findIdentifiersInCopy } from './find-in-copy.ts'
import type { Identifier } from './identifier-shapes.ts'
import { matchingCopies } from './normalise/matching-copies.ts'
import { resolveOverlaps } from './overlaps.ts'

export { IDENTIFIER_SHAPES } from './identifier-shapes.ts'
export type { Identifier, IdentifierShape } from './identifier-shapes.ts'

/** Every identifier shape in `text`, in order of start; each stretch once, under its most specific name. */
export function findIdentifiers(text: string): Identifier[] {
  const findings = matchingCopies(text).flatMap((copy) => runSteps(findIdentifiersInCopy(copy)))
  return findings.length === 0 ? [] : resolveOverlaps(findings)
}
