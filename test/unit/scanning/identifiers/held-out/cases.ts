// The held-out material: seeded, so that two versions of the guard can be asked about the same texts.
import fc from 'fast-check'
import type { IdentifierShape } from '../../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { DISGUISES, type Disguise } from '../disguises.ts'
import { HELD_OUT_CONTROL } from './controls.ts'
import { HELD_OUT_IDENTIFIERS } from './identifiers.ts'
import { AFTER, BEFORE } from './parts.ts'

export type HeldOutCase = { shape: IdentifierShape; disguise: string; text: string }

const REVERSED = 'right-to-left override'
const PLAIN: Disguise = { name: 'none', apply: (text) => text }
/** Disguises that change no letter, digit or word, so any identifier can wear them. Half of the texts wear none. */
const DISGUISE = fc.oneof(
  fc.constant(PLAIN),
  fc.constantFrom(...DISGUISES.filter(({ figuresOnly }) => figuresOnly === undefined)),
)

export function heldOutIdentifiers(shape: IdentifierShape, count: number, seed: number): HeldOutCase[] {
  const cases = fc
    .tuple(BEFORE, HELD_OUT_IDENTIFIERS[shape], DISGUISE, AFTER)
    .map(([before, identifier, disguise, after]) => {
      // A line end ends what is shown backwards, so that only one line can be turned round.
      const { name, apply } = identifier.includes('\n') && disguise.name === REVERSED ? PLAIN : disguise
      return { shape, disguise: name, text: `${before}${apply(identifier)}${after}` }
    })
  return fc.sample(cases, { numRuns: count, seed })
}

export function heldOutControls(count: number, seed: number): string[] {
  const frames = fc.tuple(
    fc.constantFrom('', 'Seen today. ', 'Thank you for seeing her: ', 'Plan:\n'),
    HELD_OUT_CONTROL,
    fc.constantFrom('', '.', ', otherwise well.', '\nReview in 6/52.', '; BP 142/88'),
  )
  return fc.sample(
    frames.map((parts) => parts.join('')),
    { numRuns: count, seed },
  )
}
