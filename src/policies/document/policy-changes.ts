// Compares two policy documents member by member, to show people what a change of the policy would do. Pure.
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import { isJsonObject, ownMember } from '../../platform/json.ts'

/** `path`: a JSON Pointer (RFC 6901). `before` or `after` is null if the member is missing there; no rule has a null of its own. */
export type PolicyChange = {
  path: string
  change: 'added' | 'removed' | 'changed'
  before: unknown
  after: unknown
}

/** Returns changes in the order of their paths. */
export const findPolicyChanges = (before: object, after: object): PolicyChange[] =>
  compareMembers('', { ...before }, { ...after })

type Members = Readonly<Record<string, unknown>>

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function compareMembers(at: string, before: Members, after: Members): PolicyChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    const path = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return compare(path, ownMember(before, name), ownMember(after, name))
  })
}

function compare(path: string, before: unknown, after: unknown): PolicyChange[] {
  if (before === undefined) return after === undefined ? [] : [{ path, change: 'added', before: null, after }]
  if (after === undefined) return [{ path, change: 'removed', before, after: null }]
  if (isJsonObject(before) && isJsonObject(after)) return compareMembers(path, before, after)
  return canonicalJson(before) === canonicalJson(after) ? [] : [{ path, change: 'changed', before, after }]
}
