// Routes with which an organisation's people and keys show and change its settings.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { assertSettingsChanged } from '../../accounts/settings-errors.ts'
import { organisationGoneError } from '../../organisation/refusal-errors.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import type { Api } from '../../platform/router.ts'
import { presentOwnSettings, readOwnSettingsChange } from './settings-wire.ts'
import { SettingsSchema, UpdateSettingsSchema } from './settings.schema.ts'
import type { SettingsService } from './settings.service.ts'

export function settingsRoutes(service: SettingsService, access: AccessControl): Api {
  const { api, add } = managementOperations(access, { tags: ['Settings'], security: MANAGEMENT_SECURITY })

  add(
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

  add(
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

  return api
}

function found<T>(value: T | null): T {
  if (value === null) throw organisationGoneError()
  return value
}
