// Lists, changes and removes members. The log gets each change before the response.
import type { KeyRecord } from '../../keys/key.schema.ts'
import type { Clock } from '../../platform/time.ts'
import { type OpenOrganisation, reachBeforeChange } from '../../organisation/organisation-client.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import { accessEndOf, type AccessEndFault, faultOfAccessEnd, type Role } from '../access/roles.policy.ts'
import type { ActDelivery } from './act-delivery.ts'
import type { Member, MemberAccess, MembersPage, MembersStore, MemberRole } from './members.store.ts'
import { newPendingAct } from './pending-acts.store.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Access } from '../access/access-control.ts'

/** `overtaken`: another request changed one of the two members at the same time. */
export type MemberRefused = { outcome: 'not_found' | 'last_owner' | 'overtaken' }

/** `endsAt`: when an auditor's access ends, in milliseconds. `revokeKeys`: all of their keys. Absent members do not change. */
export type MemberUpdate = { role?: Role | undefined; endsAt?: number | undefined; revokeKeys: boolean }

/** `keys`: the keys that worked, of those that the person made and those that these made, as they are now. */
export type MemberWithKeys = { member: Member; keys: readonly KeyRecord[] }

/** `nothing_changes`: the keys were to be revoked, and neither the role nor the end changes. */
export type MemberChanged =
  | ({ outcome: 'changed' } & MemberWithKeys)
  | { outcome: 'wrong_end'; fault: AccessEndFault }
  | { outcome: 'nothing_changes' }
  | MemberRefused

export type MemberRemoved = ({ outcome: 'removed' } & MemberWithKeys) | MemberRefused

export type MembersService = ReturnType<typeof createMembersService>

type Deps = { members: MembersStore; open: OpenOrganisation; delivery: ActDelivery; clock: Clock }

export function createMembersService({ members, open, delivery, clock }: Deps) {
  async function refusalOf(organisation: OrganisationId, target: Member): Promise<MemberRefused> {
    const current = await members.find(organisation, target.personId)
    if (current === null) return { outcome: 'not_found' }
    const isLast = current.role === 'owner' && !(await members.hasOtherOwner(organisation, current.personId))
    return { outcome: isLast ? 'last_owner' : 'overtaken' }
  }

  /** Lists the keys, so that nothing changes while the organisation's object, which must revoke them, cannot be reached. */
  const listKeysBeforeChange = (organisation: Access['organisation'], { personId }: Member): Promise<KeyRecord[]> =>
    reachBeforeChange(organisation, () => open(organisation).keys.listMadeBy(personId))

  return {
    list: (organisation: OrganisationId, page: MembersPage): Promise<Member[]> => members.list(organisation, page),

    find: (organisation: OrganisationId, person: string): Promise<Member | null> => members.find(organisation, person),

    /** @param target the member as read when the permission was checked */
    async change(
      { organisation, by, requestId }: MemberChangeContext,
      target: Member,
      update: MemberUpdate,
    ): Promise<MemberChanged> {
      const now = clock()
      const role = update.role ?? target.role
      const fault = faultOfAccessEnd(role, update.endsAt, now)
      if (fault !== null) return { outcome: 'wrong_end', fault }
      const isSameRole = role === target.role
      const endsAt = update.endsAt ?? (isSameRole ? target.endsAt : accessEndOf(role, null, now))
      const isChange = !isSameRole || endsAt !== target.endsAt
      if (!isChange && update.revokeKeys) return { outcome: 'nothing_changes' }
      if (!isChange) await delivery.deliverLeft(organisation)
      const keysBefore = await listKeysBeforeChange(organisation, target)
      if (!isChange) return { outcome: 'changed', member: target, keys: keysBefore }
      const { act, content } = changeAct(target, { role, endsAt })
      const withKeys = { ...content, ...(update.revokeKeys && { revoke_keys: true }) }
      const pending = newPendingAct(organisation, { actor: by.id, act, requestId, content: withKeys }, now)
      const isChanged = await members.change(pending, by, memberRoleOf(target), { role, endsAt })
      if (!isChanged) return refusalOf(organisation.id, target)
      const keys = await delivery.deliver(pending)
      return { outcome: 'changed', member: { ...target, role, endsAt }, keys }
    },

    async remove({ organisation, by, requestId }: MemberChangeContext, target: Member): Promise<MemberRemoved> {
      const content = { member_id: target.personId, role: target.role }
      const act = { actor: by.id, act: 'member.remove', requestId, content }
      const pending = newPendingAct(organisation, act, clock())
      await listKeysBeforeChange(organisation, target)
      const isRemoved = await members.remove(pending, by, memberRoleOf(target))
      if (!isRemoved) return refusalOf(organisation.id, target)
      return { outcome: 'removed', member: target, keys: await delivery.deliver(pending) }
    },
  }
}

const memberRoleOf = ({ personId, role, endsAt }: Member): MemberRole & MemberAccess => ({ id: personId, role, endsAt })

/** Returns the log's act for a change of the role, or of the end of an auditor's access. */
function changeAct({ personId, role, endsAt }: Member, changed: MemberAccess) {
  const end = endsAtInLog(changed.endsAt)
  if (changed.role === role) {
    const content = { member_id: personId, role, ...end, previous_ends_at: endsAt && new Date(endsAt).toISOString() }
    return { act: 'member.access_end', content }
  }
  return { act: 'member.role', content: { member_id: personId, role: changed.role, previous_role: role, ...end } }
}

/** Returns the end of an auditor's access as the log has it; nothing if there is none. */
export const endsAtInLog = (endsAt: number | null): { ends_at?: string } =>
  endsAt === null ? {} : { ends_at: new Date(endsAt).toISOString() }

/** The person who changes members, and the organisation. */
export type MemberChangeContext = { organisation: Access['organisation']; by: MemberRole; requestId: string }

export function memberChangeContextOf(c: AppContext, { organisation, manager }: Access): MemberChangeContext {
  if (manager.kind === 'key') throw new Error('no permission over members is a key’s')
  return { organisation, by: { id: manager.id, role: manager.role }, requestId: c.get('requestId') }
}
