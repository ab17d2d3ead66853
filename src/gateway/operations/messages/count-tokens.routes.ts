// POST /v1/messages/count_tokens: an estimate of a request's input, as Anthropic's clients ask for it. The text stays here: it leaves
// only under a decision, and a count is none.
import * as z from 'zod'
import type { RequireKey } from '../../../organisation/admit/require-key.ts'
import { selfAdmittingOperations } from '../../../platform/operations.ts'
import { KEY_ERROR_CODES, MESSAGES_STATUSES, MessagesErrorSchema } from '../../../platform/responses.ts'
import type { Api } from '../../../platform/router.ts'
import type { CallService } from '../../call/call.service.ts'
import { ClientQuerySchema, CountRequestSchema } from './messages-request.schema.ts'
import { readCountRequest } from './read-messages-request.ts'

const COUNT_CODES = ['missing_parameter', 'model_not_found', 'payload_too_large', 'unsupported_media_type'] as const

export function countTokensRoutes(service: Pick<CallService, 'estimateInput'>, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  openapi(
    {
      route: 'POST /v1/messages/count_tokens',
      operationId: 'countTokens',
      tags: ['Gateway'],
      summary: 'Count the tokens of a message',
      description:
        'Estimates the input of a request here: nothing is sent to a provider, nothing is recorded and nothing is charged. ' +
        'Counts have a limit of their own, ten times the requests that the key may send in a minute.',
      security: [{ gatewayKey: [] }],
      body: CountRequestSchema,
      query: ClientQuerySchema,
      answers: {
        200: [
          () => z.strictObject({ input_tokens: z.int().nonnegative() }).meta({ id: 'TokenCount' }),
          'The estimate, in tokens.',
        ],
      },
      errors: COUNT_CODES,
      errorBodies: Object.fromEntries([...KEY_ERROR_CODES, ...COUNT_CODES].map((code) => [code, MessagesErrorSchema])),
      alsoAs: { 400: MESSAGES_STATUSES[400] },
    },
    async ({ c }) => c.json({ input_tokens: await service.estimateInput(c, readCountRequest) }),
  )
  return api
}
