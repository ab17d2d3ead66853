// The operator invites somebody to an organisation: so it gets its first owner.
import { createRoute, z } from '@hono/zod-openapi'
import { bodyOf, readForm } from '../../platform/form.ts'
import { errorResponses, jsonResponse } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
import type { InvitationsService } from '../members/invitations.service.ts'
import { assertInvited } from '../members/member-refusals.ts'
import { presentInvited } from '../members/member-wire.ts'
import { CreatedInvitationSchema, CreateInvitationSchema } from '../members/members.schema.ts'
import type { OrganisationsStore } from '../organisations.store.ts'
import { requireOperator } from './operator.middleware.ts'

const inviteToOrganisation = createRoute({
  tags: ['Operator'],
  security: [{ operatorToken: [] }],
  method: 'post',
  path: '/api/operator/organisations/{organisation_id}/invitations',
  operationId: 'inviteToOrganisation',
  summary: 'Invite somebody to an organisation, such as its first owner',
  request: { params: z.object({ organisation_id: z.string() }), ...bodyOf(CreateInvitationSchema) },
  responses: {
    201: jsonResponse(CreatedInvitationSchema, 'The invitation, valid for seven days and once.'),
    ...errorResponses([
      'invalid_request',
      'invalid_credentials',
      'organisation_closing',
      'not_found',
      'conflict',
      'payload_too_large',
      'unsupported_media_type',
      'service_unavailable',
      'internal_error',
    ]),
  },
})

type Deps = {
  invitations: InvitationsService
  organisations: OrganisationsStore
  operatorToken: string | null
  publicOrigin: string | null
}

export function operatorInvitationRoutes({ invitations, organisations, operatorToken, publicOrigin }: Deps): Api {
  const api = createApi()
  api.use('/api/operator/organisations/:organisation_id/invitations', requireOperator(operatorToken))

  mount(api, inviteToOrganisation, async (c) => {
    const wanted = await readForm(c, CreateInvitationSchema)
    const id = c.req.param('organisation_id') ?? ''
    const found = parseId('org_', id) === null ? null : await organisations.findOrganisation(id)
    if (found === null) throw noSuchOrganisation()
    const organisation = { id: found.id, jurisdiction: found.jurisdiction }
    const origin = publicOrigin ?? new URL(c.req.url).origin
    const made = await invitations.invite({ organisation, by: null, requestId: c.get('requestId'), origin }, wanted)
    assertInvited(made)
    return c.json(presentInvited(made), 201)
  })

  return api
}

const noSuchOrganisation = (): AppError =>
  new AppError('not_found', 'There is no organisation with this id. GET /api/operator/organisations lists them.')
