// Trying a policy before it is put: what the latest calls would have met under it. Nothing is changed and nothing written.
import { createRoute } from '@hono/zod-openapi'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  MANAGEMENT_SECURITY,
  organisationHeader,
} from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import type { Clock } from '../../platform/clock.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { bodyOf, readForm } from '../../platform/form.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import type { PoliciesService } from './policies.service.ts'
import { PolicySimulationSchema, SimulatePolicySchema } from './policy-simulation.schema.ts'
import { presentSimulation } from './present-simulation.ts'
import { refuseUnknownModel } from './unknown-model.ts'

const simulatePolicy = createRoute({
  tags: ['Policies'],
  security: MANAGEMENT_SECURITY,
  method: 'post',
  path: '/api/policies/simulate',
  operationId: 'simulatePolicy',
  summary: 'Tell what the latest calls would have met under a policy',
  request: { headers: organisationHeader, ...bodyOf(SimulatePolicySchema) },
  responses: {
    200: managementJsonResponse(PolicySimulationSchema, 'What each call would have met, and the sums.'),
    ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES]),
  },
})

export function policySimulationRoutes(service: PoliciesService, access: AccessControl, clock: Clock): Api {
  const api = createApi()
  mountFor(
    api,
    simulatePolicy,
    (c) => access.requireAccess(c, 'policies:change'),
    async (c, who) => {
      const { document, last } = await readForm(c, SimulatePolicySchema)
      refuseUnknownModel(document, 'document.')
      const calls = await reachOrganisation(c, () => service.simulatePolicy(who, { document, last }))
      return c.json(presentSimulation(document, calls, clock()))
    },
  )
  return api
}
