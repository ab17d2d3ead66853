// The operator's routes for published figures. Each act is in the operator's ledger before it takes effect.
import { operatorOperations } from '../../accounts/operator/operator-operations.ts'
import type { OperatorService } from '../../accounts/operator/operator.service.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Api } from '../../platform/router.ts'
import type { Clock } from '../../platform/time.ts'
import { fromWire } from '../../platform/wire.ts'
import { MAX_FILE_BYTES } from './csv-records.ts'
import {
  ChangedDatasetSchema,
  createDatasetsService,
  PublicationQuery,
  PublicationSchema,
  StoredDatasetsSchema,
  VersionQuery,
  type DatasetsService,
} from './datasets.service.ts'
import { isSameVersion, type VersionId } from './stored-version.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'

type Dependencies = {
  store: WaitingListStore
  operator: Pick<OperatorService, 'recordDatasetAct'>
  operatorTokens: readonly string[]
  clock: Clock
}

export function datasetRoutes({ store, operator, operatorTokens, clock }: Dependencies): Api {
  const { api, openapi } = operatorOperations(operatorTokens)

  const record = (c: AppContext, act: string, { hash, archiveDate }: Partial<VersionId> = {}) => {
    const content = hash === undefined ? {} : { sha256: hash, archive_date: archiveDate ?? null }
    return reachOrganisation(c, () => operator.recordDatasetAct(act, content, c.get('requestId')))
  }
  const serviceFor = (c: AppContext, act: 'publish' | 'serve' | 'withdraw'): DatasetsService => {
    const savePointer: WaitingListStore['savePointer'] = async (pointer) => {
      await record(c, act, pointer.version)
      await store.savePointer(pointer)
    }
    const deleteManifests: WaitingListStore['deleteManifests'] = async (version) => {
      await record(c, act, version)
      // Somebody else may have begun to serve it meanwhile.
      const now = await store.lookUpPointer()
      if (now.outcome === 'ok' && isSameVersion(now.pointer.version, version))
        throw new AppError('conflict', 'This version is being served by now. Serve another version first.')
      await store.deleteManifests(version)
    }
    return createDatasetsService({ ...store, savePointer, deleteManifests }, clock())
  }

  openapi(
    {
      route: 'GET /api/operator/datasets',
      operationId: 'listStoredDatasets',
      summary: 'List stored figures',
      description: 'Lists the stored versions of the figures, the last saved first.',
      answers: { 200: [StoredDatasetsSchema, 'All of them.'] },
    },
    async ({ c }) => {
      await record(c, 'list')
      return c.json(await createDatasetsService(store, clock()).list())
    },
  )

  openapi(
    {
      route: 'POST /api/operator/datasets',
      operationId: 'publishDataset',
      summary: 'Publish figures',
      description: 'Reads a file of the publisher, stores it, and serves its figures.',
      query: PublicationQuery,
      file: { type: 'text/csv', maxBytes: MAX_FILE_BYTES },
      answers: { 200: [PublicationSchema, 'What the file has, and how it compares.'] },
      errors: ['conflict'],
    },
    async ({ c, sent }) => {
      const said = fromWire(sent.query())
      return c.json(await serviceFor(c, 'publish').publish({ ...said, bytes: await sent.file() }))
    },
  )

  openapi(
    {
      route: 'POST /api/operator/datasets/{sha256}/serve',
      operationId: 'serveDataset',
      summary: 'Serve stored figures',
      description: 'Serves a stored version. The first 8 characters of its hash are enough.',
      query: VersionQuery,
      answers: { 200: [ChangedDatasetSchema, 'The version, which is served now.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, sent }) =>
      c.json(await serviceFor(c, 'serve').serve(c.req.param('sha256') ?? '', sent.query().archive_date)),
  )

  openapi(
    {
      route: 'DELETE /api/operator/datasets/{sha256}',
      operationId: 'withdrawDataset',
      summary: 'Withdraw figures',
      description: 'Removes a version that is not served from the list. Its file stays available by its hash.',
      query: VersionQuery,
      answers: { 200: [ChangedDatasetSchema, 'The version, which is no longer listed.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, sent }) =>
      c.json(await serviceFor(c, 'withdraw').withdraw(c.req.param('sha256') ?? '', sent.query().archive_date)),
  )

  return api
}
