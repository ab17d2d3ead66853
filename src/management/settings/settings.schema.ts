// Request and response shapes of an organisation's own settings.
import { z } from '@hono/zod-openapi'
import { OrganisationSchema } from '../../accounts/organisation.schema.ts'
import {
  ifVersionMember,
  organisationName,
  settingsShape,
  alwaysOffSettings,
  versionMember,
} from '../../accounts/organisation-settings.schema.ts'

const { id, created_at, tier, jurisdiction, region, demo } = OrganisationSchema.shape

const LimitsSchema = z
  .strictObject({
    requests_per_minute: z.int(),
    requests_per_month: z.int(),
    models: z.enum(['all', 'cost_effective']),
    retention_days: z.int().openapi({ description: 'For how many days the details of a decision made now are kept.' }),
  })
  .openapi('OrganisationLimits', {
    description: 'What is in force, by the tier and by what the operator and the organisation have set.',
  })

export const SettingsSchema = z
  .strictObject({
    id,
    object: z.literal('settings'),
    created_at,
    name: z.string(),
    tier,
    jurisdiction,
    region,
    demo,
    ...versionMember,
    ...settingsShape,
    ...alwaysOffSettings,
    limits: LimitsSchema,
  })
  .openapi('Settings')

export type Settings = z.infer<typeof SettingsSchema>

export const UpdateSettingsSchema = z
  .strictObject({ name: organisationName, ...settingsShape, ...alwaysOffSettings, ...ifVersionMember })
  .partial()

export type UpdateSettings = z.infer<typeof UpdateSettingsSchema>
