// npm run data:publish: publishes a CSV file of waiting lists, lists the stored versions, serves an older one, or withdraws one.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../src/platform/errors.ts'
import {
  createDatasetsService,
  notAccepted,
  type DatasetsService,
  type SentFile,
} from '../src/referral/waiting-lists/datasets.service.ts'
import type { PublishProgress } from '../src/referral/waiting-lists/publish-dataset.ts'
import { missingSpecialties } from '../src/referral/waiting-lists/publication.policy.ts'
import { runCommand, TERMINAL, UsageError, type Output as Reporting } from './command-line.ts'
import {
  OPTIONS,
  readPublishArguments,
  USAGE,
  type DataPublishJob,
  type Place,
} from './data-publish/publish-arguments.ts'
import { describeVersion, showDifferences, summarisePublication } from './data-publish/describe-publication.ts'
import { remoteDatasets } from './data-publish/remote-datasets.ts'
import { describeError, findOperatorTarget } from './operator/operator-client.ts'

const RECORDED_READINGS = join(import.meta.dirname, '../data/recorded-readings.json')

type Output = Reporting & {
  /** Replaces the last line on a terminal. Null if the output is no terminal. */
  overwrite: ((text: string, isLast: boolean) => void) | null
}

type CommandContext = Output & {
  /** Opens the figures there for `work`, and closes them afterwards. */
  withDatasets: (place: Place, work: (datasets: DatasetsService) => Promise<void>) => Promise<void>
}

/** Runs the command. Returns the exit code: 0 done, 1 refused, 2 not understood. */
export const runDataPublish = (args: readonly string[], { withDatasets, ...to }: CommandContext): Promise<number> =>
  runCommand(
    args,
    {
      help: USAGE,
      options: OPTIONS,
      takesArguments: true,
      async run(given) {
        const { job, place } = readPublishArguments(given)
        try {
          const work = await prepare(job, to)
          await withDatasets(place, work)
          return 0
        } catch (thrown) {
          if (thrown instanceof UsageError) throw thrown
          to.report(`Stopped: ${describeThrown(thrown)}`)
          return 1
        }
      },
    },
    to,
  )

function describeThrown(thrown: unknown): string {
  if (thrown instanceof AppError) return describeError(thrown.message, thrown.details.fields)
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Returns the work on the figures. Reads the file before they are opened, and throws an Error if it cannot be read. */
async function prepare(job: DataPublishJob, to: Output): Promise<(datasets: DatasetsService) => Promise<void>> {
  switch (job.job) {
    case 'list':
      return (datasets) => list(datasets, to)
    case 'rollback':
      return async (datasets) => {
        const { version } = await datasets.serve(job.hash, job.archiveDate)
        to.print(`Served now: ${describeVersion(version)}`)
      }
    case 'withdraw':
      return async (datasets) => {
        const { version } = await datasets.withdraw(job.hash, job.archiveDate)
        to.print(`Withdrawn: ${describeVersion(version)}\nIts file stays under /v1/files/${version.hash}.`)
      }
    case 'publish': {
      const bytes = await readFileToPublish(job.file)
      const onProgress = (progress: PublishProgress): void => showProgress(to, progress)
      return (datasets) => publish(datasets, { ...job.said, bytes, onProgress }, to)
    }
  }
}

async function publish(datasets: DatasetsService, file: SentFile, to: Output): Promise<void> {
  const { manifest, served, warnings, concerns } = await datasets.publish(file)
  to.print(summarisePublication(manifest, served))
  if (file.dryRun === 'true') to.print(`\n${showDifferences(manifest, served)}`)
  const missing = missingSpecialties(await recordedSpecialties(), manifest)
  const lost = `The file has no specialty for these recorded readings, which become invalid: ${missing.join(', ')}.`
  for (const warning of [...warnings, ...(missing.length > 0 ? [lost] : [])]) to.report(`Warning: ${warning}`)
  if (concerns.length > 0) throw notAccepted(concerns)
  to.print(file.dryRun === 'true' ? DRY_RUN : PUBLISHED)
}

const DRY_RUN = '\nNothing was written. To publish it, leave out --dry-run.'
const PUBLISHED = '\nPublished. A running service serves it within two minutes; a local one within 30 seconds.'

async function list(datasets: DatasetsService, to: Output): Promise<void> {
  const { data } = await datasets.list()
  if (data.length === 0) to.print('No version is stored.')
  for (const { served, version, source, hasHospitals, summary } of data) {
    const hospitals = hasHospitals ? `${summary.hospitals} hospitals` : 'no hospitals'
    const facts = `${source.kind}, ${summary.lists} lists, ${hospitals}  ${source.title}`
    to.print(`${served ? '*' : ' '} ${describeVersion(version)}  ${facts}`)
  }
}

/** Returns the file's bytes. Throws an Error with a sentence if it cannot be read. */
async function readFileToPublish(path: string): Promise<Buffer<ArrayBuffer>> {
  const found = await stat(path).catch((error: unknown) => fail(path, error))
  if (found.isDirectory()) throw new Error(`${path} is a folder. Name the CSV file in it.`)
  if (!found.isFile()) throw new Error(`${path} is not a file. Name the CSV file.`)
  return readFile(path).catch((error: unknown) => fail(path, error))
}

const fail = (path: string, error: unknown): never => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  throw new Error(`${path} ${PROBLEMS[code] ?? 'cannot be read. Check the path.'}`, { cause: error })
}

const PROBLEMS: Partial<Record<string, string>> = {
  ENOENT: 'does not exist. Check the path.',
  ENOTDIR: 'does not exist. Check the path.',
  EACCES: 'is not readable for you. Check its permissions.',
  EPERM: 'is not readable for you. Check its permissions.',
}

function showProgress({ report, overwrite }: Output, { step, done, total }: PublishProgress): void {
  const line = `Publishing: ${done} of ${total} (${step})`
  if (overwrite !== null) overwrite(line, done === total)
  else if (step !== 'lists') report(line)
}

async function recordedSpecialties(): Promise<string[]> {
  const RecordedReadings = z.record(
    z.string(),
    z.looseObject({ readers: z.array(z.looseObject({ specialty: z.string().nullable() })) }),
  )
  const recorded = RecordedReadings.parse(JSON.parse(await readFile(RECORDED_READINGS, 'utf8')))
  return Object.values(recorded).flatMap(({ readers }) => readers.flatMap(({ specialty }) => specialty ?? []))
}

if (process.argv[1] === import.meta.filename) {
  const code = await runDataPublish(process.argv.slice(2), {
    ...TERMINAL,
    overwrite: process.stderr.isTTY
      ? (text, isLast) => process.stderr.write(`\r\u{1b}[K${text}${isLast ? '\n' : ''}`)
      : null,
    async withDatasets(place, work) {
      if (place.remote) return work(remoteDatasets(findOperatorTarget(place)))
      // The storage takes a second to open.
      const { withWaitingListStore } = await import('./storage-bindings.ts')
      return withWaitingListStore(place, (store) => work(createDatasetsService(store, Date.now())))
    },
  })

  // A lost runtime leaves requests open, which would keep this process running.
  process.exit(code)
}
