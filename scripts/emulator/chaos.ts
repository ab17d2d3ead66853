// Random misbehaviour for soak runs: a seeded sequence, so that a run can be repeated with the same trouble.
import { seededRandom } from '../seeded-random.ts'

/** Most requests are answered plainly; hanging ones are rare because each costs its caller a time limit. */
const WEIGHTED: ReadonlyArray<readonly [weight: number, specification: string]> = [
  [60, 'ok'],
  [4, 'slow,40'],
  [4, 'slow-body,5'],
  [3, 'split'],
  [2, 'crlf+comments'],
  [3, '429,1'],
  [3, '500'],
  [2, '503'],
  [2, '529'],
  [1, '401'],
  [2, 'html'],
  [3, 'malformed'],
  [4, 'wrong-enum'],
  [2, 'cut'],
  [1, 'truncate'],
  [1, 'mid-error'],
  [2, 'no-usage'],
  [1, 'zero-usage'],
  [2, 'empty-choices'],
  [1, 'no-role'],
  [1, 'refusal'],
  [1, 'content-filter'],
  [1, 'length'],
  [4, 'vary,2'],
  [1, 'silent'],
  [1, 'never'],
]
const TOTAL = WEIGHTED.reduce((sum, [weight]) => sum + weight, 0)

/** Gives the specification for each request in turn. */
export function createChaos(seed: number): () => string {
  const random = seededRandom(seed)
  return () => {
    let left = random() * TOTAL
    const chosen = WEIGHTED.find(([weight]) => (left -= weight) < 0)
    return chosen?.[1] ?? 'ok'
  }
}
