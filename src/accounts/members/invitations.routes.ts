// Routes with which members manage invitations to their organisation: list, create, revoke.
import type { AppContext } from '../../platform/context.ts'
import { type OrganisationId, parseId } from '../../platform/ids.ts'
import { listSchema, pageOf, PageQuerySchema } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access-control.ts'
import { managementOperations } from '../access/access-operations.ts'
import { memberChangeContextOf } from './members.service.ts'
import type { Invitation } from './invitations.store.ts'
import type { InvitationsService } from './invitations.service.ts'
import { assertInvited, noSuchInvitation } from './member-errors.ts'
import { presentInvitation, presentCreatedInvitation } from './member-wire.ts'
import { CreatedInvitationSchema, CreateInvitationSchema, InvitationSchema, millisecondsOf } from './members.schema.ts'
import { permissionToInvite } from './members.policy.ts'

type Deps = { access: AccessControl; invitations: InvitationsService; publicOrigin: string | null }

/** These routes are mounted before the members' routes, which would read `invitations` as a person's id. */
export function invitationRoutes({ access, invitations, publicOrigin }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Members'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'GET /api/members/invitations',
      operationId: 'listInvitations',
      summary: 'List invitations',
      description: 'Lists the invitations that wait, newest first.',
      permission: 'members:manage',
      query: PageQuerySchema,
      answers: { 200: [() => listSchema(InvitationSchema()), 'A page of invitations.'] },
    },
    async ({ c, caller: { organisation }, sent }) => {
      const { limit, cursor } = sent.query()
      const found = await invitations.list(organisation.id, limit + 1, cursor)
      return c.json(pageOf(found.map(presentInvitation), limit))
    },
  )

  openapi(
    {
      route: 'POST /api/members/invitations',
      operationId: 'createInvitation',
      summary: 'Invite a member',
      description: 'Invites somebody, and replaces an earlier invitation to the same address.',
      permission: 'members:manage',
      proof: 'fresh',
      body: CreateInvitationSchema,
      answers: { 201: [CreatedInvitationSchema, 'The invitation, valid for seven days and once.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: granted, sent }) => {
      const { ends_at: end, ...wanted } = await sent.body()
      access.assertMay(granted.manager, permissionToInvite(wanted.role))
      const origin = publicOrigin ?? new URL(c.req.url).origin
      const made = await invitations.invite(
        { ...memberChangeContextOf(c, granted), origin },
        { ...wanted, endsAt: millisecondsOf(end) },
      )
      assertInvited(made)
      return c.json(presentCreatedInvitation(made), 201)
    },
  )

  openapi(
    {
      route: 'DELETE /api/members/invitations/{invitation_id}',
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation',
      permission: 'members:manage',
      proof: 'fresh',
      answers: { 200: [InvitationSchema, 'The invitation as it was.'] },
    },
    async ({ c, caller: granted }) => {
      const invitation = await findInvitation(c, granted.organisation.id)
      access.assertMay(granted.manager, permissionToInvite(invitation.role))
      if (!(await invitations.revoke(memberChangeContextOf(c, granted), invitation))) throw noSuchInvitation()
      return c.json(presentInvitation(invitation))
    },
  )

  async function findInvitation(c: AppContext, organisation: OrganisationId): Promise<Invitation> {
    const id = c.req.param('invitation_id') ?? ''
    const found = parseId('inv_', id) === null ? null : await invitations.find(organisation, id)
    if (found === null) throw noSuchInvitation()
    return found
  }

  return api
}
