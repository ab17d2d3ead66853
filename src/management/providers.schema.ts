// Response shape of the list of providers.
import * as z from '../platform/zod.ts'
import { TIERS } from '../policies/tier.policy.ts'
import { PROVIDER_IDS } from '../providers/provider-registry.ts'

const region = z
  .string()
  .meta({ description: 'Where prompts are processed: us, or global for anywhere.', example: 'us' })

export const ProviderSchema = z
  .strictObject({
    id: z.enum(PROVIDER_IDS),
    object: z.literal('provider'),
    regions: z.array(region),
    models: z.array(
      z.strictObject({
        id: z.string().meta({ example: 'gpt-4.1-mini' }),
        region,
        tiers: z.array(z.enum(TIERS)).meta({ description: 'The tiers that include it.' }),
      }),
    ),
  })
  .meta({ id: 'Provider' })

export type Provider = z.infer<typeof ProviderSchema>
