// Routes for an organisation's members: list, show, change a role, remove or leave.
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { parseId } from '../../platform/ids.ts'
import { listSchema, pageOf } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { Access, AccessControl } from '../access/access-control.ts'
import { managementOperations } from '../access/access-operations.ts'
import { memberChangeContextOf, type MembersService } from './members.service.ts'
import { accessEndError, memberError, nothingChangesError } from './member-errors.ts'
import { presentChangedMember, presentMember } from './member-wire.ts'
import {
  ChangedMemberSchema,
  ListMembersQuerySchema,
  MemberSchema,
  millisecondsOf,
  RemoveMemberQuerySchema,
  UpdateMemberSchema,
} from './members.schema.ts'
import { type RequiredPermission, permissionToChangeRole, permissionToRemove } from './members.policy.ts'
import type { Member } from './members.store.ts'

type Deps = { access: AccessControl; members: MembersService; clock: Clock }

export function memberRoutes({ access, members, clock }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Members'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'GET /api/members',
      operationId: 'listMembers',
      summary: 'List members',
      description: 'Lists the organisation’s members, the newest accounts first.',
      permission: 'members:manage',
      query: ListMembersQuerySchema,
      answers: { 200: [() => listSchema(MemberSchema()), 'A page of members.'] },
    },
    async ({ c, caller: { organisation }, sent }) => {
      const { limit, cursor, second_factor: secondFactor } = sent.query()
      const found = await members.list(organisation.id, { limit: limit + 1, cursor, secondFactor })
      return c.json(
        pageOf(
          found.map((member) => presentMember(member, clock())),
          limit,
        ),
      )
    },
  )

  openapi(
    {
      route: 'GET /api/members/{person_id}',
      operationId: 'showMember',
      summary: 'Get a member',
      permission: 'members:manage',
      answers: { 200: [MemberSchema, 'The member.'] },
    },
    async ({ c, caller: { organisation } }) => c.json(presentMember(await findMember(c, organisation), clock())),
  )

  openapi(
    {
      route: 'PATCH /api/members/{person_id}',
      operationId: 'updateMember',
      summary: 'Change a member’s role',
      description:
        'Changes the role of a member, or when the access of an auditor ends. The keys that they made and could not make any more are revoked, with the keys that those made.',
      permission: 'members:manage',
      proof: 'fresh',
      body: UpdateMemberSchema,
      answers: { 200: [ChangedMemberSchema, 'The member as they are now, and their keys.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: granted, sent }) => {
      const { organisation, manager } = granted
      const { role, ends_at: end, revoke_keys: revokeKeys } = await sent.body()
      if (revokeKeys) access.assertMay(manager, 'keys:all')
      const target = await findMember(c, organisation)
      await assertNeeded(
        manager,
        permissionToChangeRole({ isSelf: target.personId === manager.id, role: target.role }, role ?? target.role),
      )
      const update = { role, endsAt: millisecondsOf(end), revokeKeys }
      const changed = await members.change(memberChangeContextOf(c, granted), target, update)
      if (changed.outcome === 'wrong_end') throw accessEndError(changed.fault)
      if (changed.outcome === 'nothing_changes') throw nothingChangesError()
      if (changed.outcome !== 'changed') throw memberError(changed.outcome)
      return c.json(presentChangedMember(changed, clock()))
    },
  )

  openapi(
    {
      route: 'DELETE /api/members/{person_id}',
      operationId: 'removeMember',
      summary: 'Remove a member',
      description:
        'Removes a member, or lets a member leave. The keys that they made are revoked, with the keys that those made. To keep one in use, somebody else rotates it first.',
      permission: 'organisation:leave',
      isOwn: (c, person) => c.req.param('person_id') === person,
      query: RemoveMemberQuerySchema,
      answers: { 200: [ChangedMemberSchema, 'The member as they were, and the keys that were revoked.'] },
      errors: ['fresh_sign_in_required', 'conflict'],
    },
    async ({ c, caller: granted, sent }) => {
      const { organisation, manager } = granted
      const isSelf = c.req.param('person_id') === manager.id
      if (!isSelf) access.assertMay(manager, 'members:manage')
      sent.query()
      const target = await findMember(c, organisation)
      await assertNeeded(manager, permissionToRemove({ isSelf, role: target.role }))
      const removed = await members.remove(memberChangeContextOf(c, granted), target)
      if (removed.outcome !== 'removed') throw memberError(removed.outcome)
      return c.json(presentChangedMember(removed, clock()))
    },
  )

  async function assertNeeded(manager: Access['manager'], needed: RequiredPermission): Promise<void> {
    if (needed === 'nobody') throw memberError('own_role')
    access.assertMay(manager, needed.permission)
    await access.assertProved(manager, needed.proof)
  }

  async function findMember(c: AppContext, { id }: Access['organisation']): Promise<Member> {
    const person = c.req.param('person_id') ?? ''
    const found = parseId('usr_', person) === null ? null : await members.find(id, person)
    if (found === null) throw memberError('not_found')
    return found
  }

  return api
}
