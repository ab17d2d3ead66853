// `npm run data:publish -- FILE --published-on YYYY-MM-DD`: publishes one of the publisher's CSV files, lists the
// versions held, goes back to one of them, or takes a wrong one away.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { rollbackDataset, withdrawDataset } from '../src/referral/waiting-lists/held-versions.ts'
import { planPublication } from '../src/referral/waiting-lists/plan-publication.ts'
import { missingSpecialties, titleFault } from '../src/referral/waiting-lists/publication.policy.ts'
import {
  concernsLeft,
  publishDataset,
  type Publication,
  type PublishProgress,
} from '../src/referral/waiting-lists/publish-dataset.ts'
import type { DatasetVersion, Manifest } from '../src/referral/waiting-lists/stored-version.schema.ts'
import { isSameVersion } from '../src/referral/waiting-lists/stored-version.ts'
import type { Concern } from '../src/referral/waiting-lists/succession.policy.ts'
import type { WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'
import { parseArguments, USAGE, type Job, type PublishJob } from './data-publish/arguments.ts'
import { readFileToPublish } from './data-publish/read-file.ts'
import { describe, showDifferences, summarise } from './data-publish/summary.ts'
import { withDatasetStore } from './dataset-storage.ts'
import { SAMPLE_PATH, SAMPLE_SOURCE } from './sample-publication.ts'

const PUBLISHER = {
  publisher: 'National Treatment Purchase Fund (NTPF)',
  url: 'https://www.ntpf.ie/waiting-list-data/open-data/',
  acknowledgement:
    'Source: National Treatment Purchase Fund (NTPF), Ireland. Public sector information re-used with acknowledgement of source and copyright. The NTPF does not endorse this service.',
}

const RECORDED_READINGS = join(import.meta.dirname, '../data/recorded-readings.json')
const STAYS = 'The version being served stays.'

/** @returns the exit code: 0 done, 1 refused, 2 called wrongly */
async function main(): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2))
  if (parsed.kind === 'help') {
    console.log(USAGE)
    return 0
  }
  if (parsed.kind === 'misused') {
    console.error(`${parsed.mistake}\n\n${USAGE}`)
    return 2
  }
  const { job, storage } = parsed
  try {
    if (job.kind !== 'publish') return await withDatasetStore(storage, (store) => run(store, job))
    const publication = await openPublication(job)
    const work = job.dryRun ? rehearse : publish
    return await withDatasetStore(storage, (store) => work(store, publication))
  } catch (error) {
    console.error(`Stopped: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

async function run(store: WaitingListStore, job: Exclude<Job, PublishJob>): Promise<number> {
  switch (job.kind) {
    case 'list':
      return list(store)
    case 'rollback':
      return rollBack(store, job.hash, job.archiveDate)
    case 'withdraw':
      return withdraw(store, job.hash, job.archiveDate)
  }
}

/** Throws a sentence where the file cannot be read or its title cannot be shown. */
async function openPublication(job: PublishJob): Promise<Publication> {
  const { file, publishedOn, archiveDate, counts, accept } = job
  const fault = job.title === undefined ? null : titleFault(job.title)
  if (fault !== null) throw new Error(fault)
  const read = await readFileToPublish(file)
  if (!read.ok) throw new Error(read.problem)
  const { bytes } = read
  // The sample is never given the publisher's name, however it is published.
  const isSample = bytes.equals(await readFile(SAMPLE_PATH))
  const source = isSample
    ? SAMPLE_SOURCE
    : { ...PUBLISHER, title: job.title ?? basename(file), url: job.url ?? PUBLISHER.url }
  const today = new Date().toISOString().slice(0, 10)
  return { bytes, fileName: basename(file), publishedOn, today, archiveDate, kind: counts, source, accept }
}

async function publish(store: WaitingListStore, publication: Publication): Promise<number> {
  const outcome = await publishDataset(store, { ...publication, onProgress: showProgress })
  if (outcome.outcome === 'refused') return refuse(outcome)
  if (outcome.outcome === 'not_accepted') return ask(outcome.concerns)
  console.log(summarise(outcome.manifest, outcome.served))
  await warn(outcome.warnings, outcome.manifest)
  console.log('\nServed from now on; a running service sees it within about two minutes, here within 30 seconds.')
  return 0
}

async function rehearse(store: WaitingListStore, publication: Publication): Promise<number> {
  const plan = await planPublication(store, publication)
  if (!plan.ok) return refuse(plan)
  console.log(`${summarise(plan.manifest, plan.served)}\n\n${showDifferences(plan.manifest, plan.served)}`)
  await warn(plan.warnings, plan.manifest)
  const concerns = concernsLeft(plan.concerns, publication.accept)
  if (concerns.length > 0) return ask(concerns)
  console.log('\nNothing was written. Without --dry-run it would be served.')
  return 0
}

function refuse({ line, reason }: { line: number | null; reason: string }): number {
  console.error(`Refused${line === null ? '' : `, line ${line}`}: ${reason}\n${STAYS}`)
  return 1
}

function ask(concerns: readonly Concern[]): number {
  for (const { accept, reason } of concerns) console.error(`Refused: ${reason} If that is meant, add --${accept}.`)
  console.error(STAYS)
  return 1
}

async function warn(warnings: readonly string[], manifest: Manifest): Promise<void> {
  const missing = missingSpecialties(await recordedSpecialties(), manifest)
  const lost = `Recorded readings of example letters name specialties that this file does not have, and will be invalid: ${missing.join(', ')}.`
  for (const warning of [...warnings, ...(missing.length > 0 ? [lost] : [])]) console.error(`Warning: ${warning}`)
}

async function list(store: WaitingListStore): Promise<number> {
  const found = await store.findPointer()
  const held = await store.listHeld()
  if (found.outcome === 'unavailable' || held === null) throw new Error('the storage does not answer, try again')
  if (held.length === 0) console.log('No version is held yet.')
  for (const { version, source, hasHospitals, summary } of await store.readHeld(held)) {
    const isServed = found.outcome === 'ok' && isSameVersion(found.pointer.version, version)
    const hospitals = hasHospitals ? `${summary.hospitals} hospitals` : 'no hospitals'
    console.log(
      `${isServed ? '*' : ' '} ${describe(version)}  ${source.kind}, ${summary.lists} lists, ${hospitals}  ${source.title}`,
    )
  }
  return 0
}

async function rollBack(store: WaitingListStore, hash: string, archiveDate: string | undefined): Promise<number> {
  const outcome = await rollbackDataset(store, hash, archiveDate)
  if (outcome.outcome === 'rolled_back') {
    console.log(`Served from now on: ${describe(outcome.version)}`)
    return 0
  }
  if (outcome.outcome === 'file_missing') {
    console.error(`The file of ${describe(outcome.version)} is not in storage. Publish the file again.`)
  } else {
    explainNotFound(outcome)
  }
  console.error(STAYS)
  return 1
}

async function withdraw(store: WaitingListStore, hash: string, archiveDate: string | undefined): Promise<number> {
  const outcome = await withdrawDataset(store, hash, archiveDate)
  if (outcome.outcome === 'withdrawn') {
    const { version } = outcome
    console.log(`Withdrawn: ${describe(version)}\nIts file stays under /v1/files/${version.hash}.`)
    return 0
  }
  if (outcome.outcome === 'served') {
    console.error('This version is being served. Serve another first, then withdraw it:')
    for (const { hash: other, archiveDate: date } of outcome.others) {
      console.error(`  npm run data:publish -- --rollback ${other} --archive-date ${date}`)
    }
    console.error('  or publish the right file')
  } else {
    explainNotFound(outcome)
  }
  console.error('Nothing was withdrawn.')
  return 1
}

type NotFound =
  | { outcome: 'ambiguous'; versions: DatasetVersion[] }
  | { outcome: 'not_held' }
  | { outcome: 'unavailable' }

function explainNotFound(found: NotFound): void {
  if (found.outcome === 'ambiguous') {
    console.error('Several versions fit. Name one of these by its hash and --archive-date:')
    for (const version of found.versions) console.error(`  ${describe(version)}`)
  } else if (found.outcome === 'not_held') {
    console.error('No version held has this hash and archive date; --list shows those held.')
  } else {
    console.error('The storage does not answer. Try again.')
  }
}

/** One line that is written over on a terminal; elsewhere one line a step. */
function showProgress({ step, done, total }: PublishProgress): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\u{1b}[KPublishing: ${done} of ${total} (${step})${done === total ? '\n' : ''}`)
  else if (step !== 'lists') console.error(`Publishing: ${done} of ${total} (${step})`)
}

async function recordedSpecialties(): Promise<string[]> {
  const RecordedReadings = z.record(
    z.string(),
    z.looseObject({ readers: z.array(z.looseObject({ specialty: z.string().nullable() })) }),
  )
  const recorded = RecordedReadings.parse(JSON.parse(await readFile(RECORDED_READINGS, 'utf8')))
  return Object.values(recorded).flatMap(({ readers }) => readers.flatMap(({ specialty }) => specialty ?? []))
}

process.exitCode = await main()
