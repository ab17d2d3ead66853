// An organisation's settings. Each handler: read what is asked, do the verb, show the object.
import { createRoute } from '@hono/zod-openapi'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  MANAGEMENT_SECURITY,
  organisationHeader,
} from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { assertChanged, organisationGone } from '../../accounts/organisation-refusals.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { bodyOf, readForm } from '../../platform/form.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import { presentOwnSettings, readOwnChange } from './settings-wire.ts'
import { SettingsSchema, UpdateSettingsSchema } from './settings.schema.ts'
import type { SettingsService } from './settings.service.ts'

const shared = { tags: ['Settings'], security: MANAGEMENT_SECURITY }

const routes = {
  showSettings: createRoute({
    ...shared,
    method: 'get',
    path: '/api/settings',
    operationId: 'showSettings',
    summary: 'Show the organisation’s settings, as they are in force',
    request: { headers: organisationHeader },
    responses: {
      200: managementJsonResponse(SettingsSchema, 'The settings.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  updateSettings: createRoute({
    ...shared,
    method: 'patch',
    path: '/api/settings',
    operationId: 'updateSettings',
    summary: 'Change the organisation’s name or settings, from its next call on',
    request: { headers: organisationHeader, ...bodyOf(UpdateSettingsSchema) },
    responses: {
      200: managementJsonResponse(SettingsSchema, 'The settings as they are then.'),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES, 'conflict']),
    },
  }),
}

export function settingsRoutes(service: SettingsService, access: AccessControl): Api {
  const api = createApi()

  mountFor(
    api,
    routes.showSettings,
    (c) => access.requireAccess(c, 'settings:read'),
    async (c, who) => {
      return c.json(presentOwnSettings(found(await reachOrganisation(c, () => service.showSettings(who)))))
    },
  )

  mountFor(
    api,
    routes.updateSettings,
    (c) => access.requireAccess(c, 'settings:change'),
    async (c, who) => {
      const change = readOwnChange(await readForm(c, UpdateSettingsSchema))
      const changed = found(await reachOrganisation(c, () => service.updateSettings(who, change, c.get('requestId'))))
      assertChanged(changed)
      return c.json(presentOwnSettings(changed.record))
    },
  )

  return api
}

function found<T>(value: T | null): T {
  if (value === null) throw organisationGone()
  return value
}
