// What is kept of a request while it is answered: nothing that its caller wrote, and nothing large.
import type { Usage } from '../../providers/answer.ts'
import type { Model } from '../../providers/catalogue.ts'
import type { RequestHashes } from './request-hash.ts'

export type CallOutline = {
  readonly model: Model
  readonly hashes: RequestHashes
  readonly bytes: number
  /** The most it can use before anything is written, and a guess at its input. */
  readonly upFront: Usage
  readonly inputTokens: number
  /** The caller's own limit for each choice; null where it set none. */
  readonly maxTokens: number | null
  readonly choices: number
  /** As the caller asked, whether or not it is sent; null where it did not say. */
  readonly temperature: number | null
}
