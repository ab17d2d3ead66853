// A question whose answer may be asked for again, such as a page: asked three times before it is given up.
import { sealedBy } from '../organisation/erasure/sealed.ts'
import { withinTime } from '../platform/clock.ts'

const ATTEMPTS = 3
const LIMIT_MS = 60_000

/** Rejects as the last attempt does, and at once where the organisation is sealed. */
export async function askAgain<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withinTime(question(), LIMIT_MS)
    } catch (thrown) {
      if (attempt === ATTEMPTS || sealedBy(thrown) !== null) throw thrown
    }
  }
}
