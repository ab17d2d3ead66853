// Request and response shapes of the operator's organisation routes, and of founding an organisation.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { JURISDICTIONS } from '../keys/key-format.ts'
import { orNull } from '../platform/names.schema.ts'
import { EUROPEAN_REGIONS, REGIONS, type Region } from '../platform/config.ts'
import { SETTINGS } from '../policies/settings-table.ts'
import { TIERS } from '../policies/tier.policy.ts'
import {
  ifVersionMember,
  newSettingsShape,
  organisationName as name,
  requestShape,
  responseShape,
  versionMember,
  warningsMember,
} from './organisation-settings.schema.ts'

const tier = once(() => z.enum(TIERS))
const jurisdiction = once(() => z.enum(JURISDICTIONS).meta({ description: 'Where its data is stored.' }))
const region = once(() =>
  z.enum(REGIONS).meta({
    description:
      'Where its object is asked to be, heard once, when the organisation is founded: a hint to the platform, not a ' +
      `promise. In the jurisdiction eu one of ${EUROPEAN_REGIONS.join(', ')}.`,
  }),
)

export const TierRequestSchema = once(() =>
  z
    .strictObject({
      object: z.literal('tier_request'),
      tier: tier(),
      requested_at: z.iso.datetime(),
      requested_by: z.string().nullable().meta({
        description: 'The id of the person or key that asked. Null once that person is erased.',
        example: 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
      }),
    })
    .meta({ id: 'TierRequest' }),
)

export type PresentedTierRequest = Infer<typeof TierRequestSchema>

export const identityMembers = once(() => ({
  id: z.string().meta({ example: 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
  object: z.literal('organisation'),
  created_at: z.iso.datetime(),
  name: z.string(),
  tier: tier(),
  jurisdiction: jurisdiction(),
  region: orNull(region()),
  demo: z.boolean().meta({
    description:
      'Whether all of its data is invented. Its id then has the UUID version 8 where others have 7, and every answer for it the header x-aqta-demo: true.',
  }),
  tier_request: orNull(TierRequestSchema()).meta({
    description:
      'The request for a higher tier that the operator has not answered by setting a tier. Null: none is open.',
  }),
}))

/** The response shape. It has no maximum for rates, because a stored rate above today's maximum stays in force. */
export const OrganisationSchema = once(() =>
  z
    .strictObject({ ...identityMembers(), ...versionMember(), ...responseShape('operator') })
    .meta({ id: 'Organisation' }),
)

export const ChangedOrganisationSchema = once(() =>
  z.strictObject({ ...OrganisationSchema().shape, ...warningsMember() }).meta({ id: 'ChangedOrganisation' }),
)

export type Organisation = Infer<typeof OrganisationSchema>

export const CreateOrganisationSchema = once(() =>
  z
    .strictObject({
      name: name(),
      jurisdiction: jurisdiction().default('eu'),
      region: region().optional(),
      demo: z.boolean().default(false).meta({
        description: 'Whether its data is to be invented, for a demonstration. Chosen here, and never changed.',
      }),
      ...newSettingsShape(),
    })
    .refine(({ jurisdiction: place, region: wanted }) => place !== 'eu' || wanted === undefined || isEuropean(wanted), {
      path: ['region'],
      message: `in the jurisdiction eu one of ${EUROPEAN_REGIONS.join(', ')}`,
    }),
)

/** The choices of a person who founds an organisation. GET /api/providers shows where prompts are routed to. */
export const FoundOrganisationSchema = once(() =>
  z.strictObject({
    name: name(),
    enabled_providers: SETTINGS.enabled_providers.api(),
    region: z
      .enum(EUROPEAN_REGIONS)
      .optional()
      .meta({
        description: `Where its object is asked to be, heard once: a hint to the platform. ${EUROPEAN_REGIONS[0]} where it is not sent.`,
      }),
  }),
)

const isEuropean = (wanted: Region): boolean => EUROPEAN_REGIONS.some((european) => european === wanted)

export type CreateOrganisation = Infer<typeof CreateOrganisationSchema>

export const UpdateOrganisationSchema = once(() =>
  z.strictObject({ name: name(), ...requestShape('operator'), ...ifVersionMember() }).partial(),
)

export type UpdateOrganisation = Infer<typeof UpdateOrganisationSchema>
