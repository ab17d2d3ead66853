// The route with which a person founds an organisation and becomes its owner.
import { AppError } from '../platform/errors.ts'
import type { PersonId } from '../platform/ids.ts'
import type { Api } from '../platform/router.ts'
import { SESSION_SECURITY } from './access/access.schema.ts'
import type { AccessControl } from './access/access-control.ts'
import { sessionOperations } from './access/access-operations.ts'
import { presentOrganisation } from './organisation-wire.ts'
import { FoundOrganisationSchema, OrganisationSchema } from './organisation.schema.ts'
import { MOST_OWNED_ORGANISATIONS } from '../policies/organisation-limits.policy.ts'
import type { FoundByPerson } from './organisations.service.ts'
import { reachOrganisation } from '../organisation/organisation-client.ts'

type Deps = {
  access: AccessControl
  foundByPerson: FoundByPerson
  /** Counts that the person founds an organisation. Throws `rate_limit_exceeded`. */
  countFounding: (person: PersonId) => Promise<void>
  signUp: 'open' | 'invited'
}

export function foundingRoutes({ access, foundByPerson, countFounding, signUp }: Deps): Api {
  const { api, openapi } = sessionOperations(access)

  openapi(
    {
      route: 'POST /api/organisations',
      tags: ['Members'],
      security: SESSION_SECURITY,
      operationId: 'foundOrganisation',
      summary: 'Create your organisation',
      description: 'Creates an organisation of which you are the owner.',
      body: FoundOrganisationSchema,
      answers: { 201: [OrganisationSchema, 'The organisation, on the tier free, in the jurisdiction eu.'] },
      errors: ['role_required', 'conflict', 'rate_limit_exceeded', 'service_unavailable'],
    },
    async ({ c, caller: { personId }, sent }) => {
      if (signUp === 'invited') throw operatorOnlyError()
      const { name, enabled_providers: enabledProviders, region = null } = await sent.body()
      const founding = { name, enabledProviders, region }
      await countFounding(personId)
      const founded = await reachOrganisation(c, () => foundByPerson(personId, founding, c.get('requestId')))
      if (founded.outcome === 'too_many') throw tooManyOwnedError()
      return c.json(presentOrganisation(founded.record), 201)
    },
  )

  return api
}

const operatorOnlyError = (): AppError =>
  new AppError(
    'role_required',
    'Only the operator of this service creates organisations. Ask the operator for one, or ask a member for an invitation.',
  )

const tooManyOwnedError = (): AppError =>
  new AppError(
    'conflict',
    `You own ${MOST_OWNED_ORGANISATIONS} organisations, which is the most. Leave one, or ask the operator for more.`,
  )
