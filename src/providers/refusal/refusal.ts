// What a provider has against a request, read from its error into closed vocabularies. Its words stay where they are: they
// can repeat the request, and hold key fragments and addresses.
import { memberAt, type Origin, type Path } from './member.ts'

export type RefusalReason =
  | 'too_long' // more tokens than the model takes
  | 'beyond_rate' // more tokens than this deployment may use there in a minute, so that waiting does not help
  | 'too_large' // more bytes than the provider takes
  | 'media' // a picture or a file that it cannot read
  | 'schema' // a JSON schema that it cannot use
  | 'content' // against its own policy
  | 'member' // a member, or its value
  | 'unknown'

/** `member`: what it is about, in the names of the chat standard; null where that is not certain. */
export type Refusal = { readonly reason: RefusalReason; readonly member: string | null }

/**
 * What an error body hints at. `access`: it is about this deployment's key, account or money, and not about the request.
 * `path`: where it points to in the chat standard's request; empty where it does not.
 */
export type RefusalHint = 'access' | { readonly reason: RefusalReason; readonly path: Path }

/** @param body the error's JSON; undefined where it has none */
export type ReadRefusal = (body: unknown, origin: Origin) => RefusalHint

export const NO_HINT: RefusalHint = { reason: 'unknown', path: [] }

/** A hint by a member alone: which one it is, is then all that is known. */
export const hintAt = (path: Path): RefusalHint => ({ reason: path.length === 0 ? 'unknown' : 'member', path })

/** What a hint comes to, once the status and the request that was sent are known too. */
export function refusalOf(hint: Exclude<RefusalHint, 'access'>, status: number, origin: Origin): Refusal {
  const reason = hint.reason === 'unknown' && status === 413 ? 'too_large' : hint.reason
  const member = memberAt(hint.path, origin)
  return { reason: reason === 'member' && member === null ? 'unknown' : reason, member }
}
