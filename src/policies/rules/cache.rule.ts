// The policy rule about the answer cache: decides whether and for how long an answer may be replayed to equal requests. Pure.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { defineRule } from './rule.ts'

export const LONGEST_TTL_SECONDS = 30 * 24 * 60 * 60

export const CacheSchema = once(() =>
  z
    .strictObject({
      ttl_seconds: z.int().min(1).max(LONGEST_TTL_SECONDS).meta({
        description: 'For how long an answer is given again to the same request of the same key.',
        example: 3600,
      }),
      with_temperature: z.boolean().optional().meta({
        description: 'Whether requests whose temperature is above 0 are answered so too. Left out: no.',
      }),
      with_stream_tools: z.boolean().optional().meta({
        description: 'Whether streams with tools are answered so too. Left out: no.',
      }),
    })
    .meta({ id: 'Cache', description: 'Keeps answers, sealed, and gives them again without asking a model.' }),
)

type Cache = Infer<typeof CacheSchema>

export type CacheFacts = {
  stream: boolean
  tools: number
  /** Null if the request sets none. */
  temperature: number | null
  choices: number
  /** How many values are redacted from the request. The answer would contain them. */
  redacted: number
}

/** Returns for how many milliseconds the answer may be replayed; null if it may not. */
export function cacheTtlMs(rule: Cache | undefined, facts: CacheFacts): number | null {
  if (rule === undefined || facts.redacted > 0 || facts.choices > 1) return null
  if ((facts.temperature ?? 0) > 0 && rule.with_temperature !== true) return null
  if (facts.stream && facts.tools > 0 && rule.with_stream_tools !== true) return null
  return rule.ttl_seconds * 1000
}

/** A cache refuses nothing, and a stored answer is replayed only to a request that the rules allow. */
export const cache = defineRule({ schema: CacheSchema })
