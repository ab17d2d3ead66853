// Pieces of route descriptions that every route shares.
import type { z } from '@hono/zod-openapi'

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' as const } })

/** On every answer to a call that needs a key, once the key is good. */
export const RATE_HEADERS = {
  'x-ratelimit-limit': integerHeader('Calls allowed in the window that runs out first: 60 seconds, or the UTC day.'),
  'x-ratelimit-remaining': integerHeader('Calls left in it.'),
  'x-ratelimit-reset': integerHeader('Unix seconds: when calls leave that window.'),
}

export const jsonResponse = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

export const keyedJsonResponse = (schema: z.ZodType, description: string) => ({
  ...jsonResponse(schema, description),
  headers: RATE_HEADERS,
})

export const notModified = {
  description: 'What the caller has is still current (If-None-Match).',
  headers: RATE_HEADERS,
}
