// The operator's route that invites a person to an organisation, which gives it its first owner.
import { AppError } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { openOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/route.ts'
import type { InvitationsService } from '../members/invitations.service.ts'
import { assertInvited } from '../members/errors.ts'
import { presentInvited } from '../members/member-wire.ts'
import { CreatedInvitationSchema, CreateInvitationSchema } from '../members/members.schema.ts'
import type { OrganisationsStore } from '../organisations.store.ts'
import { requireOperator } from './operator.middleware.ts'

type Deps = {
  invitations: InvitationsService
  organisations: OrganisationsStore
  operatorToken: string | null
  publicOrigin: string | null
}

export function operatorInvitationRoutes({ invitations, organisations, operatorToken, publicOrigin }: Deps): Api {
  const { api, add } = openOperations()
  api.use('/api/operator/organisations/:organisation_id/invitations', requireOperator(operatorToken))

  add(
    {
      route: 'POST /api/operator/organisations/{organisation_id}/invitations',
      tags: ['Operator'],
      security: [{ operatorToken: [] }],
      operationId: 'inviteToOrganisation',
      summary: 'Invite somebody to an organisation, such as its first owner',
      body: CreateInvitationSchema,
      answers: { 201: [CreatedInvitationSchema, 'The invitation, valid for seven days and once.'] },
      errors: [
        'invalid_request',
        'invalid_credentials',
        'organisation_closing',
        'not_found',
        'conflict',
        'service_unavailable',
        'internal_error',
      ],
    },
    async ({ c, sent }) => {
      const wanted = await sent.body()
      const id = c.req.param('organisation_id') ?? ''
      const found = parseId('org_', id) === null ? null : await organisations.findOrganisation(id)
      if (found === null) throw noSuchOrganisation()
      const organisation = { id: found.id, jurisdiction: found.jurisdiction }
      const origin = publicOrigin ?? new URL(c.req.url).origin
      const made = await invitations.invite({ organisation, by: null, requestId: c.get('requestId'), origin }, wanted)
      assertInvited(made)
      return c.json(presentInvited(made), 201)
    },
  )

  return api
}

const noSuchOrganisation = (): AppError =>
  new AppError('not_found', 'There is no organisation with this id. GET /api/operator/organisations lists them.')
