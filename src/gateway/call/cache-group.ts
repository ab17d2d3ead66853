// Prompts that a caller wants kept together at OpenAI. All organisations share the service's own account there: were their
// keys sent as they are, who guesses another's key could tell by the time what that one has sent.
import { sha256Hex } from '../../platform/sha256.ts'

/** As long as OpenAI takes; the same only for the same organisation and key, neither of which it tells. */
export function cacheGroup(organisationId: string, cacheKey: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : sha256Hex(JSON.stringify([organisationId, cacheKey]))
}
