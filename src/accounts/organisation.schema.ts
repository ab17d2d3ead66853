// Organisations as the operator's routes show and take them.
import { z } from '@hono/zod-openapi'
import { JURISDICTIONS } from '../keys/key-format.ts'

export const TIERS = ['free', 'starter', 'pro', 'healthcare', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

export const OrganisationSchema = z
  .strictObject({
    id: z.string().openapi({ example: 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' }),
    object: z.literal('organisation'),
    created_at: z.iso.datetime(),
    name: z.string(),
    tier: z.enum(TIERS),
    jurisdiction: z.enum(JURISDICTIONS).openapi({ description: 'Where its data is stored.' }),
  })
  .openapi('Organisation')

export type Organisation = z.infer<typeof OrganisationSchema>

export const CreateOrganisationSchema = z.strictObject({
  name: z.string().trim().min(1).max(200),
  tier: z.enum(TIERS).default('free'),
  jurisdiction: z.enum(JURISDICTIONS).default('eu'),
})

export const UpdateOrganisationSchema = z.strictObject({
  name: z.string().trim().min(1).max(200).optional(),
  tier: z.enum(TIERS).optional(),
})
