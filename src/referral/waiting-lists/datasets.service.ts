// Lists, publishes, serves and withdraws versions of the figures, for the operator's routes and for the command on local storage.
// Returns the answer of the route. Throws AppError.
import * as z from 'zod'
import { AppError } from '../../platform/errors.ts'
import { once, type Infer } from '../../platform/once.ts'
import type { FromWire } from '../../platform/wire.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { SummarySchema } from './dataset.ts'
import { sourceOf } from './publication.policy.ts'
import { planPublication, publishDataset, unacceptedConcerns, type Publication } from './publish-dataset.ts'
import {
  rollbackDataset,
  withdrawDataset,
  type RollbackOutcome,
  type WithdrawOutcome,
} from './rollback-and-withdraw.ts'
import { ManifestSchema, isSameVersion, type DatasetVersion } from './stored-version.ts'
import { CONCERN_KINDS, type Concern } from './version-changes.policy.ts'
import { DatasetKind, DatasetVersion as DatasetVersionSchema, WaitingListSource } from './waiting-lists.schema.ts'
import type { WaitingListStore } from './waiting-lists.store.ts'

const Served = once(() => z.boolean().meta({ description: 'Whether answers are given from this version now.' }))

const DatasetManifest = once(() =>
  ManifestSchema()
    .extend({ source: WaitingListSource(), summary: SummarySchema().meta({ id: 'DatasetSummary' }) })
    .meta({ id: 'DatasetManifest', description: 'What the file has, without its lists.' }),
)

export const StoredDatasetsSchema = once(() =>
  listSchema(
    DatasetManifest()
      .pick({ version: true, source: true, hasHospitals: true, summary: true })
      .extend({ object: z.literal('dataset'), served: Served() })
      .meta({ id: 'StoredDataset' }),
  ),
)

export const ChangedDatasetSchema = once(() =>
  z
    .strictObject({ object: z.literal('dataset_version'), version: DatasetVersionSchema(), served: Served() })
    .meta({ id: 'ChangedDataset' }),
)

export const PublicationSchema = once(() =>
  z
    .strictObject({
      object: z.literal('dataset_publication'),
      published: z.boolean().meta({ description: 'False after a dry run.' }),
      manifest: DatasetManifest(),
      served: DatasetManifest().nullable().meta({ description: 'The version that was served before.' }),
      warnings: z.array(z.string()),
      concerns: z
        .array(z.strictObject({ accept: z.enum(CONCERN_KINDS), reason: z.string() }))
        .meta({ description: 'What a publication would have to accept by name. Empty unless it was a dry run.' }),
    })
    .meta({ id: 'DatasetPublication' }),
)

export const VersionQuery = once(() =>
  z.strictObject({
    archive_date: z.iso.date().optional().meta({ description: 'Which archive date of the file is meant.' }),
  }),
)

export const PublicationQuery = once(() =>
  VersionQuery().extend({
    published_on: z.iso.date().meta({ description: 'The day of publication.' }),
    file_name: z.string().min(1).max(200).meta({ description: 'The file’s name at its source.' }),
    title: z.string().optional().meta({ description: 'Shown with the figures; the file’s name if absent.' }),
    source_url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .refine((address) => URL.parse(address)?.username === '' && URL.parse(address)?.password === '')
      .transform((address) => new URL(address).href)
      .optional()
      .meta({ description: 'The publisher’s page if absent.' }),
    kind: DatasetKind().optional(),
    accept: z
      .string()
      .regex(new RegExp(`^(?:(?:${CONCERN_KINDS.join('|')})(?:,(?!$)|$))+$`), `names out of ${CONCERN_KINDS.join(',')}`)
      .optional()
      .meta({ description: 'The concerns that the operator accepts, with commas between them.' }),
    dry_run: z.enum(['true', 'false']).optional().meta({ description: '`true`: nothing is written.' }),
  }),
)

/** A file, and what the operator says about it. */
export type SentFile = FromWire<Infer<typeof PublicationQuery>> & Pick<Publication, 'bytes' | 'onProgress'>

type Change = (hash: string, archiveDate?: string) => Promise<Infer<typeof ChangedDatasetSchema>>

export type DatasetsService = {
  list: () => Promise<Infer<typeof StoredDatasetsSchema>>
  publish: (file: SentFile) => Promise<Infer<typeof PublicationSchema>>
  serve: Change
  withdraw: Change
}

/** @param now in milliseconds: no file is published later */
export const createDatasetsService = (store: WaitingListStore, now: number): DatasetsService => ({
  async list() {
    const [found, held] = [await store.lookUpPointer(), await store.listStored()]
    if (found.outcome === 'unavailable' || held === null) throw unavailable()
    const data = (await store.readStored(held)).map(({ version, source, hasHospitals, summary }) => {
      const served = found.outcome === 'ok' && isSameVersion(found.pointer.version, version)
      return { object: 'dataset' as const, version, source, hasHospitals, summary, served }
    })
    return { object: 'list', data, has_more: false, next_cursor: null }
  },

  async publish({ title, sourceUrl, dryRun, accept: accepted, ...file }) {
    const source = sourceOf(sha256Hex(file.bytes), title ?? file.fileName, sourceUrl)
    const accept = CONCERN_KINDS.filter((kind) => accepted?.split(',').includes(kind))
    const publication = { ...file, source, accept, today: new Date(now).toISOString().slice(0, 10) }
    if (dryRun === 'true') {
      const plan = await planPublication(store, publication)
      if (!plan.ok) throw refused(plan)
      const { manifest, served, warnings } = plan
      const concerns = unacceptedConcerns(plan.concerns, accept)
      return { object: 'dataset_publication', published: false, manifest, served, warnings, concerns }
    }
    const done = await publishDataset(store, publication)
    if (done.outcome === 'refused') throw refused(done)
    if (done.outcome === 'not_accepted') throw notAccepted(done.concerns)
    if (done.outcome === 'overtaken') throw overtaken(done.served)
    const { manifest, served, warnings } = done
    return { object: 'dataset_publication', published: true, manifest, served, warnings, concerns: [] }
  },

  async serve(hash, archiveDate) {
    const done = await rollbackDataset(store, hash, archiveDate)
    if (done.outcome !== 'rolled_back') throw unchanged(done)
    return { object: 'dataset_version', version: done.version, served: true }
  },

  async withdraw(hash, archiveDate) {
    const done = await withdrawDataset(store, hash, archiveDate)
    if (done.outcome !== 'withdrawn') throw unchanged(done)
    return { object: 'dataset_version', version: done.version, served: false }
  },
})

const refused = ({ line, reason }: { line: number | null; reason: string }): AppError =>
  new AppError('invalid_request', 'The file was refused, so the served version does not change.', {
    fields: [{ path: line === null ? '' : `line ${line}`, rule: reason }],
  })

export const notAccepted = (concerns: readonly Concern[]): AppError =>
  new AppError('conflict', 'The file has unusual facts, so the served version does not change. Accept each by name.', {
    fields: concerns.map(({ accept, reason }) => ({ path: accept, rule: reason })),
  })

const overtaken = (served: DatasetVersion | null): AppError =>
  conflict('Another publication changed the served version. To serve this file, send it again.', served ? [served] : [])

type Unchanged = Exclude<RollbackOutcome | WithdrawOutcome, { outcome: 'rolled_back' | 'withdrawn' }>

function unchanged(found: Unchanged): AppError {
  switch (found.outcome) {
    case 'unavailable':
      return unavailable()
    case 'not_held':
      return new AppError('not_found', 'No stored version has this hash and archive date. List the stored versions.')
    case 'ambiguous':
      return conflict('Several versions match. Name one by its hash and archive date.', found.versions)
    case 'file_missing':
      return conflict('The file of this version is not stored. Publish it again.')
    case 'served':
      return conflict('This version is being served. Serve another version first, or publish another.', found.others)
  }
}

const unavailable = (): AppError =>
  new AppError('service_unavailable', 'The storage does not answer. Try again.', { retryAfterSeconds: 5 })

const conflict = (message: string, versions: readonly DatasetVersion[] = []): AppError =>
  new AppError('conflict', message, {
    fields: versions.map(({ hash, archiveDate, publishedOn }) => ({
      path: hash,
      rule: `archive date ${archiveDate}, published ${publishedOn}`,
    })),
  })
