// Routes for an organisation's policy. Each handler reads the request, calls the service and presents the object.
import { z } from '@hono/zod-openapi'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { managementOperations } from '../../accounts/access/operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import type { PolicyInForce } from '../../organisation/policy/policy.target.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/route.ts'
import { PolicyDocumentSchema } from '../../policies/document/policy-document.ts'
import { TIERS_WITH_APPROVAL, type Tier } from '../../policies/tier.policy.ts'
import { readIfMatch } from './if-match.ts'
import { PolicySchema, type Policy } from './policies.schema.ts'
import type { PoliciesService } from './policies.service.ts'
import { refuseUnknownModel } from './unknown-model.ts'

const etag = {
  etag: { description: 'The version in quotes, for If-Match.', required: true, schema: { type: 'string' as const } },
}

const policyResponse = (description: string) => {
  const response = managementJsonResponse(PolicySchema, description)
  return { ...response, headers: { ...response.headers, ...etag } }
}

export function policyRoutes(service: PoliciesService, access: AccessControl): Api {
  const { api, add } = managementOperations(access, { tags: ['Policies'], security: MANAGEMENT_SECURITY })

  add(
    {
      route: 'GET /api/policies',
      operationId: 'showPolicy',
      summary: 'Show the organisation’s policy, as it is in force',
      permission: 'policies:read',
      answers: { 200: policyResponse('The policy.') },
    },
    async ({ c, caller: who }) => c.json(presentPolicy(c, await reachOrganisation(c, () => service.showPolicy(who)))),
  )

  add(
    {
      route: 'PUT /api/policies',
      operationId: 'putPolicy',
      summary: 'Put a policy in the place of the one in force, from the organisation’s next call on',
      permission: 'policies:change',
      headers: z.object({
        'if-match': z.string().optional().openapi({
          description:
            'The ETag of the policy that the change was made from: where another is in force, nothing is changed (409 conflict).',
          example: '"3"',
        }),
      }),
      body: PolicyDocumentSchema,
      answers: { 200: policyResponse('The policy as it is then.') },
      errors: ['tier_required', 'conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const ifVersion = readIfMatch(c)
      const document = await sent.body()
      refuseUnknownModel(document)
      const wanted = { document, ifVersion }
      const changed = await reachOrganisation(c, () => service.putPolicy(who, wanted, c.get('requestId')))
      if (changed.outcome === 'stale') throw stale(changed.version)
      if (changed.outcome === 'tier_required') throw approvalNotInTier(changed.tier)
      if (changed.outcome === 'person_required') throw personRequired()
      return c.json(presentPolicy(c, changed.policy))
    },
  )

  return api
}

function presentPolicy(c: AppContext, { version, sha256, document, made }: PolicyInForce): Policy {
  c.header('etag', `"${version}"`)
  return {
    id: sha256,
    object: 'policy',
    created_at: made && new Date(made.madeAt).toISOString(),
    created_by: made && made.actor,
    version,
    document,
  }
}

const stale = (version: number): AppError =>
  new AppError(
    'conflict',
    `The policy was changed in the meantime: version ${version} is in force. Read it again, and send what you still want changed.`,
    { param: 'if-match' },
  )

const approvalNotInTier = (tier: Tier): AppError =>
  new AppError(
    'tier_required',
    `Approval by people comes with the tiers ${TIERS_WITH_APPROVAL.join(', ')}; yours is ${tier}. Leave human_approval out.`,
    { param: 'human_approval' },
  )

const personRequired = (): AppError =>
  new AppError(
    'role_required',
    'A key may not change or take away what people must approve (human_approval), nor use_case_guard where that goes by use cases. A person who has signed in may: an owner or an admin.',
    { param: 'human_approval' },
  )
