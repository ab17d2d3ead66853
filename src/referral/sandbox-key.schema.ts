// The sandbox key that all visitors of the front page share, in requests and responses.
import * as z from '../platform/zod.ts'

const key = z
  .string()
  .nullable()
  .meta({ example: 'vk_test_invented', description: 'Null: visitors bring their own key.' })

export const SandboxKeySchema = z.strictObject({ object: z.literal('sandbox_key'), key }).meta({ id: 'SandboxKey' })

export type SandboxKey = z.infer<typeof SandboxKeySchema>

export const SetSandboxKeySchema = z.strictObject({ key }).meta({ id: 'SetSandboxKey' })
