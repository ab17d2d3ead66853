// Publishes one of the publisher's CSV files, lists the versions held, goes back to one of them, or takes a wrong one away.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { rollbackDataset, withdrawDataset } from '../../src/referral/waiting-lists/held-versions.ts'
import { planPublication } from '../../src/referral/waiting-lists/plan-publication.ts'
import { missingSpecialties, titleFault } from '../../src/referral/waiting-lists/publication.policy.ts'
import {
  concernsLeft,
  publishDataset,
  type Publication,
  type PublishProgress,
} from '../../src/referral/waiting-lists/publish-dataset.ts'
import type { DatasetVersion, Manifest } from '../../src/referral/waiting-lists/stored-version.schema.ts'
import { isSameVersion } from '../../src/referral/waiting-lists/stored-version.ts'
import type { Concern } from '../../src/referral/waiting-lists/succession.policy.ts'
import type { WaitingListStore } from '../../src/referral/waiting-lists/waiting-lists.store.ts'
import { parseArguments, USAGE, type Job, type PublishJob } from './arguments.ts'
import { readFileToPublish } from './read-file.ts'
import { describe, showDifferences, summarise } from './summary.ts'
import type { StorageOptions } from '../bindings.ts'
import { SAMPLE_PATH, SAMPLE_SOURCE } from '../sample-publication.ts'

const PUBLISHER = {
  publisher: 'National Treatment Purchase Fund (NTPF)',
  url: 'https://www.ntpf.ie/waiting-list-data/open-data/',
  acknowledgement:
    'Source: National Treatment Purchase Fund (NTPF), Ireland. Public sector information re-used with acknowledgement of source and copyright. The NTPF does not endorse this service.',
}

const RECORDED_READINGS = join(import.meta.dirname, '../../data/recorded-readings.json')
const STAYS = 'The version being served stays.'

/** What a person reads of it. */
type Output = {
  /** Lines of the result. */
  print: (text: string) => void
  /** Lines about the progress, or a problem. */
  report: (text: string) => void
  /** Shows one line in the place of the last one; null where lines stay. */
  overwrite: ((text: string, isLast: boolean) => void) | null
}

type Surroundings = Output & {
  withStore: (storage: StorageOptions, work: (store: WaitingListStore) => Promise<number>) => Promise<number>
}

/** @returns the exit code: 0 done, 1 refused, 2 called wrongly */
export async function runDataPublish(args: readonly string[], { withStore, ...to }: Surroundings): Promise<number> {
  const parsed = parseArguments(args)
  if (parsed.kind === 'help') {
    to.print(USAGE)
    return 0
  }
  if (parsed.kind === 'misused') {
    to.report(`${parsed.mistake}\n\n${USAGE}`)
    return 2
  }
  const { job, storage } = parsed
  try {
    if (job.kind !== 'publish') return await withStore(storage, (store) => run({ store, to }, job))
    const publication = await openPublication(job)
    const work = job.dryRun ? rehearse : publish
    return await withStore(storage, (store) => work({ store, to }, publication))
  } catch (error) {
    to.report(`Stopped: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

type Desk = { store: WaitingListStore; to: Output }

async function run(desk: Desk, job: Exclude<Job, PublishJob>): Promise<number> {
  switch (job.kind) {
    case 'list':
      return list(desk)
    case 'rollback':
      return rollBack(desk, job.hash, job.archiveDate)
    case 'withdraw':
      return withdraw(desk, job.hash, job.archiveDate)
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

async function publish({ store, to }: Desk, publication: Publication): Promise<number> {
  const outcome = await publishDataset(store, { ...publication, onProgress: (progress) => showProgress(to, progress) })
  if (outcome.outcome === 'refused') return refuse(to, outcome)
  if (outcome.outcome === 'not_accepted') return ask(to, outcome.concerns)
  if (outcome.outcome === 'overtaken') return standBack(to, outcome.served)
  to.print(summarise(outcome.manifest, outcome.served))
  await warn(to, outcome.warnings, outcome.manifest)
  to.print('\nServed from now on; a running service sees it within about two minutes, here within 30 seconds.')
  return 0
}

async function rehearse({ store, to }: Desk, publication: Publication): Promise<number> {
  const plan = await planPublication(store, publication)
  if (!plan.ok) return refuse(to, plan)
  to.print(`${summarise(plan.manifest, plan.served)}\n\n${showDifferences(plan.manifest, plan.served)}`)
  await warn(to, plan.warnings, plan.manifest)
  const concerns = concernsLeft(plan.concerns, publication.accept)
  if (concerns.length > 0) return ask(to, concerns)
  to.print('\nNothing was written. Without --dry-run it would be served.')
  return 0
}

function refuse(to: Output, { line, reason }: { line: number | null; reason: string }): number {
  to.report(`Refused${line === null ? '' : `, line ${line}`}: ${reason}\n${STAYS}`)
  return 1
}

function ask(to: Output, concerns: readonly Concern[]): number {
  for (const { accept, reason } of concerns) to.report(`Refused: ${reason} If that is meant, add --${accept}.`)
  to.report(STAYS)
  return 1
}

function standBack(to: Output, served: DatasetVersion | null): number {
  to.report(
    `Stopped: another publication ended meanwhile. Served now: ${served === null ? 'nothing' : describe(served)}.`,
  )
  to.report('This file is not served. If it is the one to serve, run the command again: it is then compared with that.')
  return 1
}

async function warn(to: Output, warnings: readonly string[], manifest: Manifest): Promise<void> {
  const missing = missingSpecialties(await recordedSpecialties(), manifest)
  const lost = `Recorded readings of example letters name specialties that this file does not have, and will be invalid: ${missing.join(', ')}.`
  for (const warning of [...warnings, ...(missing.length > 0 ? [lost] : [])]) to.report(`Warning: ${warning}`)
}

async function list({ store, to }: Desk): Promise<number> {
  const found = await store.findPointer()
  const held = await store.listHeld()
  if (found.outcome === 'unavailable' || held === null) throw new Error('the storage does not answer, try again')
  if (held.length === 0) to.print('No version is held yet.')
  for (const { version, source, hasHospitals, summary } of await store.readHeld(held)) {
    const isServed = found.outcome === 'ok' && isSameVersion(found.pointer.version, version)
    const hospitals = hasHospitals ? `${summary.hospitals} hospitals` : 'no hospitals'
    to.print(
      `${isServed ? '*' : ' '} ${describe(version)}  ${source.kind}, ${summary.lists} lists, ${hospitals}  ${source.title}`,
    )
  }
  return 0
}

async function rollBack({ store, to }: Desk, hash: string, archiveDate: string | undefined): Promise<number> {
  const outcome = await rollbackDataset(store, hash, archiveDate)
  if (outcome.outcome === 'rolled_back') {
    to.print(`Served from now on: ${describe(outcome.version)}`)
    return 0
  }
  if (outcome.outcome === 'file_missing') {
    to.report(`The file of ${describe(outcome.version)} is not in storage. Publish the file again.`)
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
    to.print(`Withdrawn: ${describe(version)}\nIts file stays under /v1/files/${version.hash}.`)
    return 0
  }
  if (outcome.outcome === 'served') {
    to.report('This version is being served. Serve another first, then withdraw it:')
    for (const { hash: other, archiveDate: date } of outcome.others) {
      to.report(`  npm run data:publish -- --rollback ${other} --archive-date ${date}`)
    }
    to.report('  or publish the right file')
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
    to.report('Several versions fit. Name one of these by its hash and --archive-date:')
    for (const version of found.versions) to.report(`  ${describe(version)}`)
  } else if (found.outcome === 'not_held') {
    to.report('No version held has this hash and archive date; --list shows those held.')
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
