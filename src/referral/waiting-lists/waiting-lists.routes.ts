// The routes for published figures: specialties, waiting lists, versions and the files themselves.
import * as z from 'zod'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'

import { PageQuerySchema } from '../../platform/pagination.schema.ts'
import { keyedOperations, publicOperations } from '../../platform/operations.ts'
import { notModified, KEY_ERROR_CODES, etagMatches, sendCacheable } from '../../platform/responses.ts'
import { createApi, type Api } from '../../platform/router.ts'
import type { RequireKey } from '../../organisation/admit/require-key.ts'
import {
  DatasetsResponse,
  SpecialtiesResponse,
  WaitingListsQuery,
  WaitingListsResponse,
} from './waiting-lists.schema.ts'
import { notServedError, type WaitingListService } from './waiting-lists.service.ts'

const REVALIDATE = 'private, no-cache'
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function waitingListRoutes(service: WaitingListService, requireKey: RequireKey): Api {
  const api = createApi()
  const keyed = keyedOperations(requireKey, { tags: ['Waiting lists'], security: [{ referralKey: [] }] }, api)
  const open = publicOperations({}, api)

  keyed.openapi(
    {
      route: 'GET /v1/specialties',
      operationId: 'listSpecialties',
      summary: 'List specialties',
      description:
        'Lists the specialties that the published file has. The names a reading can give, in the publisher’s spelling and the file’s order.',
      answers: { 200: [SpecialtiesResponse, 'The specialties.'], 304: notModified },
    },
    async ({ c }) => {
      const found = await fromStorage(c, () => service.listSpecialties())
      if (found.outcome !== 'ok') throw notServedError(found)
      return sendCacheable(c, found.body, REVALIDATE)
    },
  )

  keyed.openapi(
    {
      route: 'GET /v1/waiting-lists',
      operationId: 'listWaitingLists',
      summary: 'List waiting lists',
      description:
        'Lists every published waiting list of one specialty. The lists stand in the file’s order, which means nothing: keep it, and do not sort by size. A published specialty ' +
        'without a list for the age group is answered with an empty array. Without ageGroup it lists those of adults: where the reading has null, ask the clinician and send it.',
      query: WaitingListsQuery,
      answers: {
        200: [WaitingListsResponse, 'The lists, each with source, date and what it cannot establish.'],
        304: notModified,
      },
      errors: ['specialty_not_published', ...KEY_ERROR_CODES],
    },
    async ({ c, sent }) => {
      const query = sent.query()
      const found = await fromStorage(c, () => service.listWaitingLists(query))
      if (found.outcome === 'specialty_not_published') throw notPublished()
      if (found.outcome !== 'ok') throw notServedError(found)
      return sendCacheable(c, found.body, REVALIDATE)
    },
  )

  keyed.openapi(
    {
      route: 'GET /v1/datasets',
      operationId: 'listDatasets',
      summary: 'List dataset versions',
      description:
        'Lists the published versions that are kept, the current one first. A page at a time: `next_cursor` of one page is the `cursor` of the next.',
      query: PageQuerySchema,
      answers: { 200: [DatasetsResponse, 'The versions.'] },
    },
    async ({ c, sent }) => {
      const page = sent.query()
      const found = await fromStorage(c, () => service.listDatasets(page))
      if (found.outcome === 'unknown_cursor') throw unknownCursor()
      if (found.outcome !== 'ok') throw notServedError(found)
      c.header('cache-control', 'no-store')
      return c.json(found.body)
    },
  )

  open.openapi(
    {
      route: 'GET /v1/files/{sha256}',
      tags: ['Waiting lists'],
      security: [],
      operationId: 'downloadFile',
      summary: 'Download a published file',
      description:
        'Returns a published file, byte for byte. Public, so that anyone can check that the bytes have the hash that answers name.',
      params: () => ({ sha256: z.string().meta({ pattern: '^[0-9a-f]{64}$' }) }),
      answers: {
        200: () => ({
          description: 'The file as the publisher served it.',
          content: { 'text/csv': { schema: z.string().meta({ format: 'binary' }) } },
        }),
        304: { description: 'What the caller has is this file.' },
      },
      errors: ['invalid_request', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => {
      const sha256 = c.req.param('sha256') ?? ''
      const found = await fromStorage(c, () => service.openFile(sha256))
      if (found.outcome === 'not_found')
        throw new AppError('not_found', 'No stored file has this SHA-256. GET /v1/datasets lists the files.')
      if (found.outcome !== 'ok') throw notServedError(found)
      const etag = `"${sha256}"`
      c.header('etag', etag)
      c.header('cache-control', IMMUTABLE)
      if (etagMatches(c.req.header('if-none-match'), etag)) return c.body(null, 304)
      c.header('content-type', 'text/csv; charset=utf-8')
      c.header('content-length', String(found.size))
      c.header('content-disposition', `attachment; filename="${sha256}.csv"`)
      return c.body(found.body)
    },
  )

  return api
}

const fromStorage = <T>(c: AppContext, work: () => Promise<T>): Promise<T> => c.get('timings').measure('storage', work)

const unknownCursor = (): AppError =>
  new AppError('invalid_request', 'This cursor is no longer valid. Start again with the first page.', {
    param: 'cursor',
    fields: [{ path: 'cursor', rule: 'next_cursor of the page before' }],
  })

const notPublished = (): AppError =>
  new AppError(
    'specialty_not_published',
    'The published file has no specialty with this name. GET /v1/specialties lists the names, spelled as published.',
    {
      param: 'specialty',
    },
  )
