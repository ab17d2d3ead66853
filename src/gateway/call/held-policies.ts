// The policies that this isolate was told, by organisation: only those by which texts are looked through. One that is not in
// force any more is found out by the organisation's object, which then tells the one that is.
import { needsScan, type VersionedPolicy } from '../../policies/document/policy-document.ts'

/** The one that was used longest ago gives way. */
const MOST_HELD = 200

export type HeldPolicies = {
  recall(organisationId: string): VersionedPolicy | null
  hold(organisationId: string, policy: VersionedPolicy): void
}

export function createHeldPolicies(): HeldPolicies {
  const held = new Map<string, VersionedPolicy>()

  function hold(organisationId: string, policy: VersionedPolicy): void {
    held.delete(organisationId)
    if (!needsScan(policy.document)) return
    held.set(organisationId, policy)
    const [oldest] = held.keys()
    if (held.size > MOST_HELD && oldest !== undefined) held.delete(oldest)
  }

  function recall(organisationId: string): VersionedPolicy | null {
    const policy = held.get(organisationId)
    if (policy === undefined) return null
    hold(organisationId, policy)
    return policy
  }

  return { recall, hold }
}
