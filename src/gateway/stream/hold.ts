// Holds back one thing at a time, from the moment it is told to.

export type Hold<T> = {
  /** What may go on now that `next` has come; `begin` starts the holding. */
  pass(next: T, begin: boolean): T[]
  isHolding(): boolean
  /** What was held, if anything. */
  release(): T[]
}

export function createHold<T>(): Hold<T> {
  let held: T[] = []
  const release = (): T[] => held.splice(0)
  return {
    pass(next, begin) {
      if (!begin && held.length === 0) return [next]
      const earlier = held
      held = [next]
      return earlier
    },
    isHolding: () => held.length > 0,
    release,
  }
}
