// How many cases a property is tried with. PROPERTY_RUNS=10 asks for ten times as many in every test.
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    runs: number
  }
}

/** @param count as many as find what is wrong nearly always, in seconds */
export const runs = (count: number): number => Math.ceil(count * inject('runs'))
