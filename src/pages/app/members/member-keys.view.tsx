// Names the keys of a member that end when their role changes or they leave, and the keys that go on working.
import { keysReachOf, type Role } from '../../../accounts/access/roles.policy.ts'
import { couldMakeKey } from '../../../keys/key-permission.policy.ts'
import type { Key } from '../../../keys/key.schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { Checkbox } from '../../parts/fields.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { plural } from '../../text/format.ts'
import { useLoadedKeys } from '../key-and-person-names.view.tsx'
import { namesOf } from '../keys/key-labels.tsx'
import { session, type Membership } from '../session.ts'

type MemberKeys = {
  ending: readonly Key[]
  staying: readonly Key[]
  /** Says that keys may be missing from both, and what becomes of them; null if none are. */
  warning: string | null
  /** True if keys that are not listed may go on working. */
  mayOthersStay: boolean
  again: (() => void) | null
}

/**
 * Returns the working keys that a person made and those that these made; null while they load. The service uses the same rule.
 * @param role the new role; null if they leave
 */
export function useMemberKeys(
  personId: string,
  role: Role | null,
  from: Membership | null = session().organisation,
): MemberKeys | null {
  const loaded = useLoadedKeys(from)
  if (loaded === null) return null
  const { byId: keys, isWhole, again } = loaded
  const person = { id: personId, reach: role === null ? null : keysReachOf(role) }
  const isTheirs = ({ created_by: maker }: Key): boolean => {
    const madeBy = keys.get(maker)
    return maker === personId || (madeBy !== undefined && isTheirs(madeBy))
  }
  const working = [...keys.values()].filter((key) => key.status === 'active' && isTheirs(key))
  const stays = (key: Key): boolean => couldMakeKey(person, { ...key, createdBy: key.created_by })
  const [whose, who] = personId === session().user.id ? ['Your', 'you'] : ['Their', 'they']
  const lost = person.reach === null ? `All keys that ${who} made` : 'Keys that the new role could not make'
  return {
    ending: working.filter((key) => !stays(key)),
    staying: working.filter(stays),
    warning: isWhole ? null : `${whose} keys could not all be listed. ${lost} are revoked.`,
    mayOthersStay: !isWhole && person.reach !== null,
    again,
  }
}

type KeysProps = { of: MemberKeys | null }

/** Names the keys that end. If not all could be listed, it says so instead of hiding them. */
export const EndingKeys = ({ of: keys }: KeysProps) =>
  keys !== null && (
    <>
      {keys.ending.length > 0 && (
        <p>
          {plural(keys.ending.length, 'key')} will be revoked: {namesOf(keys.ending)}.{' '}
          <strong>This cannot be undone.</strong> To keep a program running, somebody else replaces its key first, under
          API keys.
        </p>
      )}
      {keys.warning !== null && (
        <Notice tone="warn" title={keys.warning}>
          {keys.again !== null && (
            <p>
              <Button onClick={keys.again}>Try again</Button>
            </p>
          )}
        </Notice>
      )}
    </>
  )

type CheckProps = KeysProps & { isChecked: boolean; onCheck: (isChecked: boolean) => void }

/** Offers to revoke the other keys too. */
export const StayingKeys = ({ of: keys, ...check }: CheckProps) =>
  keys !== null &&
  (keys.mayOthersStay || keys.staying.length > 0) && (
    <Checkbox {...check}>
      <span>
        {keys.mayOthersStay
          ? 'Revoke the others too.'
          : `Revoke ${plural(keys.staying.length, 'more key')} too: ${namesOf(keys.staying)}.`}{' '}
        If not, they go on working.
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
