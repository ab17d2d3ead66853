// npm run data:publish: publishes a CSV file of waiting lists, lists the stored versions, serves an older one, or withdraws one.
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { rollbackDataset, withdrawDataset } from '../src/referral/waiting-lists/rollback-and-withdraw.ts'
import {
  planPublication,
  unacceptedConcerns,
  publishDataset,
  type Publication,
  type PublishProgress,
} from '../src/referral/waiting-lists/publish-dataset.ts'
import { missingSpecialties, titleFault } from '../src/referral/waiting-lists/publication.policy.ts'
import { type DatasetVersion, type Manifest, isSameVersion } from '../src/referral/waiting-lists/stored-version.ts'
import type { Concern } from '../src/referral/waiting-lists/version-changes.policy.ts'
import type { WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'
import { runCommand, TERMINAL, type Output as Reporting } from './command-line.ts'
import {
  OPTIONS,
  readPublishArguments,
  USAGE,
  type DataPublishJob,
  type PublishJob,
} from './data-publish/publish-arguments.ts'
import { describeVersion, showDifferences, summarisePublication } from './data-publish/describe-publication.ts'
import type { StorageOptions } from './storage-bindings.ts'
import { SAMPLE_PATH, SAMPLE_SOURCE } from './sample-dataset.ts'

const PUBLISHER = {
  publisher: 'National Treatment Purchase Fund (NTPF)',
  url: 'https://www.ntpf.ie/waiting-list-data/open-data/',
  acknowledgement:
    'Source: National Treatment Purchase Fund (NTPF), Ireland. Public sector information re-used with acknowledgement of source and copyright. The NTPF does not endorse this service.',
}

const RECORDED_READINGS = join(import.meta.dirname, '../data/recorded-readings.json')
const STAYS = 'The served version does not change.'

type Output = Reporting & {
  /** Replaces the last line on a terminal. Null if the output is no terminal. */
  overwrite: ((text: string, isLast: boolean) => void) | null
}

type CommandContext = Output & {
  withStore: (storage: StorageOptions, work: (store: WaitingListStore) => Promise<number>) => Promise<number>
}

/** Runs the command. Returns the exit code: 0 done, 1 refused, 2 not understood. */
export const runDataPublish = (args: readonly string[], { withStore, ...to }: CommandContext): Promise<number> =>
  runCommand(
    args,
    {
      help: USAGE,
      options: OPTIONS,
      takesArguments: true,
      async run(given) {
        const { job, storage } = readPublishArguments(given)
        try {
          if (job.kind !== 'publish') return await withStore(storage, (store) => run({ store, to }, job))
          const publication = await openPublication(job)
          const work = job.dryRun ? reportDryRun : publish
          return await withStore(storage, (store) => work({ store, to }, publication))
        } catch (thrown) {
          to.report(`Stopped: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
          return 1
        }
      },
    },
    to,
  )

type Desk = { store: WaitingListStore; to: Output }

async function run(desk: Desk, job: Exclude<DataPublishJob, PublishJob>): Promise<number> {
  switch (job.kind) {
    case 'list':
      return list(desk)
    case 'rollback':
      return rollBack(desk, job.hash, job.archiveDate)
    case 'withdraw':
      return withdraw(desk, job.hash, job.archiveDate)
  }
}

/** Reads the file and its title. Throws an Error with a sentence if the file cannot be read or its title cannot be shown. */
async function openPublication(job: PublishJob): Promise<Publication> {
  const { file, publishedOn, archiveDate, counts, accept } = job
  const fault = job.title === undefined ? null : titleFault(job.title)
  if (fault !== null) throw new Error(fault)
  const bytes = await readFileToPublish(file)
  // The sample never gets the publisher's name, however it is published.
  const isSample = bytes.equals(await readFile(SAMPLE_PATH))
  const source = isSample
    ? SAMPLE_SOURCE
    : { ...PUBLISHER, title: job.title ?? basename(file), url: job.url ?? PUBLISHER.url }
  const today = new Date().toISOString().slice(0, 10)
  return { bytes, fileName: basename(file), publishedOn, today, archiveDate, kind: counts, source, accept }
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

async function publish({ store, to }: Desk, publication: Publication): Promise<number> {
  const outcome = await publishDataset(store, { ...publication, onProgress: (progress) => showProgress(to, progress) })
  if (outcome.outcome === 'refused') return refuse(to, outcome)
  if (outcome.outcome === 'not_accepted') return reportConcerns(to, outcome.concerns)
  if (outcome.outcome === 'overtaken') return reportOvertaken(to, outcome.served)
  to.print(summarisePublication(outcome.manifest, outcome.served))
  await warn(to, outcome.warnings, outcome.manifest)
  to.print('\nPublished. A running service serves it within two minutes; a local one within 30 seconds.')
  return 0
}

async function reportDryRun({ store, to }: Desk, publication: Publication): Promise<number> {
  const plan = await planPublication(store, publication)
  if (!plan.ok) return refuse(to, plan)
  to.print(`${summarisePublication(plan.manifest, plan.served)}\n\n${showDifferences(plan.manifest, plan.served)}`)
  await warn(to, plan.warnings, plan.manifest)
  const concerns = unacceptedConcerns(plan.concerns, publication.accept)
  if (concerns.length > 0) return reportConcerns(to, concerns)
  to.print('\nNothing was written. To publish it, leave out --dry-run.')
  return 0
}

function refuse(to: Output, { line, reason }: { line: number | null; reason: string }): number {
  to.report(`Refused${line === null ? '' : `, line ${line}`}: ${reason}\n${STAYS}`)
  return 1
}

function reportConcerns(to: Output, concerns: readonly Concern[]): number {
  for (const { accept, reason } of concerns) to.report(`Refused: ${reason} To accept it, add --${accept}.`)
  to.report(STAYS)
  return 1
}

function reportOvertaken(to: Output, served: DatasetVersion | null): number {
  to.report(
    `Stopped: another publication changed the version that is served. Served now: ${served === null ? 'nothing' : describeVersion(served)}.`,
  )
  to.report('This file is not served. To serve it, run the command again.')
  return 1
}

async function warn(to: Output, warnings: readonly string[], manifest: Manifest): Promise<void> {
  const missing = missingSpecialties(await recordedSpecialties(), manifest)
  const lost = `The file has no specialty for these recorded readings, which become invalid: ${missing.join(', ')}.`
  for (const warning of [...warnings, ...(missing.length > 0 ? [lost] : [])]) to.report(`Warning: ${warning}`)
}

async function list({ store, to }: Desk): Promise<number> {
  const found = await store.findPointer()
  const held = await store.listStored()
  if (found.outcome === 'unavailable' || held === null) throw new Error('The storage does not answer. Try again.')
  if (held.length === 0) to.print('No version is stored.')
  for (const { version, source, hasHospitals, summary } of await store.readStored(held)) {
    const isServed = found.outcome === 'ok' && isSameVersion(found.pointer.version, version)
    const hospitals = hasHospitals ? `${summary.hospitals} hospitals` : 'no hospitals'
    to.print(
      `${isServed ? '*' : ' '} ${describeVersion(version)}  ${source.kind}, ${summary.lists} lists, ${hospitals}  ${source.title}`,
    )
  }
  return 0
}

async function rollBack({ store, to }: Desk, hash: string, archiveDate: string | undefined): Promise<number> {
  const outcome = await rollbackDataset(store, hash, archiveDate)
  if (outcome.outcome === 'rolled_back') {
    to.print(`Served now: ${describeVersion(outcome.version)}`)
    return 0
  }
  if (outcome.outcome === 'file_missing') {
    to.report(`The file of ${describeVersion(outcome.version)} is not stored. Publish it again.`)
  } else {
    explainNotFound(to, outcome)
  }
  to.report(STAYS)
  return 1
}

async function withdraw({ store, to }: Desk, hash: string, archiveDate: string | undefined): Promise<number> {
  const outcome = await withdrawDataset(store, hash, archiveDate)
  if (outcome.outcome === 'withdrawn') {
    const { version } = outcome
    to.print(`Withdrawn: ${describeVersion(version)}\nIts file stays under /v1/files/${version.hash}.`)
    return 0
  }
  if (outcome.outcome === 'served') {
    to.report('This version is being served. Serve another version first:')
    for (const { hash: other, archiveDate: date } of outcome.others) {
      to.report(`  npm run data:publish -- --rollback ${other} --archive-date ${date}`)
    }
    to.report('  or publish another file')
  } else {
    explainNotFound(to, outcome)
  }
  to.report('Nothing was withdrawn.')
  return 1
}

type NotFound =
  | { outcome: 'ambiguous'; versions: DatasetVersion[] }
  | { outcome: 'not_held' }
  | { outcome: 'unavailable' }

function explainNotFound(to: Output, found: NotFound): void {
  if (found.outcome === 'ambiguous') {
    to.report('Several versions match. Name one by its hash and --archive-date:')
    for (const version of found.versions) to.report(`  ${describeVersion(version)}`)
  } else if (found.outcome === 'not_held') {
    to.report('No stored version has this hash and archive date. --list shows the stored versions.')
  } else {
    to.report('The storage does not answer. Try again.')
  }
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
    // The storage opens only when there is something to do, because it takes a second.
    withStore: async (...asked) => (await import('./storage-bindings.ts')).withWaitingListStore(...asked),
  })

  // A lost runtime leaves requests open, which would keep this process running.
  process.exit(code)
}
