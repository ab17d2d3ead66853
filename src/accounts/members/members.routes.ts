// An organisation's members. Each handler: read what is asked, do the verb, show the object.
import { createRoute, z } from '@hono/zod-openapi'
import { bodyOf, readForm, readQuery } from '../../platform/form.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { parseId } from '../../platform/ids.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/list.schema.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { ACCESS_CODES, CHANGE_CODES, organisationHeader, SESSION_SECURITY } from '../access/access.schema.ts'
import type { Access, AccessControl } from '../access/access.ts'
import { doingOf } from './doing.ts'
import { assertChanged, assertRemoved, noSuchMember, ownRole } from './member-refusals.ts'
import { presentMember, presentRemoved } from './member-wire.ts'
import { MemberSchema, RemovedMemberSchema, RemoveMemberQuerySchema, UpdateMemberSchema } from './members.schema.ts'
import { neededToChangeRole, neededToRemove, type Needed } from './members.policy.ts'
import type { MembersService } from './members.service.ts'
import type { Member } from './members.store.ts'

const shared = { tags: ['Members'], security: SESSION_SECURITY }
const headers = organisationHeader
const params = z.object({ person_id: z.string() })

const routes = {
  listMembers: createRoute({
    ...shared,
    method: 'get',
    path: '/api/members',
    operationId: 'listMembers',
    summary: 'List the organisation’s members, the newest accounts first',
    request: { headers, query: PageQuerySchema },
    responses: {
      200: managementJsonResponse(listOf(MemberSchema), 'A page of members.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  showMember: createRoute({
    ...shared,
    method: 'get',
    path: '/api/members/{person_id}',
    operationId: 'showMember',
    summary: 'Show one member',
    request: { headers, params },
    responses: { 200: managementJsonResponse(MemberSchema, 'The member.'), ...errorResponses(ACCESS_CODES) },
  }),
  updateMember: createRoute({
    ...shared,
    method: 'patch',
    path: '/api/members/{person_id}',
    operationId: 'updateMember',
    summary: 'Change a member’s role',
    request: { headers, params, ...bodyOf(UpdateMemberSchema) },
    responses: {
      200: managementJsonResponse(MemberSchema, 'The member as they are now.'),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES, 'fresh_sign_in_required', 'conflict']),
    },
  }),
  removeMember: createRoute({
    ...shared,
    method: 'delete',
    path: '/api/members/{person_id}',
    operationId: 'removeMember',
    summary: 'Remove a member, or leave',
    request: { headers, params, query: RemoveMemberQuerySchema },
    responses: {
      200: managementJsonResponse(RemovedMemberSchema, 'The member as they were, and the keys that they have made.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused', 'fresh_sign_in_required', 'conflict']),
    },
  }),
}

type Deps = { access: AccessControl; members: MembersService; clock: Clock }

export function memberRoutes({ access, members, clock }: Deps): Api {
  const api = createApi()
  const mayManage = (c: AppContext) => access.requireAccess(c, 'members:manage')

  mountFor(api, routes.listMembers, mayManage, async (c, { organisation }) => {
    const { limit, cursor } = readQuery(c, PageQuerySchema)
    const found = await members.list(organisation.id, limit + 1, cursor)
    return c.json(pageOf(found.map(presentMember), limit))
  })

  mountFor(api, routes.showMember, mayManage, async (c, { organisation }) =>
    c.json(presentMember(await findMember(c, organisation))),
  )

  mountFor(api, routes.updateMember, mayManage, async (c, granted) => {
    const { organisation, manager } = granted
    const { role } = await readForm(c, UpdateMemberSchema)
    const target = await findMember(c, organisation)
    assertNeeded(manager, neededToChangeRole({ isSelf: target.personId === manager.id, role: target.role }, role))
    const changed = await members.changeRole(doingOf(c, granted), target, role)
    assertChanged(changed)
    return c.json(presentMember(changed.member))
  })

  mountFor(
    api,
    routes.removeMember,
    (c) => access.requireAccess(c, 'organisation:leave'),
    async (c, granted) => {
      const { organisation, manager } = granted
      const isSelf = c.req.param('person_id') === manager.id
      if (!isSelf) access.assertMay(manager, 'members:manage')
      const revokeKeys = readQuery(c, RemoveMemberQuerySchema).revoke_keys === 'true'
      if (revokeKeys) access.assertMay(manager, isSelf ? 'keys:own' : 'keys:all')
      const target = await findMember(c, organisation)
      assertNeeded(manager, neededToRemove({ isSelf, role: target.role }))
      const removed = await members.remove(doingOf(c, granted), target, { revokeKeys })
      assertRemoved(removed)
      return c.json(presentRemoved(removed, revokeKeys, clock()))
    },
  )

  function assertNeeded(manager: Access['manager'], needed: Needed): void {
    if (needed === 'nobody') throw ownRole()
    access.assertMay(manager, needed.permission, needed)
  }

  async function findMember(c: AppContext, { id }: Access['organisation']): Promise<Member> {
    const person = c.req.param('person_id') ?? ''
    const found = parseId('usr_', person) === null ? null : await members.find(id, person)
    if (found === null) throw noSuchMember()
    return found
  }

  return api
}
