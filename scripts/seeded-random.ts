// Random numbers with a seed, the same in every run and on every machine.

/** Mulberry32: small, public domain. Returns numbers from 0 up to 1, without 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Random = {
  /** A number from 0 to below 1. */
  next: () => number
  /** A whole number from 0 to below `limit`. */
  below: (limit: number) => number
  /** A whole number from `least` to `most`, both included. */
  between: (least: number, most: number) => number
  choose: <T>(items: readonly T[]) => T
  /** One of the items, chosen by weight. */
  weigh: <T>(items: ReadonlyArray<readonly [T, number]>) => T
  /** The items in another order, each order as likely. */
  shuffle: <T>(items: readonly T[]) => T[]
  /** True in this share of calls. */
  happens: (share: number) => boolean
  /** A number around a middle with a long tail above it, like times and lengths. */
  spread: (middle: number) => number
}

export function createRandom(seed: number): Random {
  const next = seededRandom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  const choose = <T>(items: readonly T[]): T => chosen(items[below(items.length)])
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    choose,
    weigh(items) {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      return chosen(items.find(([, weight]) => (left -= weight) < 0) ?? items[0])[0]
    },
    shuffle: (items) =>
      items
        .map((item) => ({ item, place: below(1_000_000) }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ item }) => item),
    happens: (share) => next() < share,
    spread: (middle) => Math.max(1, Math.round(middle * Math.exp((next() + next() + next() - 1.5) * 0.9))),
  }
}

function chosen<T>(item: T | undefined): T {
  if (item === undefined) throw new RangeError('There is nothing to choose from.')
  return item
}
