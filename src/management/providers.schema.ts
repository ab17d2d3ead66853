// Response shape of the list of providers.
import { z } from '@hono/zod-openapi'
import { TIERS } from '../policies/tier.policy.ts'
import { PROVIDER_IDS } from '../providers/provider-registry.ts'

const region = z
  .string()
  .openapi({ description: 'Where prompts are processed: us, or global for anywhere.', example: 'us' })

export const ProviderSchema = z
  .strictObject({
    id: z.enum(PROVIDER_IDS),
    object: z.literal('provider'),
    regions: z.array(region),
    models: z.array(
      z.strictObject({
        id: z.string().openapi({ example: 'gpt-4.1-mini' }),
        region,
        tiers: z.array(z.enum(TIERS)).openapi({ description: 'The tiers that include it.' }),
      }),
    ),
  })
  .openapi('Provider')

export type Provider = z.infer<typeof ProviderSchema>
