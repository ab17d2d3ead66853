// Chance that is the same in every run.
import { seededRandom } from '../../../seeded-random.ts'

export type Dice = {
  /** From 0 up to 1, without it. */
  roll: () => number
  /** Whether something happens that does so in this part of all cases. */
  happens: (part: number) => boolean
  pick: <T>(from: readonly [T, ...T[]]) => T
  /** By weight. */
  weigh: <T>(from: ReadonlyArray<readonly [T, number]>) => T
  /** A whole number of both and all between. */
  between: (least: number, most: number) => number
  /** Around a middle, with a long tail above it, as times and lengths are. */
  spread: (middle: number) => number
}

export function createDice(seed: number): Dice {
  const roll = seededRandom(seed)
  const between = (least: number, most: number): number => least + Math.floor(roll() * (most - least + 1))
  return {
    roll,
    happens: (part) => roll() < part,
    pick: (from) => from[between(0, from.length - 1)] ?? from[0],
    weigh(from) {
      let left = roll() * from.reduce((sum, [, weight]) => sum + weight, 0)
      const found = from.find(([, weight]) => (left -= weight) < 0) ?? from[0]
      if (found === undefined) throw new RangeError('nothing to choose from')
      return found[0]
    },
    between,
    spread: (middle) => Math.max(1, Math.round(middle * Math.exp((roll() + roll() + roll() - 1.5) * 0.9))),
  }
}
