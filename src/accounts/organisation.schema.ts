// Request and response shapes of the operator's organisation routes, and of founding an organisation.
import * as z from '../platform/zod.ts'
import { JURISDICTIONS } from '../keys/key-format.ts'
import { orNull } from '../platform/names.schema.ts'
import { EUROPEAN_REGIONS, REGIONS, type Region } from '../platform/config.ts'
import { DEFAULT_SETTINGS } from '../policies/organisation-settings.ts'
import { MOST_REQUESTS_PER_MINUTE, TIERS } from '../policies/tier.policy.ts'
import {
  ifVersionMember,
  organisationName as name,
  settingsShape,
  alwaysOffSettings,
  versionMember,
} from './organisation-settings.schema.ts'

const tier = z.enum(TIERS)
const jurisdiction = z.enum(JURISDICTIONS).meta({ description: 'Where its data is stored.' })
const region = z.enum(REGIONS).meta({
  description:
    'Where its object is asked to be, heard once, when the organisation is founded: a hint to the platform, not a ' +
    `promise. In the jurisdiction eu one of ${EUROPEAN_REGIONS.join(', ')}.`,
})

const rateDescription = 'A rate of its own (Pro and Enterprise). Null: the tier’s.'

/** The settings, including those that only the operator sets. */
const settings = {
  ...settingsShape,
  requests_per_minute: z.int().min(1).nullable().meta({ description: rateDescription }),
  requests_per_month: z.int().min(1).max(1_000_000_000).nullable().meta({
    description: 'A monthly quota of its own (Enterprise). Null: the tier’s.',
  }),
}

export const TierRequestSchema = z
  .strictObject({
    object: z.literal('tier_request'),
    tier,
    requested_at: z.iso.datetime(),
    requested_by: z.string().nullable().meta({
      description: 'The id of the person or key that asked. Null once that person is erased.',
      example: 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
    }),
  })
  .meta({ id: 'TierRequest' })

export type PresentedTierRequest = z.infer<typeof TierRequestSchema>

/** The members that identify an organisation. */
export const identityMembers = {
  id: z.string().meta({ example: 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
  object: z.literal('organisation'),
  created_at: z.iso.datetime(),
  name: z.string(),
  tier,
  jurisdiction,
  region: orNull(region),
  demo: z.boolean().meta({
    description:
      'Whether all of its data is invented. Its id then has the UUID version 8 where others have 7, and every answer for it the header x-aqta-demo: true.',
  }),
  tier_request: orNull(TierRequestSchema).meta({
    description:
      'The request for a higher tier that the operator has not answered by setting a tier. Null: none is open.',
  }),
}

/** The response shape. It has no maximum for rates, because a stored rate above today's maximum stays in force. */
export const OrganisationSchema = z
  .strictObject({
    ...identityMembers,
    ...versionMember,
    ...settings,
    ...alwaysOffSettings,
  })
  .meta({ id: 'Organisation' })

export type Organisation = z.infer<typeof OrganisationSchema>

const changeable = {
  name,
  tier,
  ...settings,
  requests_per_minute: z
    .int()
    .min(1)
    .max(MOST_REQUESTS_PER_MINUTE)
    .nullable()
    .meta({
      description: `${rateDescription} A tier that has none is assigned together with null.`,
    }),
}

export const CreateOrganisationSchema = z
  .strictObject({
    name,
    tier: tier.default('free'),
    jurisdiction: jurisdiction.default('eu'),
    region: region.optional(),
    demo: z.boolean().default(false).meta({
      description: 'Whether its data is to be invented, for a demonstration. Chosen here, and never changed.',
    }),
    enabled_providers: settings.enabled_providers.default([]),
    requests_per_minute: changeable.requests_per_minute.default(null),
    requests_per_month: settings.requests_per_month.default(null),
    monthly_budget_eur: settings.monthly_budget_eur.default(null),
    default_max_tokens: settings.default_max_tokens.default(DEFAULT_SETTINGS.defaultMaxTokens),
    cache_instructions: settings.cache_instructions.default(DEFAULT_SETTINGS.cacheInstructions),
    idempotent_replays: settings.idempotent_replays.default(DEFAULT_SETTINGS.idempotentReplays),
    unsupported: settings.unsupported.default(DEFAULT_SETTINGS.unsupported),
    retention_days: settings.retention_days.default(DEFAULT_SETTINGS.retentionDays),
    content_logging: settings.content_logging.default(null),
    loop_repeats: settings.loop_repeats.default(DEFAULT_SETTINGS.loopRepeats),
    loop_window_seconds: settings.loop_window_seconds.default(DEFAULT_SETTINGS.loopWindowSeconds),
    loop_cycle_rounds: settings.loop_cycle_rounds.default(DEFAULT_SETTINGS.loopCycleRounds),
    loop_cycle_window_seconds: settings.loop_cycle_window_seconds.default(DEFAULT_SETTINGS.loopCycleWindowSeconds),
  })
  .refine(({ jurisdiction: place, region: wanted }) => place !== 'eu' || wanted === undefined || isEuropean(wanted), {
    path: ['region'],
    message: `in the jurisdiction eu one of ${EUROPEAN_REGIONS.join(', ')}`,
  })

/** The choices of a person who founds an organisation. GET /api/providers shows where each provider processes data. */
export const FoundOrganisationSchema = z.strictObject({
  name,
  enabled_providers: settings.enabled_providers,
  region: z
    .enum(EUROPEAN_REGIONS)
    .optional()
    .meta({
      description: `Where its object is asked to be, heard once: a hint to the platform. ${EUROPEAN_REGIONS[0]} where it is not sent.`,
    }),
})

const isEuropean = (wanted: Region): boolean => EUROPEAN_REGIONS.some((european) => european === wanted)

export type CreateOrganisation = z.infer<typeof CreateOrganisationSchema>

export const UpdateOrganisationSchema = z
  .strictObject({ ...changeable, ...alwaysOffSettings, ...ifVersionMember })
  .partial()

export type UpdateOrganisation = z.infer<typeof UpdateOrganisationSchema>
