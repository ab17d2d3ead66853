// Prompts that a caller wants kept together at OpenAI. All organisations share the service's own account there: were their
// keys sent as they are, who guesses another's key could tell by the time what that one has sent.
import { createHash } from 'node:crypto'

/** As long as OpenAI takes; the same only for the same organisation and key, neither of which it tells. */
export function cacheGroup(organisationId: string, cacheKey: string | undefined): string | undefined {
  if (cacheKey === undefined) return undefined
  return createHash('sha256')
    .update(JSON.stringify([organisationId, cacheKey]))
    .digest('hex')
}
