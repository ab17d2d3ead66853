// Response shape of the list of providers.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { orNull } from '../platform/names.schema.ts'
import { TIERS } from '../policies/tier.policy.ts'
import { DATA_REGIONS } from '../platform/data-region.ts'
import { ENDPOINT_IDS, PROVIDER_IDS } from '../providers/provider-registry.ts'

/** The places that a route may send text to, in answers about models and calls. */
export const placesMember = once(() =>
  z
    .array(z.string())
    .nullable()
    .meta({
      description:
        'The countries that the provider may route text to, as ISO 3166-1 codes. Null: it does not say, so it may be any.',
      example: ['DE', 'IE'],
    }),
)

export const dataRegionMember = once(() =>
  z.enum(DATA_REGIONS).meta({
    description:
      'The narrowest class that has all of these places: eu is within eea_ch (EEA and Switzerland), which is within any.',
    example: 'eu',
  }),
)

const RouteSchema = once(() =>
  z
    .strictObject({
      endpoint: z.enum(ENDPOINT_IDS),
      host: z.string().meta({ example: 'eu.api.openai.com' }),
      configured: z
        .boolean()
        .meta({ description: 'Whether this deployment has a key for the endpoint. Without one it is not used.' }),
      data_region: dataRegionMember(),
      places: placesMember(),
      promise: orNull(
        z.strictObject({
          text: z.string(),
          excludes: z.string().nullable().meta({ description: 'What the provider leaves out of its promise.' }),
          source: z.string(),
          read_on: z.iso.date(),
          verified: z.boolean().meta({
            description:
              'Whether the source is the provider’s own page, or a recorded exchange, and covers this model.',
          }),
        }),
      ).meta({ description: 'The provider’s own words about these places. Null: it makes no promise.' }),
    })
    .meta({ id: 'Route' }),
)

export const ProviderSchema = once(() =>
  z
    .strictObject({
      id: z.enum(PROVIDER_IDS),
      object: z.literal('provider'),
      models: z.array(
        z.strictObject({
          id: z.string().meta({ example: 'gpt-4.1-mini' }),
          tiers: z.array(z.enum(TIERS)).meta({ description: 'The tiers that include it.' }),
          eur_per_million: z.strictObject({ input: z.number(), output: z.number() }).meta({
            description:
              'What a million tokens cost today by the preferred route, in euro. Cached input costs less, a long context at some models more.',
            example: { input: 0.34, output: 1.38 },
          }),
          routes: z
            .array(RouteSchema())
            .meta({ description: 'The provider’s endpoints that serve it, the preferred one first.' }),
        }),
      ),
    })
    .meta({ id: 'Provider' }),
)

export type Provider = Infer<typeof ProviderSchema>
export type ProviderRoute = Provider['models'][number]['routes'][number]
