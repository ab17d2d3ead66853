// What a model wants back with the next turn, as `encrypted_content` of a reasoning item: clients keep that member as it is
// and never look inside. It is JSON in base64url, not encrypted: the provider's own signature protects it from being
// changed.
import { z } from 'zod'
import { decodeBase64url, encodeBase64url } from '../../evidence/records/base64url.ts'
import { MAX_THINKING_BLOCKS } from '../chat/assistant-message.schema.ts'
import { parseJson } from '../../providers/text.ts'

const ThinkingBlockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
])

const CarriedSchema = z.discriminatedUnion('provider', [
  z.strictObject({
    v: z.literal(1),
    provider: z.literal('anthropic'),
    thinking: z.array(ThinkingBlockSchema).min(1).max(MAX_THINKING_BLOCKS).readonly(),
  }),
  z.strictObject({
    v: z.literal(1),
    provider: z.literal('google'),
    /** Belongs to the text where no call is named. */
    signature: z.string().min(1),
    call: z.string().min(1).optional(),
  }),
])

type Versioned = z.infer<typeof CarriedSchema>
type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never

export type CarriedReasoning = WithoutVersion<Versioned>

export const sealReasoning = (carried: CarriedReasoning): string =>
  encodeBase64url(new TextEncoder().encode(JSON.stringify({ v: 1, ...carried })))

/** null for what was not made by `sealReasoning`. */
export function openReasoning(sealed: string): CarriedReasoning | null {
  const bytes = decodeBase64url(sealed)
  return (bytes && CarriedSchema.safeParse(parseJson(new TextDecoder().decode(bytes))).data) ?? null
}
