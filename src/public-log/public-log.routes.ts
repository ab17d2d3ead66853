// The routes of the public log: signed heads, proofs, checkpoint and tiles. They need no key, because they return only
// hashes and signatures.
import * as z from 'zod'
import type { AppContext } from '../platform/context.ts'
import { publicOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import {
  ComparedSizesSchema,
  ProvenSizeSchema,
  PublicConsistencyProofSchema,
  PublicInclusionProofSchema,
  PublicTreeHeadListSchema,
  PublicTreeHeadSchema,
} from '../evidence/bundles/log-proofs.schema.ts'
import { DAYS_SERVED } from './publish-leaves.ts'
import type { PublicLogService } from './public-log.service.ts'

const TILE_PATH = '/v1/public/transparency/tile'

/** Responses for sizes named in the request never change. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_SECONDS = 'public, max-age=2'
const FOR_MINUTES = 'public, max-age=300'

export function publicLogRoutes(service: PublicLogService): Api {
  const { api, openapi } = publicOperations({ tags: ['Transparency'], security: [] })
  openapi(
    {
      route: 'GET /v1/public/transparency/sth',
      operationId: 'readPublicTreeHead',
      summary: 'Get the public log’s head',
      description:
        'Returns the newest signed head of the public log. Every attestation of every organisation is a leaf of this log within 60 seconds, and once an hour so is the head of each organisation’s own log. Keep the heads you see.',
      answers: { 200: [PublicTreeHeadSchema, 'Its size and its root, signed.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => answer(c, await service.readPublicTreeHead(c)),
  )
  openapi(
    {
      route: 'GET /v1/public/transparency/heads',
      operationId: 'listPublicTreeHeads',
      summary: 'List the public log’s heads',
      description:
        'Lists the first signed head of each day. Newest first, one for each UTC day on which a head was signed. A day without a head does not mean an outage: a head is signed when somebody asks, when leaves arrive or when a checkpoint is due.',
      query: () =>
        z.object({
          days: z.coerce
            .number()
            .int()
            .min(1)
            .max(DAYS_SERVED)
            .default(DAYS_SERVED)
            .meta({ description: 'The largest number of heads. Days without a head are not counted.' }),
        }),
      answers: { 200: [PublicTreeHeadListSchema, 'Heads as they were signed. Empty before the first.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    async ({ c, sent }) => {
      const data = await service.listPublicTreeHeads(c, sent.query().days)
      return c.json({ object: 'list', data }, 200, { 'cache-control': FOR_MINUTES })
    },
  )
  openapi(
    {
      route: 'GET /v1/public/transparency/proof/{attestation_id}',
      operationId: 'provePublicInclusion',
      summary: 'Prove public inclusion',
      description:
        'Proves that a receipt is in the public log. Of an anchor too: its anchor_id stands in the place of the attestation_id.',
      params: () => ({ attestation_id: z.uuid({ version: 'v4' }) }),
      query: ProvenSizeSchema,
      answers: { 200: [PublicInclusionProofSchema, 'RFC 6962: the path from the leaf to the root.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error', 'not_found'],
    },
    async ({ c }) => {
      const attestationId = c.req.param('attestation_id') ?? ''
      return answer(c, await service.provePublicInclusion(c, attestationId), c.req.query('tree_size'))
    },
  )
  openapi(
    {
      route: 'GET /v1/public/transparency/consistency',
      operationId: 'provePublicConsistency',
      summary: 'Prove public consistency',
      description: 'Proves that the public log has only grown.',
      query: ComparedSizesSchema,
      answers: { 200: [PublicConsistencyProofSchema, 'RFC 6962: the path that leads to both roots.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => answer(c, await service.provePublicConsistency(c), c.req.query('new_size')),
  )
  openapi(
    {
      route: 'GET /v1/public/transparency/checkpoint',
      operationId: 'readPublicCheckpoint',
      summary: 'Get the checkpoint',
      description:
        'Returns the newest head of the public log as a checkpoint. A signed note as C2SP’s tlog-checkpoint says (<https://c2sp.org/tlog-checkpoint>), under the log’s own key, with the cosignatures of witnesses. Never over a minute old.',
      answers: {
        200: { description: 'The note.', content: { 'text/plain': { schema: { type: 'string' as const } } } },
      },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) =>
      c.body(await service.readPublicCheckpoint(c), 200, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': FOR_SECONDS,
      }),
  )
  openapi(
    {
      route: 'GET /v1/public/transparency/tile/{level}/{index}',
      operationId: 'readPublicTile',
      summary: 'Get a tile',
      description:
        'Returns a tile of the public log. Up to 256 hashes of 32 bytes, laid out as C2SP’s tlog-tiles says (<https://c2sp.org/tlog-tiles>). With the tiles of level 0 anyone can make every root again.',
      params: () => ({
        level: z.int().min(0).max(6),
        index: z.string().meta({
          description:
            'Groups of three digits, all but the last with an x before and a slash behind, and `.p/WIDTH` if partial.',
          example: 'x001/x234/067.p/12',
        }),
      }),
      answers: {
        200: {
          description: 'The hashes, one after the other. They never change.',
          content: { 'application/octet-stream': { schema: { type: 'string' as const, format: 'binary' } } },
        },
      },
      errors: ['invalid_request', 'service_unavailable', 'internal_error', 'not_found'],
      pattern: `${TILE_PATH}/:level/:index{[\\s\\S]+}`,
    },
    async ({ c }) => {
      const bytes = await service.readPublicTile(c, c.req.param('level') ?? '', c.req.param('index') ?? '')
      return c.body(bytes, 200, { 'content-type': 'application/octet-stream', 'cache-control': FOR_EVER })
    },
  )
  return api
}

function answer(c: AppContext, body: object, namedSize?: string): Response {
  c.header('cache-control', namedSize === undefined ? FOR_SECONDS : FOR_EVER)
  return c.json(body)
}
