// Zod's findings as sentences: where in the body, and what was expected there.
import type { z } from 'zod'

export function shapeDifferences(error: z.ZodError): readonly string[] {
  return error.issues.map(({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`)
}

/** Where a JSON value departs from a schema. */
export function departures(schema: z.ZodType, json: unknown): readonly string[] {
  const { error } = schema.safeParse(json)
  return error === undefined ? [] : shapeDifferences(error)
}
