// The operator's routes for erasures.
import { operatorOperations } from '../../accounts/operator/operator-operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId, type ErasureId } from '../../platform/ids.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/route.ts'
import { OperatorErasureSchema, presentOperatorErasure } from './erasure.schema.ts'
import type { OperatorErasuresService } from './operator-erasures.service.ts'

export function operatorErasureRoutes(service: OperatorErasuresService, operatorToken: string | null): Api {
  const { api, add } = operatorOperations(operatorToken)

  add(
    {
      route: 'GET /api/operator/erasures',
      operationId: 'listErasures',
      summary: 'List erasures, newest first',
      query: PageQuerySchema,
      answers: { 200: [listOf(OperatorErasureSchema), 'A page of erasures.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const { limit, cursor } = sent.query()
      const erasures = await reachOrganisation(c, () => service.list(limit + 1, cursor, c.get('requestId')))
      return c.json(pageOf(erasures.map(presentOperatorErasure), limit))
    },
  )

  add(
    {
      route: 'GET /api/operator/erasures/{erasure_id}',
      operationId: 'showErasure',
      summary: 'Show one erasure',
      answers: { 200: [OperatorErasureSchema, 'The erasure.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const id = idOf(c)
      const erasure = await reachOrganisation(c, () => service.show(id, c.get('requestId')))
      if (erasure === null) throw notFound()
      return c.json(presentOperatorErasure(erasure))
    },
  )

  add(
    {
      route: 'POST /api/operator/erasures/{erasure_id}/reapply',
      operationId: 'reapplyErasure',
      summary: 'Do a completed erasure again, after a database was taken back',
      description:
        'Harmless twice. An organisation’s runs for some seconds: show it until it is `completed`. One that is `scheduled` ' +
        'stays so, and is put back where its organisation has forgotten it. 409 where it was cancelled, or a person is the ' +
        'only owner of an organisation.',
      answers: { 202: [OperatorErasureSchema, 'It runs, or is done.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c }) => {
      const id = idOf(c)
      const reapplied = await reachOrganisation(c, () => service.reapply(id, c.get('requestId')))
      if (reapplied === null) throw notFound()
      if (reapplied.outcome === 'cancelled') throw wasCancelled()
      if (reapplied.outcome === 'only_owner') throw onlyOwner()
      return c.json(presentOperatorErasure(reapplied.erasure), 202)
    },
  )

  return api
}

// Only a well-formed id passes, because the requested id is written to a ledger.
function idOf(c: AppContext): ErasureId {
  const id = c.req.param('erasure_id') ?? ''
  if (!isErasureId(id)) throw notFound()
  return id
}

const isErasureId = (id: string): id is ErasureId => parseId('era_', id) !== null

const notFound = (): AppError =>
  new AppError('not_found', 'There is no erasure with this id. List what there is first.')

const onlyOwner = (): AppError =>
  new AppError(
    'conflict',
    'This person is the only owner of an organisation. Invite another owner to it, or have it erased, and do this again.',
  )

const wasCancelled = (): AppError =>
  new AppError('conflict', 'This erasure was cancelled: there is nothing to do again.')
