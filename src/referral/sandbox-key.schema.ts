// The sandbox key that all visitors of the front page share, in requests and responses.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'

const key = once(() =>
  z.string().nullable().meta({ example: 'vk_test_invented', description: 'Null: visitors bring their own key.' }),
)

export const SandboxKeySchema = once(() =>
  z.strictObject({ object: z.literal('sandbox_key'), key: key() }).meta({ id: 'SandboxKey' }),
)

export type SandboxKey = Infer<typeof SandboxKeySchema>

export const SetSandboxKeySchema = once(() => z.strictObject({ key: key() }).meta({ id: 'SetSandboxKey' }))
