// Invitations to an organisation. Each handler: read what is asked, do the verb, show the object.
import { createRoute, z } from '@hono/zod-openapi'
import { bodyOf, readForm, readQuery } from '../../platform/form.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { parseId, type OrganisationId } from '../../platform/ids.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/list.schema.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { ACCESS_CODES, CHANGE_CODES, organisationHeader, SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access.ts'
import { doingOf } from './doing.ts'
import type { Invitation } from './invitations.store.ts'
import type { InvitationsService } from './invitations.service.ts'
import { assertInvited, noSuchInvitation } from './member-refusals.ts'
import { presentInvitation, presentInvited } from './member-wire.ts'
import { CreatedInvitationSchema, CreateInvitationSchema, InvitationSchema } from './members.schema.ts'
import { neededToInvite } from './members.policy.ts'

const shared = { tags: ['Members'], security: SESSION_SECURITY }
const headers = organisationHeader
const params = z.object({ invitation_id: z.string() })

const routes = {
  listInvitations: createRoute({
    ...shared,
    method: 'get',
    path: '/api/members/invitations',
    operationId: 'listInvitations',
    summary: 'List the invitations that wait, newest first',
    request: { headers, query: PageQuerySchema },
    responses: {
      200: managementJsonResponse(listOf(InvitationSchema), 'A page of invitations.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  createInvitation: createRoute({
    ...shared,
    method: 'post',
    path: '/api/members/invitations',
    operationId: 'createInvitation',
    summary: 'Invite somebody, in the place of an earlier invitation to the same address',
    request: { headers, ...bodyOf(CreateInvitationSchema) },
    responses: {
      201: managementJsonResponse(CreatedInvitationSchema, 'The invitation, valid for seven days and once.'),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES, 'fresh_sign_in_required', 'conflict']),
    },
  }),
  revokeInvitation: createRoute({
    ...shared,
    method: 'delete',
    path: '/api/members/invitations/{invitation_id}',
    operationId: 'revokeInvitation',
    summary: 'Take an invitation back',
    request: { headers, params },
    responses: {
      200: managementJsonResponse(InvitationSchema, 'The invitation as it was.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused', 'fresh_sign_in_required']),
    },
  }),
}

type Deps = { access: AccessControl; invitations: InvitationsService; publicOrigin: string | null }

/** Mounted before the members' routes: a person's id would else be `invitations`. */
export function invitationRoutes({ access, invitations, publicOrigin }: Deps): Api {
  const api = createApi()
  const mayManage = (c: AppContext) => access.requireAccess(c, 'members:manage')

  mountFor(api, routes.listInvitations, mayManage, async (c, { organisation }) => {
    const { limit, cursor } = readQuery(c, PageQuerySchema)
    const found = await invitations.list(organisation.id, limit + 1, cursor)
    return c.json(pageOf(found.map(presentInvitation), limit))
  })

  mountFor(api, routes.createInvitation, mayManage, async (c, granted) => {
    const wanted = await readForm(c, CreateInvitationSchema)
    const needed = neededToInvite(wanted.role)
    access.assertMay(granted.manager, needed.permission, needed)
    const origin = publicOrigin ?? new URL(c.req.url).origin
    const made = await invitations.invite({ ...doingOf(c, granted), origin }, wanted)
    assertInvited(made)
    return c.json(presentInvited(made), 201)
  })

  mountFor(api, routes.revokeInvitation, mayManage, async (c, granted) => {
    const invitation = await findInvitation(c, granted.organisation.id)
    const needed = neededToInvite(invitation.role)
    access.assertMay(granted.manager, needed.permission, needed)
    if (!(await invitations.revoke(doingOf(c, granted), invitation))) throw noSuchInvitation()
    return c.json(presentInvitation(invitation))
  })

  async function findInvitation(c: AppContext, organisation: OrganisationId): Promise<Invitation> {
    const id = c.req.param('invitation_id') ?? ''
    const found = parseId('inv_', id) === null ? null : await invitations.find(organisation, id)
    if (found === null) throw noSuchInvitation()
    return found
  }

  return api
}
