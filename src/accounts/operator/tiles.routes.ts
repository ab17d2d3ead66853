// Routes with which the operator compares and restores the tiles of logs, one page of tiles a request.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { TileCheckMode, TileCheckResult, TileCheckRequest } from '../../tiles/check-tiles.ts'
import { HIGHEST_TILE_LEVEL } from '../../evidence/tree/tiles.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readQuery } from '../../platform/read-request.ts'
import { describeThrown, log } from '../../platform/log.ts'
import type { Api } from '../../platform/router.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { requireFound, idParameter, operatorOperations } from './operator-operations.ts'
import type { OperatorService } from './operator.service.ts'

const CursorSchema = once(() => z.string().regex(/^[0-9]\/[0-9]{1,15}$/))

const QuerySchema = once(() =>
  z.strictObject({
    cursor: CursorSchema().optional().meta({ description: 'Where to go on: `next_cursor` of the page before.' }),
  }),
)

const RestoringSchema = once(() =>
  QuerySchema().extend({
    replace: z.enum(['true', 'false']).optional().meta({
      description:
        '`true`: also where a tile is not stored yet and another one is in its place. Only where the database was not taken back to an earlier moment.',
    }),
  }),
)

const TileFaultSchema = once(() =>
  z
    .strictObject({
      tile: z.string().meta({ description: 'As in the names of files.', example: '0/x001/x234/067' }),
      copies: z
        .array(z.enum(['intact', 'missing', 'damaged', 'unproven']))
        .meta({ description: 'As it was found in the first bucket, and in the second where one is bound.' }),
      outcome: z.enum(['restorable', 'restored', 'changed', 'lost', 'unproven', 'differs']).meta({
        description:
          '`restorable`: what it should be is known. `restored`: it is in every bucket now. `changed`: something else came there meanwhile. `lost`: no bucket has it as it was. `unproven`: the tile above is lost. `differs`: it is not stored yet, and another is in its place.',
      }),
    })
    .meta({ id: 'TileFault' }),
)

const TilesCheckSchema = once(() =>
  z
    .strictObject({
      object: z.literal('tiles_check'),
      faults: z.array(TileFaultSchema()),
      compared: z.int().meta({ description: 'How many full tiles this page is about.' }),
      total: z.int().meta({ description: 'How many there are in all.' }),
      next_cursor: CursorSchema().nullable(),
    })
    .meta({ id: 'TilesCheck' }),
)

const COMPARED_DESCRIPTION =
  'Each full tile of the log in R2 is compared with the tile above it, from the highest level down. The highest tiles are compared with the edge of the tree and its root. Every bucket is checked. A page covers some of the tiles.'
const RESTORED_DESCRIPTION = `${COMPARED_DESCRIPTION} A proven tile replaces a missing or damaged copy; nothing else changes. With \`replace\`, it also replaces another tile in the place of one that is not stored yet.`

type TilesService = Pick<OperatorService, 'checkTiles' | 'checkPublicTiles'>

export function tilesRoutes(service: TilesService, operatorTokens: readonly string[]): Api {
  const { api, openapi } = operatorOperations(operatorTokens)

  async function checkOrganisation(c: AppContext, wanted: TileCheckRequest): Promise<Response> {
    const id = idParameter(c, 'organisation_id', 'org_')
    const checking = () => service.checkTiles(id, wanted, c.get('requestId'))
    return answer(c, requireFound(await reachOrganisation(c, checking)))
  }

  async function checkPublicLog(c: AppContext, wanted: TileCheckRequest): Promise<Response> {
    return answer(c, await reachPublicLog(c, () => service.checkPublicTiles(wanted, c.get('requestId'))))
  }

  openapi(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/tiles',
      operationId: 'compareTiles',
      summary: 'Compare tiles',
      description: `Compares the tiles of an organisation’s log. ${COMPARED_DESCRIPTION}`,
      query: QuerySchema,
      answers: { 200: [TilesCheckSchema, 'What was found in this page.'] },
      errors: ['conflict', 'not_found'],
    },
    ({ c }) => checkOrganisation(c, readCompareRequest(c)),
  )
  openapi(
    {
      route: 'POST /api/operator/organisations/{organisation_id}/tiles',
      operationId: 'restoreTiles',
      summary: 'Restore tiles',
      description: `Restores the tiles of an organisation’s log. ${RESTORED_DESCRIPTION}`,
      query: RestoringSchema,
      answers: { 200: [TilesCheckSchema, 'What was found in this page.'] },
      errors: ['conflict', 'not_found'],
    },
    ({ c }) => checkOrganisation(c, readRestoreRequest(c)),
  )
  openapi(
    {
      route: 'GET /api/operator/public-log/tiles',
      operationId: 'comparePublicTiles',
      summary: 'Compare public tiles',
      description: `Compares the tiles of the public log. ${COMPARED_DESCRIPTION}`,
      query: QuerySchema,
      answers: { 200: [TilesCheckSchema, 'What was found in this page.'] },
      errors: ['conflict'],
    },
    ({ c }) => checkPublicLog(c, readCompareRequest(c)),
  )
  openapi(
    {
      route: 'POST /api/operator/public-log/tiles',
      operationId: 'restorePublicTiles',
      summary: 'Restore public tiles',
      description: `Restores the tiles of the public log. ${RESTORED_DESCRIPTION}`,
      query: RestoringSchema,
      answers: { 200: [TilesCheckSchema, 'What was found in this page.'] },
      errors: ['conflict'],
    },
    ({ c }) => checkPublicLog(c, readRestoreRequest(c)),
  )
  return api
}

/** Reads the request to compare tiles. Throws `invalid_request`, as `readRestoreRequest` does. */
const readCompareRequest = (c: AppContext): TileCheckRequest => ({
  from: readCursor(readQuery(c, QuerySchema()).cursor),
  act: 'compare',
})

function readRestoreRequest(c: AppContext): TileCheckRequest {
  const { cursor, replace } = readQuery(c, RestoringSchema())
  const act: TileCheckMode = replace === 'true' ? 'replace' : 'restore'
  return { from: readCursor(cursor), act }
}

function readCursor(cursor: string | undefined): TileCheckRequest['from'] {
  if (cursor === undefined) return null
  const [level = 0, index = 0] = cursor.split('/').map(Number)
  if (level <= HIGHEST_TILE_LEVEL) return { level, index }
  throw new AppError('invalid_request', 'The cursor is wrong. Leave it out to start with the first page.', {
    param: 'cursor',
  })
}

function answer(c: AppContext, checked: TileCheckResult): Response {
  if (checked.outcome === 'contradicted') throw contradicted()
  const { faults, compared, total, next } = checked
  const next_cursor = next === null ? null : `${next.level}/${next.index}`
  return c.json({ object: 'tiles_check', faults, compared, total, next_cursor })
}

async function reachPublicLog<T>(c: AppContext, call: () => Promise<T>): Promise<T> {
  try {
    return await c.get('timings').measure('storage', call)
  } catch (thrown) {
    log({ level: 'error', event: 'unexpected_error', request_id: c.get('requestId'), ...describeThrown(thrown) })
    throw new AppError('service_unavailable', 'The public log could not be reached. Send the same cursor again.')
  }
}

const contradicted = (): AppError =>
  new AppError(
    'conflict',
    'The log’s database does not match the signed tree, so tiles cannot be checked. Find out whether the database was restored to an earlier state.',
  )
