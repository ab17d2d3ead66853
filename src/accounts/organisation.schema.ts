// Organisations as the operator's routes show and take them.
import { z } from '@hono/zod-openapi'
import { JURISDICTIONS } from '../keys/key-format.ts'
import { PROVIDERS } from '../policies/organisation-settings.ts'
import { TIERS } from '../policies/tier.policy.ts'

const name = z.string().trim().min(1).max(200)
const tier = z.enum(TIERS)

const settings = {
  enabled_providers: z.array(z.enum(PROVIDERS)).openapi({
    description: 'The providers to which the gateway may send prompts. None until they are chosen.',
  }),
  requests_per_minute: z.int().min(1).max(60_000).nullable().openapi({
    description: 'A rate of its own (Pro and Enterprise). Null: the tier’s.',
  }),
  requests_per_month: z.int().min(1).max(1_000_000_000).nullable().openapi({
    description: 'A monthly quota of its own (Enterprise). Null: the tier’s.',
  }),
  monthly_budget_eur: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .refine((eur) => Math.round(eur * 1e6) / 1e6 === eur, 'at most 6 decimals')
    .nullable()
    .openapi({ description: 'The most that models may cost in a UTC month. Null: no such limit.' }),
}

export const OrganisationSchema = z
  .strictObject({
    id: z.string().openapi({ example: 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
    object: z.literal('organisation'),
    created_at: z.iso.datetime(),
    name: z.string(),
    tier,
    jurisdiction: z.enum(JURISDICTIONS).openapi({ description: 'Where its data is stored.' }),
    ...settings,
  })
  .openapi('Organisation')

export type Organisation = z.infer<typeof OrganisationSchema>

export const CreateOrganisationSchema = z.strictObject({
  name,
  tier: tier.default('free'),
  jurisdiction: z.enum(JURISDICTIONS).default('eu'),
  enabled_providers: settings.enabled_providers.default([]),
  requests_per_minute: settings.requests_per_minute.default(null),
  requests_per_month: settings.requests_per_month.default(null),
  monthly_budget_eur: settings.monthly_budget_eur.default(null),
})

export type CreateOrganisation = z.infer<typeof CreateOrganisationSchema>

export const UpdateOrganisationSchema = z.strictObject({ name, tier, ...settings }).partial()

export type UpdateOrganisation = z.infer<typeof UpdateOrganisationSchema>
