// The policy rule about rates, which only narrows what tier and key allow. Pure.
import * as z from 'zod'
import { ownMember } from '../../platform/json.ts'
import { once, type Infer } from '../../platform/once.ts'
import { raisedKeyLimits, raisedLimits } from './loosening-words.ts'
import { least, recordByKeyId, defineRule } from './rule.ts'

const perMinute = once(() => z.int().min(0).max(1_000_000))
const perDay = once(() => z.int().min(0).max(1_000_000_000))

const RateLimitSchema = once(() =>
  z
    .strictObject({
      requests_per_minute: perMinute().optional().meta({ description: 'Of the whole organisation.' }),
      key_requests_per_minute: perMinute().optional().meta({ description: 'Of each key.' }),
      key_requests_per_day: perDay().optional(),
      keys: recordByKeyId(
        z.strictObject({ requests_per_minute: perMinute().optional(), requests_per_day: perDay().optional() }),
      ).optional(),
    })
    .meta({ id: 'RateLimit', description: 'Lower limits than those of the tier and of the keys. The lowest holds.' }),
)

type RateLimit = Infer<typeof RateLimitSchema>

/** Calls in 60 seconds and in a UTC day. Infinity: no limit. */
export type KeyRateLimits = { perMinute: number; perDay: number }

export function rateLimitOfKey(rule: RateLimit | undefined, keyId: string): KeyRateLimits {
  const own = ownMember(rule?.keys, keyId)
  return {
    perMinute: least(rule?.key_requests_per_minute, own?.requests_per_minute),
    perDay: least(rule?.key_requests_per_day, own?.requests_per_day),
  }
}

export const rateLimit = defineRule({
  schema: RateLimitSchema,
  findLooser: (before, after) => [...raisedLimits(before, after), ...raisedKeyLimits(before, after)],
})
