// Routes for the versions of an organisation's policy, with the changes of each. Each handler reads the request, calls the
// service and presents the object.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { managementOperations } from '../../accounts/access/operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import type { PolicyVersion } from '../../organisation/policy/policy-versions.store.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { listOf, type List } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/route.ts'
import { findPolicyChanges } from '../../policies/document/policy-changes.ts'
import { versionPolicy, type PolicyDocument } from '../../policies/document/policy-document.ts'
import { HistoryQuerySchema, PolicySchema, PolicyVersionSchema, type ShownPolicyVersion } from './policies.schema.ts'
import type { PoliciesService } from './policies.service.ts'

export function policyHistoryRoutes(service: PoliciesService, access: AccessControl): Api {
  const { api, add } = managementOperations(access, { tags: ['Policies'], security: MANAGEMENT_SECURITY })

  add(
    {
      route: 'GET /api/policies/history',
      operationId: 'listPolicyVersions',
      summary: 'List the versions that the policy has had, newest first, with what each changed',
      permission: 'policies:read',
      query: HistoryQuerySchema,
      answers: { 200: [listOf(PolicyVersionSchema), 'A page of versions.'] },
    },
    async ({ c, caller: who, sent }) => {
      const { limit, cursor } = sent.query()
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
      // One more version shows if there is a next page, and what the last version of this page changed.
      const page = { before, limit: limit + 1 }
      return c.json(showPage(await reachOrganisation(c, () => service.listPolicyVersions(who, page)), limit))
    },
  )

  add(
    {
      route: 'GET /api/policies/history/{version}',
      operationId: 'showPolicyVersion',
      summary: 'Show a version of the policy, whole',
      permission: 'policies:read',
      answers: { 200: [PolicySchema, 'The policy as it was.'] },
    },
    async ({ c, caller: who }) => {
      const version = readVersion(c)
      const found = await reachOrganisation(c, () => service.showPolicyVersion(who, version))
      if (found === null) throw versionNotFound()
      const { document, madeAt, actor } = found
      const { sha256: id } = versionPolicy(version, document)
      const made = { created_at: new Date(madeAt).toISOString(), created_by: actor }
      return c.json({ id, object: 'policy' as const, ...made, version, document })
    },
  )

  return api
}

function showPage(versions: readonly PolicyVersion[], limit: number): List<ShownPolicyVersion> {
  const data = versions.slice(0, limit)
  const hasMore = versions.length > limit
  return {
    object: 'list',
    data: data.map((one, at) => showVersion(one, documentBefore(one, versions[at + 1]))),
    has_more: hasMore,
    next_cursor: hasMore ? String(data.at(-1)?.version) : null,
  }
}

/** The document before a version. Null if the version before is deleted. */
const documentBefore = ({ version }: PolicyVersion, previous: PolicyVersion | undefined): PolicyDocument | null =>
  version === 1 ? {} : (previous?.document ?? null)

function showVersion(
  { version, document, madeAt, actor }: PolicyVersion,
  before: PolicyDocument | null,
): ShownPolicyVersion {
  return {
    id: versionPolicy(version, document).sha256,
    object: 'policy_version',
    created_at: new Date(madeAt).toISOString(),
    created_by: actor,
    version,
    changes: before && findPolicyChanges(before, document),
  }
}

function readVersion(c: AppContext): number {
  const digits = /^[1-9]\d{0,14}$/.exec(c.req.param('version') ?? '')?.[0]
  if (digits === undefined) throw versionNotFound()
  return Number(digits)
}

const versionNotFound = (): AppError =>
  new AppError(
    'not_found',
    'There is no such version of the policy, or it is not kept any more. GET /api/policies/history lists those that are.',
  )
