// Pieces of route descriptions that every route shares.
import type { z } from '@hono/zod-openapi'

const rateHeaders = (required: boolean) => {
  const header = (description: string) => ({ description, required, schema: { type: 'integer' as const } })
  return {
    'x-ratelimit-limit': header('Calls allowed in the window that runs out first: 60 seconds, or the UTC day.'),
    'x-ratelimit-remaining': header('Calls left in it.'),
    'x-ratelimit-reset': header('Unix seconds: when calls leave that window.'),
  }
}

/** On every answer to a call that needs a key, once the key is good. */
export const RATE_HEADERS = rateHeaders(true)

/** Of a failure that can come before the key was checked, and after. */
export const RATE_HEADERS_IF_CHECKED = rateHeaders(false)

export const jsonResponse = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

export const keyedJsonResponse = (schema: z.ZodType, description: string) => ({
  ...jsonResponse(schema, description),
  headers: RATE_HEADERS,
})

/** Of a route that takes a session as well as a key. */
export const managementJsonResponse = (schema: z.ZodType, description: string) => ({
  ...jsonResponse(schema, description),
  headers: RATE_HEADERS_IF_CHECKED,
})

export const notModified = {
  description: 'What the caller has is still current (If-None-Match).',
  headers: RATE_HEADERS,
}
