// The one error envelope of every route, and how a route declares which codes it can answer with.
import { z } from '@hono/zod-openapi'
import { errorRow, type ErrorCode } from './errors.ts'

const FieldSchema = z
  .strictObject({
    path: z.string().openapi({ example: 'text' }),
    rule: z.string().openapi({ example: 'expected string' }),
  })
  .openapi('InvalidField')

const errorMembers = {
  message: z.string().openapi({ description: 'Says what to do next; never repeats what was sent.' }),
  type: z.string(),
  param: z.string().nullable().optional(),
  retry_after: z.int().min(1).optional().openapi({ description: 'Seconds; equal to the retry-after header.' }),
  request_id: z.string(),
  fields: z.array(FieldSchema).optional().openapi({ description: 'Which members are wrong, and the rule they break.' }),
}

type Responses = Record<
  number,
  { description: string; content: { 'application/json': { schema: z.ZodType } }; headers?: Record<string, unknown> }
>

const RETRY_HEADERS = {
  'retry-after': {
    description: 'Whole seconds to wait, where waiting helps.',
    schema: { type: 'integer', minimum: 1 },
  },
}

/** Statuses that may carry them. */
const WORTH_REPEATING: ReadonlySet<number> = new Set([402, 404, 429, 503])

/**
 * The `responses` of a route for these codes, grouped by status. `members` are further members of the error object,
 * by code; `beside`, of the body.
 */
export function errorResponses<C extends ErrorCode>(
  codes: readonly C[],
  members: Partial<Record<C, Record<string, z.ZodType>>> = {},
  beside: Record<string, z.ZodType> = {},
): Responses {
  const responses: Responses = {}
  for (const code of codes) {
    const { status } = errorRow(code)
    const sameStatus = codes.filter((other) => errorRow(other).status === status)
    responses[status] = {
      description: sameStatus.join(', '),
      content: {
        'application/json': {
          schema: z.strictObject({
            error: z.strictObject({
              ...errorMembers,
              type: z.literal(errorRow(code).type),
              code: z.enum(sameStatus),
              ...Object.assign({}, ...sameStatus.map((other) => members[other] ?? {})),
            }),
            ...beside,
          }),
        },
      },
      ...(WORTH_REPEATING.has(status) ? { headers: RETRY_HEADERS } : {}),
    }
  }
  return responses
}
