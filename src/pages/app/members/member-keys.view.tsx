// Names the keys of a member that end when their role changes or they leave, and the keys that go on working.
import { keysReachOf, type Role } from '../../../accounts/access/roles.policy.ts'
import { couldMakeKey } from '../../../keys/key-permission.policy.ts'
import type { Key } from '../../../keys/key.schema.ts'
import { Checkbox } from '../../parts/fields.view.tsx'
import { plural } from '../../text/format.ts'
import { useKeys } from '../key-and-person-names.view.tsx'
import { namesOf } from '../keys/key-labels.tsx'
import { session, type Membership } from '../session.ts'

/**
 * Returns the working keys that a person made and those that these made; null while they load. The service uses the same rule.
 * @param role the new role; null if they leave
 */
export function useMemberKeys(
  personId: string,
  role: Role | null,
  from: Membership | null = session().organisation,
): { ending: Key[]; staying: Key[] } | null {
  const keys = useKeys(from)
  if (keys === null) return null
  const person = { id: personId, reach: role === null ? null : keysReachOf(role) }
  const isTheirs = ({ created_by: maker }: Key): boolean => {
    const madeBy = keys.get(maker)
    return maker === personId || (madeBy !== undefined && isTheirs(madeBy))
  }
  const working = [...keys.values()].filter((key) => key.status === 'active' && isTheirs(key))
  const stays = (key: Key): boolean => couldMakeKey(person, { ...key, createdBy: key.created_by })
  return { ending: working.filter((key) => !stays(key)), staying: working.filter(stays) }
}

type KeysProps = { keys: readonly Key[] | undefined }

export const EndingKeys = ({ keys = [] }: KeysProps) =>
  keys.length > 0 && (
    <p>
      {plural(keys.length, 'key')} will be revoked: {namesOf(keys)}. <strong>This cannot be undone.</strong> To keep a
      program running, somebody else replaces its key first, under API keys.
    </p>
  )

type CheckProps = KeysProps & { isChecked: boolean; onCheck: (isChecked: boolean) => void }

/** Offers to revoke the other keys too. */
export const StayingKeys = ({ keys = [], ...check }: CheckProps) =>
  keys.length > 0 && (
    <Checkbox {...check}>
      <span>
        Revoke {plural(keys.length, 'more key')} too: {namesOf(keys)}. If not, they go on working.
      </span>
    </Checkbox>
  )

/** Returns sentences about the keys after the change, each with a blank before it; '' if there are none. */
export function describeKeys(keys: readonly Key[]): string {
  const revoked = keys.filter(({ status }) => status === 'revoked')
  const working = keys.filter(({ status }) => status !== 'revoked')
  const ended = revoked.length === 0 ? '' : ` ${plural(revoked.length, 'key')} revoked: ${namesOf(revoked)}.`
  return working.length === 0 ? ended : `${ended} ${plural(working.length, 'key')} still at work: ${namesOf(working)}.`
}
