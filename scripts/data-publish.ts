// `npm run data:publish -- FILE --published-on YYYY-MM-DD`: publishes one of the publisher's CSV files, lists the
// versions held, or goes back to one of them.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { missingSpecialties } from '../src/referral/waiting-lists/publication.policy.ts'
import { publishDataset, rollbackDataset, type PublishProgress } from '../src/referral/waiting-lists/publish-dataset.ts'
import type { DatasetSource, DatasetVersion, Manifest } from '../src/referral/waiting-lists/stored-version.schema.ts'
import type { WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'
import { withDatasetStore } from './dataset-storage.ts'
import { SAMPLE_PATH, SAMPLE_SOURCE } from './sample-publication.ts'

const HELP = `Publish waiting lists: read one of the publisher's CSV files and serve its figures.

  npm run data:publish -- FILE --published-on YYYY-MM-DD [options]
  npm run data:publish -- --list
  npm run data:publish -- --rollback HASH [--archive-date YYYY-MM-DD]

  --published-on DATE   the day the publisher published the file (required with FILE)
  --archive-date DATE   which archive date of the file to serve; the latest when absent
  --source-url URL      where the publisher offers the file; the publisher's open data page when absent
  --title TEXT          the title shown with the figures; the file's name when absent
  --list                the versions held, the one being served marked
  --rollback HASH       serve a version held; HASH may be its first 8 or more characters
  --remote              the deployed KV and R2 instead of this machine's (wrangler must be signed in)
  --env NAME            the environment of wrangler.toml, with --remote; "production" when absent
  --persist-to FOLDER   where this machine's state is kept; .wrangler/state when absent
  --help                this text

A file that is not right is refused with the line and the reason, and the version being served stays.
`

const PUBLISHER = {
  publisher: 'National Treatment Purchase Fund (NTPF)',
  url: 'https://www.ntpf.ie/waiting-list-data/open-data/',
  acknowledgement:
    'Source: National Treatment Purchase Fund (NTPF), Ireland. Public sector information re-used with acknowledgement of source and copyright. The NTPF does not endorse this service.',
}

const RECORDED_READINGS = join(import.meta.dirname, '../data/recorded-readings.json')

type Options = ReturnType<typeof readArguments>['values']

function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      'published-on': { type: 'string' },
      'archive-date': { type: 'string' },
      'source-url': { type: 'string' },
      title: { type: 'string' },
      list: { type: 'boolean' },
      rollback: { type: 'string' },
      remote: { type: 'boolean' },
      env: { type: 'string' },
      'persist-to': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
}

/** @returns the exit code: 0 done, 1 refused, 2 called wrongly */
async function main(): Promise<number> {
  let parsed: ReturnType<typeof readArguments>
  try {
    parsed = readArguments()
  } catch (error) {
    return misused(messageOf(error))
  }
  const { values: options, positionals } = parsed
  if (options.help === true) {
    console.log(HELP)
    return 0
  }
  const mistake = findMistake(options, positionals)
  if (mistake !== null) return misused(mistake)
  const storage = {
    persistTo: options['persist-to'],
    remoteEnvironment: options.remote === true ? (options.env ?? 'production') : undefined,
  }
  const [file = ''] = positionals
  try {
    if (options.list === true) return await withDatasetStore(storage, list)
    const { rollback } = options
    if (rollback !== undefined) {
      return await withDatasetStore(storage, (store) => rollBack(store, rollback, options['archive-date']))
    }
    const bytes = await readFile(file)
    return await withDatasetStore(storage, (store) => publish(store, { file, bytes, options }))
  } catch (error) {
    console.error(`Stopped: ${messageOf(error)}`)
    return 1
  }
}

function findMistake(options: Options, positionals: string[]): string | null {
  const jobs = [options.list === true, options.rollback !== undefined, positionals.length > 0].filter(Boolean)
  if (jobs.length !== 1) return 'Name one FILE, or --list, or --rollback HASH.'
  if (positionals.length > 1) return 'Name one FILE at a time.'
  if (positionals.length === 1 && options['published-on'] === undefined) {
    return 'Say when the publisher published the file: --published-on YYYY-MM-DD.'
  }
  const url = options['source-url']
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return '--source-url must be a web address.'
  if (options.env !== undefined && options.remote !== true) return '--env is for --remote only.'
  if (options['persist-to'] !== undefined && options.remote === true) return '--persist-to is for local use only.'
  return null
}

async function publish(
  store: WaitingListStore,
  { file, bytes, options }: { file: string; bytes: Buffer<ArrayBuffer>; options: Options },
): Promise<number> {
  const outcome = await publishDataset(store, {
    bytes,
    publishedOn: options['published-on'] ?? '',
    archiveDate: options['archive-date'],
    source: await sourceOf(file, bytes, options),
    onProgress: showProgress,
  })
  if (outcome.outcome === 'refused') {
    console.error(`Refused${outcome.line === null ? '' : `, line ${outcome.line}`}: ${outcome.reason}`)
    console.error('The version being served stays.')
    return 1
  }
  console.log(summarise(outcome.manifest, outcome.previous))
  const missing = missingSpecialties(await recordedSpecialties(), outcome.manifest)
  if (missing.length > 0) {
    outcome.warnings.push(
      `Recorded readings of example letters name specialties that this file does not have, and will be invalid: ${missing.join(', ')}.`,
    )
  }
  for (const warning of outcome.warnings) console.error(`Warning: ${warning}`)
  console.log('\nServed from now on; a running service sees it within about two minutes, here within 30 seconds.')
  return 0
}

/** The sample is never given the publisher's name, however it is published. */
async function sourceOf(file: string, bytes: Buffer, options: Options): Promise<DatasetSource> {
  if (bytes.equals(await readFile(SAMPLE_PATH))) return SAMPLE_SOURCE
  return { ...PUBLISHER, title: options.title ?? basename(file), url: options['source-url'] ?? PUBLISHER.url }
}

async function list(store: WaitingListStore): Promise<number> {
  const found = await store.findPointer()
  const held = await store.listManifests()
  if (found.outcome === 'unavailable' || held === null) throw new Error('the storage does not answer, try again')
  if (held.length === 0) console.log('No version is held yet.')
  const served = found.outcome === 'ok' ? found.pointer.version : null
  for (const { manifest } of held) {
    const { version, source, hasHospitals, summary } = manifest
    const isServed = served?.hash === version.hash && served.archiveDate === version.archiveDate
    const kind = hasHospitals ? `${summary.hospitals} hospitals` : 'no hospitals'
    console.log(`${isServed ? '*' : ' '} ${describe(version)}  ${summary.lists} lists, ${kind}  ${source.title}`)
  }
  return 0
}

async function rollBack(store: WaitingListStore, hash: string, archiveDate: string | undefined): Promise<number> {
  const outcome = await rollbackDataset(store, hash, archiveDate)
  if (outcome.outcome === 'rolled_back') {
    console.log(`Served from now on: ${describe(outcome.version)}`)
    return 0
  }
  if (outcome.outcome === 'ambiguous') {
    console.error('Several versions fit. Name one of these by its hash and --archive-date:')
    for (const version of outcome.versions) console.error(`  ${describe(version)}`)
  } else if (outcome.outcome === 'file_missing') {
    console.error(`The file of ${describe(outcome.version)} is not in storage. Publish the file again.`)
  } else if (outcome.outcome === 'not_held') {
    console.error('No version held has this hash and archive date; --list shows those held.')
  } else {
    console.error('The storage does not answer. Try again.')
  }
  console.error('The version being served stays.')
  return 1
}

function describe({ archiveDate, publishedOn, hash }: DatasetVersion): string {
  return `archive date ${archiveDate}, published ${publishedOn}, ${hash}`
}

function summarise({ version, hasHospitals, summary }: Manifest, previous: DatasetVersion | null): string {
  const dates = summary.archiveDates.map(({ archiveDate, rows }) => `${archiveDate} (${rows} rows)`)
  const buckets = summary.bucketsLeftOut.map(({ name, lists, people }) => `${name}: ${lists} lists, ${people} people`)
  const rows: [string, string | number][] = [
    ['file (SHA-256)', version.hash],
    ['archive date', version.archiveDate],
    ['published on', version.publishedOn],
    ['archive dates in the file', dates.join(', ')],
    ['rows read', summary.rowsRead],
    ['keys summed', summary.keysSummed],
    ['specialties', summary.specialties],
    ['lists made', summary.lists],
    ['people in them', summary.people],
    ['hospitals', hasHospitals ? summary.hospitals : 'none: the lists will not tell which hospitals run a specialty'],
    ['buckets left out', buckets.join('; ') || 'none'],
    ['served before', previous === null ? 'nothing' : describe(previous)],
  ]
  return rows.map(([name, value]) => `${name.padEnd(26)} ${value}`).join('\n')
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

function misused(mistake: string): number {
  console.error(`${mistake}\n\n${HELP}`)
  return 2
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

process.exitCode = await main()
