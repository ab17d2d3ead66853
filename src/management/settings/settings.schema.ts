// Request and response shapes of an organisation's own settings.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { TIERS } from '../../policies/tier.policy.ts'
import { identityMembers } from '../../accounts/organisation.schema.ts'
import {
  ifVersionMember,
  organisationName,
  requestShape,
  responseShape,
  versionMember,
  warningsMember,
} from '../../accounts/organisation-settings.schema.ts'

const LimitsSchema = once(() =>
  z
    .strictObject({
      requests_per_minute: z.int(),
      requests_per_month: z.int(),
      models: z.enum(['all', 'cost_effective']),
      retention_days: z.int().meta({ description: 'For how many days the details of a decision made now are kept.' }),
    })
    .meta({
      id: 'OrganisationLimits',
      description: 'What is in force, by the tier and by what the operator and the organisation have set.',
    }),
)

export const SettingsSchema = once(() =>
  z
    .strictObject({
      ...identityMembers(),
      object: z.literal('settings'),
      ...versionMember(),
      ...responseShape('organisation'),
      limits: LimitsSchema(),
    })
    .meta({ id: 'Settings' }),
)

export type Settings = Infer<typeof SettingsSchema>

export const ChangedSettingsSchema = once(() =>
  z.strictObject({ ...SettingsSchema().shape, ...warningsMember() }).meta({ id: 'ChangedSettings' }),
)

export const UpdateSettingsSchema = once(() =>
  z.strictObject({ name: organisationName(), ...requestShape('organisation'), ...ifVersionMember() }).partial(),
)

export const AskForTierSchema = once(() =>
  z.strictObject({
    tier: z.enum(TIERS).meta({ description: 'A tier above the present one.', example: 'healthcare' }),
  }),
)

export type UpdateSettings = Infer<typeof UpdateSettingsSchema>
