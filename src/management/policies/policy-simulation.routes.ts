// Simulates a policy before it is put: how it would have decided the latest calls. Changes nothing and writes nothing.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { managementOperations } from '../../accounts/access/operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import type { Clock } from '../../platform/time.ts'
import type { Api } from '../../platform/route.ts'
import type { PoliciesService } from './policies.service.ts'
import { PolicySimulationSchema, SimulatePolicySchema } from './policy-simulation.schema.ts'
import { presentSimulation } from './present-simulation.ts'
import { refuseUnknownModel } from './unknown-model.ts'

export function policySimulationRoutes(service: PoliciesService, access: AccessControl, clock: Clock): Api {
  const { api, add } = managementOperations(access, {})
  add(
    {
      route: 'POST /api/policies/simulate',
      tags: ['Policies'],
      security: MANAGEMENT_SECURITY,
      operationId: 'simulatePolicy',
      summary: 'Tell what the latest calls would have met under a policy',
      permission: 'policies:change',
      body: SimulatePolicySchema,
      answers: { 200: [PolicySimulationSchema, 'What each call would have met, and the sums.'] },
    },
    async ({ c, caller: who, sent }) => {
      const { document, last } = await sent.body()
      refuseUnknownModel(document, 'document.')
      const calls = await reachOrganisation(c, () => service.simulatePolicy(who, { document, last }))
      return c.json(presentSimulation(document, calls, clock()))
    },
  )
  return api
}
