// The choices that the corpus is made with: the same in every run.
import { seededRandom } from '../../seeded-random.ts'

export type Random = {
  /** A whole number from 0 to `limit`, without it. */
  below: (limit: number) => number
  choose: <T>(items: readonly T[]) => T
}

export function createRandom(seed: number): Random {
  const next = seededRandom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    choose: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('There is nothing to choose from.')
      return item
    },
  }
}
