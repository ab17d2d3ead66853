// Lists, changes and removes members. The log gets each change before the response.
import type { KeyRecord } from '../../keys/key.schema.ts'
import type { Clock } from '../../platform/time.ts'
import { type OpenOrganisation, reachBeforeChange } from '../../organisation/organisation-client.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import type { Role } from '../access/roles.policy.ts'
import type { ActDelivery } from './act-delivery.ts'
import type { Member, MembersStore, MemberRole } from './members.store.ts'
import { newPendingAct } from './pending-acts.store.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Access } from '../access/access-control.ts'

/** `overtaken`: another request changed one of the two members at the same time. */
export type MemberRefused = { outcome: 'not_found' | 'last_owner' | 'overtaken' }

export type RoleChanged = { outcome: 'changed'; member: Member } | MemberRefused

/** `keys`: the active keys that the person had made, and the keys that those had made. */
export type MemberRemoved = { outcome: 'removed'; member: Member; keys: readonly KeyRecord[] } | MemberRefused

export type MembersService = ReturnType<typeof createMembersService>

type Deps = { members: MembersStore; open: OpenOrganisation; delivery: ActDelivery; clock: Clock }

export function createMembersService({ members, open, delivery, clock }: Deps) {
  async function refusalOf(organisation: OrganisationId, target: Member): Promise<MemberRefused> {
    const current = await members.find(organisation, target.personId)
    if (current === null) return { outcome: 'not_found' }
    const isLast = current.role === 'owner' && !(await members.hasOtherOwner(organisation, current.personId))
    return { outcome: isLast ? 'last_owner' : 'overtaken' }
  }

  return {
    list: (organisation: OrganisationId, limit: number, cursor: string | undefined): Promise<Member[]> =>
      members.list(organisation, limit, cursor),

    find: (organisation: OrganisationId, person: string): Promise<Member | null> => members.find(organisation, person),

    /** @param target the member as read when the permission was checked */
    async changeRole(
      { organisation, by, requestId }: MemberChangeContext,
      target: Member,
      role: Role,
    ): Promise<RoleChanged> {
      if (target.role === role) return { outcome: 'changed', member: target }
      const content = { member_id: target.personId, role, previous_role: target.role }
      const act = { actor: by.id, act: 'member.role', requestId, content }
      const pending = newPendingAct(organisation, act, clock())
      const isChanged = await members.changeRole(pending, by, memberRoleOf(target), role)
      if (!isChanged) return refusalOf(organisation.id, target)
      await delivery.deliver(pending)
      return { outcome: 'changed', member: { ...target, role } }
    },

    async remove(
      { organisation, by, requestId }: MemberChangeContext,
      target: Member,
      options: { revokeKeys: boolean },
    ): Promise<MemberRemoved> {
      const content = { member_id: target.personId, role: target.role, revoke_keys: options.revokeKeys }
      const act = { actor: by.id, act: 'member.remove', requestId, content }
      const pending = newPendingAct(organisation, act, clock())
      const activeKeys = await reachBeforeChange(organisation, () =>
        open(organisation).keys.listMadeBy(target.personId),
      )
      const isRemoved = await members.remove(pending, by, memberRoleOf(target))
      if (!isRemoved) return refusalOf(organisation.id, target)
      const revoked = await delivery.deliver(pending)
      // A key of theirs may have made another in the meantime.
      const newlyMade = revoked.filter(({ id }) => activeKeys.every((one) => one.id !== id))
      return { outcome: 'removed', member: target, keys: [...newlyMade, ...activeKeys] }
    },
  }
}

const memberRoleOf = ({ personId, role }: Member): MemberRole => ({ id: personId, role })

/** The person who changes members, and the organisation. */
export type MemberChangeContext = { organisation: Access['organisation']; by: MemberRole; requestId: string }

export function memberChangeContextOf(c: AppContext, { organisation, manager }: Access): MemberChangeContext {
  if (manager.kind === 'key') throw new Error('no permission over members is a key’s')
  return { organisation, by: { id: manager.id, role: manager.role }, requestId: c.get('requestId') }
}
