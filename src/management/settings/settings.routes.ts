// Routes with which an organisation's people and keys show and change its settings.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { actorOf, type Access, type AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { assertSettingsChanged } from '../../accounts/settings-errors.ts'
import { organisationGoneError } from '../../organisation/refusal-errors.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { runAfterResponse } from '../../platform/context.ts'
import type { Api } from '../../platform/router.ts'
import { AppError } from '../../platform/errors.ts'
import { presentTierRequest, presentWarnings, readOrganisationChange } from '../../accounts/organisation-wire.ts'
import type { OrganisationsService } from '../../accounts/organisations.service.ts'
import type { OrganisationRecord, OrganisationsStore } from '../../accounts/organisations.store.ts'
import { TierRequestSchema } from '../../accounts/organisation.schema.ts'
import { isHigherTier, TIERS, type Tier } from '../../policies/tier.policy.ts'
import type { RequiredFactor } from './required-factor.ts'
import { presentOwnSettings } from './present-settings.ts'
import { AskForTierSchema, ChangedSettingsSchema, SettingsSchema, UpdateSettingsSchema } from './settings.schema.ts'

type Deps = {
  organisations: Pick<OrganisationsStore, 'findOrganisation'>
  service: Pick<OrganisationsService, 'show' | 'change' | 'askForTier'>
  access: AccessControl
  requiredFactor: RequiredFactor
  publicOrigin: string | null
}

export function settingsRoutes({ organisations, service, access, requiredFactor, publicOrigin }: Deps): Api {
  /** Throws if the organisation was erased after the caller's access was checked. */
  async function find({ organisation }: Access): Promise<OrganisationRecord> {
    const found = await organisations.findOrganisation(organisation.id)
    if (found === null) throw organisationGoneError()
    return found
  }

  const { api, openapi } = managementOperations(access, { tags: ['Settings'], security: MANAGEMENT_SECURITY })

  openapi(
    {
      route: 'GET /api/settings',
      operationId: 'showSettings',
      summary: 'Get the settings',
      description: 'Returns the organisation’s settings as they are in force.',
      permission: 'settings:read',
      answers: { 200: [SettingsSchema, 'The settings.'] },
    },
    async ({ c, caller }) =>
      c.json(presentOwnSettings(await reachOrganisation(c, async () => service.show(await find(caller), null)))),
  )

  openapi(
    {
      route: 'PATCH /api/settings',
      operationId: 'updateSettings',
      summary: 'Update the settings',
      description:
        'Changes the organisation’s name or settings, from its next call on. Warns of a retention below six months (185 days), and refuses it if the policy declares high-risk use cases.',
      permission: 'settings:change',
      proof: 'fresh',
      body: UpdateSettingsSchema,
      answers: { 200: [ChangedSettingsSchema, 'The settings as they are then, and warnings about the change.'] },
      errors: ['fresh_sign_in_required', 'conflict'],
    },
    async ({ c, caller, sent }) => {
      const change = readOrganisationChange(await sent.body())
      const act = { actor: actorOf(caller.manager), act: 'settings.update', requestId: c.get('requestId') }
      const { changed, afterwards } = await reachOrganisation(c, async () => {
        const found = await find(caller)
        const checked = await requiredFactor(caller, found, change)
        return { ...checked, changed: await service.change(found, checked.change, act) }
      })
      assertSettingsChanged(changed)
      if (afterwards) runAfterResponse(c, () => afterwards(publicOrigin ?? new URL(c.req.url).origin))
      const warnings = presentWarnings(changed.warnings, 'retention_days')
      return c.json({ ...presentOwnSettings(changed.record), warnings })
    },
  )

  openapi(
    {
      route: 'POST /api/settings/tier-request',
      operationId: 'askForTier',
      summary: 'Ask for a tier',
      description:
        'Asks the operator for a higher tier. Replaces an open request for another tier; the same one again answers the first. Nothing is mailed: the operator sees it in the list of organisations, and setting a tier closes it.',
      permission: 'settings:change',
      body: AskForTierSchema,
      answers: { 200: [TierRequestSchema, 'The open request.'] },
    },
    async ({ c, caller, sent }) => {
      const { tier } = await sent.body()
      const act = { actor: actorOf(caller.manager), act: 'tier.ask', requestId: c.get('requestId') }
      const asked = await reachOrganisation(c, async () => service.askForTier(await find(caller), tier, act))
      if (asked.outcome === 'not_higher') throw notHigher(tier, asked.tier)
      return c.json(presentTierRequest(asked.request))
    },
  )

  return api
}

function notHigher(wanted: Tier, present: Tier): AppError {
  const higher = TIERS.filter((tier) => isHigherTier(tier, present))
  const rule = higher.length === 0 ? `none is above ${present}` : `one of ${higher.join(', ')}`
  const next = higher.length === 0 ? 'There is none above it.' : `Ask for ${higher.join(' or ')}.`
  return new AppError(
    'invalid_request',
    wanted === present
      ? `The organisation has the tier ${present}. ${next}`
      : `The tier ${wanted} is below ${present}. ${next}`,
    { param: 'tier', fields: [{ path: 'tier', rule }] },
  )
}
