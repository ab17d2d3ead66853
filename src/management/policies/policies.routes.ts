// Routes for an organisation's policy: show and replace it, list its versions with their changes, and simulate another policy
// on recent calls.
import { membersOf, OUTCOMES } from '../../evidence/records/call-endings.ts'
import * as z from 'zod'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { actorOf, type Access, type AccessControl } from '../../accounts/access/access-control.ts'
import type { PolicyWarnings } from '../../accounts/organisation-settings.schema.ts'
import { presentWarnings } from '../../accounts/organisation-wire.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { PolicyVersion } from '../../organisation/policies/policy-versions.store.ts'
import type { SimulatedDecision } from '../../organisation/policies/simulate-policy.ts'
import type { PolicyInForce } from '../../organisation/policies/policy.target.ts'
import type { AppContext } from '../../platform/context.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { Infer } from '../../platform/once.ts'
import { AppError } from '../../platform/errors.ts'
import { listSchema, type List } from '../../platform/pagination.schema.ts'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import type { Clock } from '../../platform/time.ts'
import { toWire } from '../../platform/wire.ts'
import { findPolicyChanges } from '../../policies/document/policy-changes.ts'
import type { LoosenedRule } from '../../policies/document/loosened-rules.ts'
import { versionPolicy, type PolicyDocument } from '../../policies/document/policy-document.ts'
import { POLICY_IDS } from '../../policies/rules/index.ts'
import { areAnswersUnknown, rulesNotSimulated, type SimulatedResult } from '../../policies/document/simulate-call.ts'
import type { RetentionWarning } from '../../policies/log-retention.policy.ts'
import { policyNotChanged, refuseUnknownModel } from './policy-errors.ts'
import {
  ChangedPolicySchema,
  HistoryQuerySchema,
  PatchPolicySchema,
  PutPolicySchema,
  PolicySchema,
  PolicyVersionSchema,
  type Policy,
  type ShownPolicyVersion,
} from './policies.schema.ts'
import {
  PolicySimulationSchema,
  SimulatedCallSchema,
  SimulatePolicySchema,
  type PolicySimulation,
} from './policy-simulation.schema.ts'

const etag = {
  etag: {
    description: 'The version of the policy in quotes, for If-Match.',
    required: true,
    schema: { type: 'string' as const },
  },
}

const policyResponse = (schema: z.ZodType, description: string) => {
  const response = managementJsonResponse(schema, description)
  return { ...response, headers: { ...response.headers, ...etag } }
}

/** The whole document, or a patch of it, and the other members of the body. */
type Change = Pick<Infer<typeof PutPolicySchema>, 'reason' | 'withdraw_waiting'> &
  ({ document: PolicyDocument } | { patch: JsonObject })

export function policyRoutes(open: OpenOrganisation, access: AccessControl, clock: Clock): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Policies'], security: MANAGEMENT_SECURITY })

  const policyOf = ({ organisation }: Access) => open(organisation).policy

  openapi(
    {
      route: 'GET /api/policies',
      operationId: 'showPolicy',
      summary: 'Get the policy',
      description: 'Returns the organisation’s policy as it is in force.',
      permission: 'policies:read',
      answers: { 200: () => policyResponse(PolicySchema(), 'The policy.') },
    },
    async ({ c, caller }) => c.json(presentPolicy(c, await reachOrganisation(c, async () => policyOf(caller).read()))),
  )

  /** What PATCH and PUT declare alike. */
  const changeOperation = {
    permission: 'policies:change',
    proof: 'fresh',
    headers: () =>
      z.object({
        'if-match': z.string().optional().meta({
          description:
            'The ETag of the policy that you changed. If another is in force, nothing changes: 409 conflict.',
          example: '"3"',
        }),
      }),
    answers: {
      200: () => policyResponse(ChangedPolicySchema(), 'The policy as it is then, and warnings about the change.'),
    },
    errors: ['tier_required', 'conflict'],
  } as const

  async function changePolicy(
    c: AppContext,
    caller: Access,
    ifVersion: number | null,
    change: Change,
  ): Promise<Response> {
    const { withdraw_waiting: mayWithdraw = false, reason = null, ...changed } = change
    const wanted = { ...changed, reason, ifVersion, mayWithdraw }
    const act = { actor: actorOf(caller.manager), act: 'policy.put', requestId: c.get('requestId') }
    const result = await reachOrganisation(c, async () => policyOf(caller).change(wanted, act))
    if (result.outcome !== 'changed') throw policyNotChanged(result)
    const { policy, warnings, loosened } = result
    return c.json({ ...presentPolicy(c, policy), warnings: presentPolicyWarnings(warnings, loosened) })
  }

  openapi(
    {
      route: 'PATCH /api/policies',
      operationId: 'patchPolicy',
      summary: 'Change rules of the policy',
      description:
        'Changes the members of the policy that you send, from the organisation’s next call on, and leaves the others as they are. It is a JSON Merge Patch (RFC 7396) of the policy in force: null removes a member, objects are merged, and lists are replaced whole. `warnings` names each rule that the change removes or loosens. Apart from that it is like PUT.',
      ...changeOperation,
      body: PatchPolicySchema,
    },
    async ({ c, caller, sent }) => {
      const ifVersion = readIfMatch(c)
      const { withdraw_waiting, reason, ...patch } = await sent.body()
      return changePolicy(c, caller, ifVersion, { withdraw_waiting, reason, patch })
    },
  )

  openapi(
    {
      route: 'PUT /api/policies',
      operationId: 'putPolicy',
      summary: 'Put a policy in force',
      description:
        'Replaces the whole policy in force, from the organisation’s next call on: a rule that you leave out is removed. `warnings` names each rule that the change removes or loosens. A change would withdraw requests that wait for approval, or are approved and have not run. So it is refused while there are any: 409 conflict, with their number. `withdraw_waiting: true` makes it and withdraws them; a list of their ids does so only if no other waits. A policy that equals the one in force changes nothing. New high-risk use cases are refused while details are stored for less than six months (185 days); a tier that cannot store them for so long gets a warning. A key may neither change `human_approval` nor remove or widen `data_region`.',
      ...changeOperation,
      body: PutPolicySchema,
    },
    async ({ c, caller, sent }) => {
      const ifVersion = readIfMatch(c)
      const { withdraw_waiting, reason, ...document } = await sent.body()
      return changePolicy(c, caller, ifVersion, { withdraw_waiting, reason, document })
    },
  )

  openapi(
    {
      route: 'GET /api/policies/history',
      operationId: 'listPolicyVersions',
      summary: 'List policy versions',
      description: 'Lists the versions that the policy has had, newest first, with what each changed.',
      permission: 'policies:read',
      query: HistoryQuerySchema,
      answers: { 200: [() => listSchema(PolicyVersionSchema()), 'A page of versions.'] },
    },
    async ({ c, caller, sent }) => {
      const { limit, cursor } = sent.query()
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
      // Reads one more version, to see if there is a next page and what this page's last version changed.
      const page = { before, limit: limit + 1 }
      return c.json(
        presentVersionsPage(await reachOrganisation(c, async () => policyOf(caller).listVersions(page)), limit),
      )
    },
  )

  openapi(
    {
      route: 'GET /api/policies/history/{version}',
      operationId: 'showPolicyVersion',
      summary: 'Get a policy version',
      description: 'Returns a version of the policy, whole.',
      permission: 'policies:read',
      answers: { 200: [PolicySchema, 'The policy as it was.'] },
    },
    async ({ c, caller }) => {
      const version = readVersion(c)
      const page = { before: version + 1, limit: 1 }
      const [latest] = await reachOrganisation(c, async () => policyOf(caller).listVersions(page))
      if (latest?.version !== version) throw versionNotFound()
      return c.json(presentVersion({ ...versionPolicy(version, latest.document), made: latest }))
    },
  )

  openapi(
    {
      route: 'POST /api/policies/simulate',
      operationId: 'simulatePolicy',
      summary: 'Try a policy',
      description: 'Returns what the latest calls would have met under a policy.',
      permission: 'policies:change',
      body: SimulatePolicySchema,
      answers: { 200: [PolicySimulationSchema, 'What each call would have met, and the sums.'] },
    },
    async ({ c, caller, sent }) => {
      const { document, last } = await sent.body()
      refuseUnknownModel(document, 'document.')
      const calls = await reachOrganisation(c, async () => policyOf(caller).simulate({ document, last }))
      return c.json(presentSimulation(document, calls, clock()))
    },
  )

  return api
}

const presentPolicyWarnings = (
  warnings: readonly RetentionWarning[],
  loosened: readonly LoosenedRule[],
): PolicyWarnings => [
  ...presentWarnings(warnings, 'high_risk_use_cases'),
  ...loosened.map(({ rule, isRemoved, message }) => ({
    code: isRemoved ? ('rule_removed' as const) : ('rule_loosened' as const),
    message,
    param: rule,
  })),
]

function presentPolicy(c: AppContext, policy: PolicyInForce): Policy {
  c.header('etag', `"${policy.version}"`)
  return presentVersion(policy)
}

const presentVersion = ({ version, sha256, document, made }: PolicyInForce): Policy => ({
  id: sha256,
  object: 'policy',
  created_at: made && new Date(made.madeAt).toISOString(),
  created_by: made && made.actor,
  version,
  document,
})

function presentVersionsPage(versions: readonly PolicyVersion[], limit: number): List<ShownPolicyVersion> {
  const data = versions.slice(0, limit)
  const hasMore = versions.length > limit
  return {
    object: 'list',
    data: data.map((one, at) => presentVersionChanges(one, documentBefore(one, versions[at + 1]))),
    has_more: hasMore,
    next_cursor: hasMore ? String(data.at(-1)?.version) : null,
  }
}

/** Returns the document of the version before. Null if that version was deleted. */
const documentBefore = ({ version }: PolicyVersion, previous: PolicyVersion | undefined): PolicyDocument | null =>
  version === 1 ? {} : (previous?.document ?? null)

const presentVersionChanges = (
  { version, document, reason, madeAt, actor }: PolicyVersion,
  before: PolicyDocument | null,
): ShownPolicyVersion => ({
  id: versionPolicy(version, document).sha256,
  object: 'policy_version',
  created_at: new Date(madeAt).toISOString(),
  created_by: actor,
  version,
  reason,
  changes: before && findPolicyChanges(before, document),
})

const presentSimulation = (
  document: PolicyDocument,
  calls: readonly SimulatedDecision[],
  now: number,
): PolicySimulation => ({
  id: versionPolicy(0, document).sha256,
  object: 'policy_simulation',
  created_at: new Date(now).toISOString(),
  ...countCalls(calls),
  by_key: [...Map.groupBy(calls, ({ keyId }) => keyId)]
    .map(([key_id, ofKey]) => Object.assign(countCalls(ofKey), { key_id }))
    .toSorted((one, other) => other.calls - one.calls),
  rules_left_out: rulesNotSimulated(document),
  answers_not_known: areAnswersUnknown(document),
  data: calls.map(presentCall),
})

const countCalls = (calls: readonly SimulatedDecision[]) => ({
  calls: calls.length,
  decided: membersOf(OUTCOMES, (outcome) => calls.filter((call) => call.outcome === outcome).length),
  passes: countOf(calls, 'passes'),
  ...countStopped(calls),
  by_policy: POLICY_IDS.flatMap((policy) => {
    const stopped = calls.filter((call) => call.policy === policy)
    return stopped.length === 0 ? [] : [{ policy, ...countStopped(stopped) }]
  }),
})

const countOf = (calls: readonly SimulatedDecision[], result: SimulatedResult): number =>
  calls.filter((call) => call.result === result).length

const countStopped = (calls: readonly SimulatedDecision[]) => ({
  blocks: countOf(calls, 'blocks'),
  needs_approval: countOf(calls, 'needs_approval'),
  not_evaluated: countOf(calls, 'not_evaluated'),
})

const presentCall = (call: SimulatedDecision) =>
  toWire(SimulatedCallSchema(), { ...call, object: 'simulated_call', index: call.position, createdAt: call.decidedAt })

function readVersion(c: AppContext): number {
  const digits = /^[1-9]\d{0,14}$/.exec(c.req.param('version') ?? '')?.[0]
  if (digits === undefined) throw versionNotFound()
  return Number(digits)
}

const versionNotFound = (): AppError =>
  new AppError(
    'not_found',
    'There is no policy with this version, or it was deleted. GET /api/policies/history lists the stored versions.',
  )

/** Returns the expected version; null if any version will do. Throws `invalid_request` if it is not an ETag of this service. */
function readIfMatch(c: AppContext): number | null {
  const header = c.req.header('if-match')
  if (header === undefined || header.trim() === '*') return null
  const digits = /^"(\d{1,15})"$/.exec(header.trim())?.[1]
  if (digits !== undefined) return Number(digits)
  throw new AppError(
    'invalid_request',
    'The header if-match has a wrong value. Send the ETag of the last GET, such as "3".',
    {
      param: 'if-match',
      fields: [{ path: 'if-match', rule: 'a version in quotes, or *' }],
    },
  )
}
