// Routes with which an organisation's people and keys show and change its settings.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { assertSettingsChanged } from '../../accounts/settings-errors.ts'
import { organisationGoneError } from '../../organisation/refusal-errors.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import type { Api } from '../../platform/router.ts'
import { presentOwnSettings, readOwnSettingsChange } from './settings-wire.ts'
import { AppError } from '../../platform/errors.ts'
import { presentTierRequest } from '../../accounts/organisation-wire.ts'
import { TierRequestSchema } from '../../accounts/organisation.schema.ts'
import { isHigherTier, TIERS, type Tier } from '../../policies/tier.policy.ts'
import { AskForTierSchema, SettingsSchema, UpdateSettingsSchema } from './settings.schema.ts'
import type { SettingsService } from './settings.service.ts'

export function settingsRoutes(service: SettingsService, access: AccessControl): Api {
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
      c.json(presentOwnSettings(found(await reachOrganisation(c, () => service.showSettings(caller))))),
  )

  openapi(
    {
      route: 'PATCH /api/settings',
      operationId: 'updateSettings',
      summary: 'Update the settings',
      description: 'Changes the organisation’s name or settings, from its next call on.',
      permission: 'settings:change',
      body: UpdateSettingsSchema,
      answers: { 200: [SettingsSchema, 'The settings as they are then.'] },
      errors: ['conflict'],
    },
    async ({ c, caller, sent }) => {
      const change = readOwnSettingsChange(await sent.body())
      const changed = found(
        await reachOrganisation(c, () => service.updateSettings(caller, change, c.get('requestId'))),
      )
      assertSettingsChanged(changed)
      return c.json(presentOwnSettings(changed.record))
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
      const asked = found(await reachOrganisation(c, () => service.askForTier(caller, tier, c.get('requestId'))))
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

function found<T>(value: T | null): T {
  if (value === null) throw organisationGoneError()
  return value
}
