// Applies a change of members to the organisation's keys and approvals: in one turn with its entry, so that neither a key nor
// an approval of a person who was removed counts once the change is answered.
import type { KeyRecord } from '../../keys/keys.store.ts'
import { appendAct, type Act } from '../acts.ts'
import { endOver, type ApprovalStores } from '../approvals/steps.ts'
import type { RightsChange } from './member-rights.store.ts'
import { revokeKeysOf } from './managed-keys.ts'

/** `keysBefore`: the person's keys from before this time are revoked; null: none. Later ones are of somebody who came back. */
export type MemberChange = RightsChange & { keysBefore: number | null }

/** Returns the keys that it revoked. Safe to repeat. */
export function changeMember(
  stores: ApprovalStores,
  { keysBefore, ...change }: MemberChange,
  act: Act,
  now: number,
): KeyRecord[] {
  const made = keysBefore === null ? null : { personId: change.personId, before: keysBefore }
  const revoked = made === null ? [] : revokeKeysOf(stores, made, { ...act, act: 'key.revoke' }, now)
  appendAct(stores.journal, act, now)
  stores.memberRights.write(change)
  endOver(stores, now)
  return revoked
}
