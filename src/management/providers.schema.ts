// Response shape of the list of providers.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import { TIERS } from '../policies/tier.policy.ts'
import { PROVIDER_IDS } from '../providers/provider-registry.ts'

const region = once(() =>
  z.string().meta({ description: 'Where prompts are processed: us, or global for anywhere.', example: 'us' }),
)

export const ProviderSchema = once(() =>
  z
    .strictObject({
      id: z.enum(PROVIDER_IDS),
      object: z.literal('provider'),
      regions: z.array(region()),
      models: z.array(
        z.strictObject({
          id: z.string().meta({ example: 'gpt-4.1-mini' }),
          region: region(),
          tiers: z.array(z.enum(TIERS)).meta({ description: 'The tiers that include it.' }),
        }),
      ),
    })
    .meta({ id: 'Provider' }),
)

export type Provider = Infer<typeof ProviderSchema>
