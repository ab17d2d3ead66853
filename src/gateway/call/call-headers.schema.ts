// The headers that a call may have in either wire format, as the document tells them.
import { z } from '@hono/zod-openapi'
import { DEADLINE_HEADER, LEAST_DEADLINE_MS } from './deadline.ts'

export const CallHeadersSchema = z.object({
  [DEADLINE_HEADER]: z.int().min(LEAST_DEADLINE_MS).optional().openapi({
    description:
      'Milliseconds from the arrival of the request after which nobody waits for the whole answer any more: 504 then, or an error event of the stream. More than the service allows (14 minutes unless its operator changed it) is lowered to that.',
    example: 60_000,
  }),
  'x-aqta-use-case': z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    .optional()
    .openapi({ description: 'What the request is for; it goes beside the record.', example: 'triage-notes' }),
})
