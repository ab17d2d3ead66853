// A turn: what one call decides and writes, in a single synchronous transaction of the organisation's database. Stores hold
// some of their rows in memory too; a turn that is rolled back makes them forget all of it.

/** A store that holds what it has read or written. */
export type Remembering = { forget(): void }

export type TakeTurn = <T>(work: () => T) => T

/** The turn throws what `work` throws, and has then changed nothing. */
export function createTurns(storage: DurableObjectStorage, stores: readonly Remembering[]): TakeTurn {
  return (work) => {
    try {
      return storage.transactionSync(work)
    } catch (thrown) {
      for (const store of stores) store.forget()
      throw thrown
    }
  }
}
