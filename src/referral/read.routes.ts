// POST /v1/referral/read reads a draft letter; GET /v1/examples lists the letters that a sandbox key can read.
import * as z from 'zod'
import { selfAdmittingOperations, keyedOperations } from '../platform/operations.ts'
import { once } from '../platform/once.ts'
import { IDEMPOTENCY_HEADER } from '../platform/read-request.ts'
import type { Api } from '../platform/router.ts'
import type { RequireKey } from '../organisation/admit/require-key.ts'
import { REFERENCE, REFERENCE_HEADER } from './referral-request.policy.ts'
import { FoundIdentifierSchema, ReadRequestSchema, ReadResponseSchema } from './read.schema.ts'
import type { ReadService } from './read.service.ts'
import { errorSchemaWith, notModified, sendCacheable } from '../platform/responses.ts'
import { ExamplesResponseSchema, type LoadExamples } from './examples/examples.ts'
import { HeldResponseSchema } from './actions.ts'

const readHeaders = once(() =>
  z.object({
    [IDEMPOTENCY_HEADER]: z.string().optional().meta({
      description:
        'Up to 255 characters, new for each letter. No letter is read under it again for 24 hours: 409 conflict, without an answer.',
    }),
    [REFERENCE_HEADER]: z.string().regex(REFERENCE).optional().meta({
      description:
        'Your own reference of the referral: up to 64 visible characters, no identifier. Only its salted hash is kept.',
      example: 'gp-letter-4711',
    }),
  }),
)

export function readRoutes(service: ReadService, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  openapi(
    {
      route: 'POST /v1/referral/read',
      operationId: 'readReferral',
      tags: ['Referral'],
      summary: 'Read a draft referral letter',
      description:
        'Two independent readers name the specialty. `yes` only when both name the same one; otherwise `ask`, and the ' +
        'clinician chooses. A text with an identifier is refused before a reader sees it: nothing of it is stored, and that ' +
        'it was refused, when and for which shapes is recorded. Held actions are always refused.',
      security: [{ referralKey: [] }],
      headers: readHeaders,
      body: ReadRequestSchema,
      answers: {
        200: [ReadResponseSchema, 'The decision, with both readings.'],
        409: [HeldResponseSchema, 'The action is held. Nothing was read.'],
      },
      errors: [
        'invalid_request',
        'text_missing',
        'text_too_long',
        'not_an_example',
        'invalid_api_key',
        'unknown_action',
        'scope_required',
        'organisation_closing',
        'conflict',
        'payload_too_large',
        'unsupported_media_type',
        'identifier_found',
        'rate_limit_exceeded',
        'service_unavailable',
        'internal_error',
      ],
      errorBodies: {
        identifier_found: () => errorSchemaWith('IdentifierError', { identifiers: z.array(FoundIdentifierSchema()) }),
      },
    },
    async ({ c }) => {
      const answer = await service.readReferral(c)
      c.header('cache-control', 'no-store')
      if (answer.kind === 'read') return c.json(answer.body, 200)
      c.header('x-should-retry', 'false')
      return c.json(answer.body, 409)
    },
  )
  return api
}

export function exampleRoutes(requireKey: RequireKey, loadExamples: LoadExamples): Api {
  const { api, openapi } = keyedOperations(requireKey)
  openapi(
    {
      route: 'GET /v1/examples',
      operationId: 'listExamples',
      tags: ['Referral'],
      summary: 'List example letters',
      description: 'Lists the invented example letters that a sandbox key can read.',
      security: [{ referralKey: [] }],
      answers: {
        200: [ExamplesResponseSchema, 'Each entry says which path it exercises and what to expect.'],
        304: notModified,
      },
    },
    async ({ c }) => {
      const { list } = await loadExamples()
      return sendCacheable(c, { examples: list }, 'private, no-cache')
    },
  )
  return api
}
