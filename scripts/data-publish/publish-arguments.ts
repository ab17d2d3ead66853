// Reads the command line of data:publish, and refuses options that cannot be combined.
import { basename } from 'node:path'
import { fromWire } from '../../src/platform/wire.ts'
import { DATASET_KINDS } from '../../src/referral/waiting-lists/dataset.ts'
import type { SentFile } from '../../src/referral/waiting-lists/datasets.service.ts'
import { CONCERN_KINDS } from '../../src/referral/waiting-lists/version-changes.policy.ts'
import { UsageError, type Given } from '../command-line.ts'

export const USAGE = `Usage: npm run data:publish -- FILE --published-on DATE [options]

Publishes waiting lists from a CSV file of the NTPF, or changes which version is served.

  --published-on DATE   day of publication, YYYY-MM-DD (required with FILE)
  --archive-date DATE   archive date to serve (default the latest in the file)
  --kind KIND           ${DATASET_KINDS.join(', ')}
                        (default: read from the file, else outpatient)
  --source-url URL      address of the file (default the publisher's open data page)
  --title TEXT          title shown with the figures (default the file's name)
  --dry-run             shows the changes and writes nothing
  --older               accepts an earlier archive date than the one served
  --smaller             accepts over 15 % fewer rows or specialties
  --incomplete          accepts missing names or a missing end of the file
  --new-names           accepts specialties with unknown names
  --list                lists the stored versions and marks the one served
  --rollback HASH       serves a stored version; the hash's first 8 characters are enough
  --withdraw HASH       removes a version from the list; its file stays available by its hash
  --remote              publishes to a deployment: --url or COUNTERSIGN_URL, with OPERATOR_TOKEN
  --url URL             address of the deployment, with --remote
  --persist-to FOLDER   local storage (default .wrangler/state)

Examples:
  npm run data:publish -- data/sample/invented-outpatients.csv --published-on 2026-10-09 --dry-run
  npm run data:publish -- --list

Exit codes: 0 done, 1 refused and nothing changed, 2 wrong command line.`

/** `said`: what the operator says about the file. */
export type PublishJob = { job: 'publish'; file: string; said: Omit<SentFile, 'bytes'> }

export type DataPublishJob =
  | PublishJob
  | { job: 'list' }
  | { job: 'rollback' | 'withdraw'; hash: string; archiveDate: string | undefined }

/** Where to publish: a deployment, or the folder of local storage. */
export type Place = { remote: true; url: string | undefined } | { remote: false; persistTo: string | undefined }

/** Reads the job and the place. Throws UsageError. */
export function readPublishArguments({ values, positionals }: Given<typeof OPTIONS>): {
  job: DataPublishJob
  place: Place
} {
  const job = readJob(values, positionals)
  const { remote = false, url, 'persist-to': persistTo } = values
  if (url !== undefined && !remote) throw new UsageError('Use --url only with --remote.')
  if (persistTo !== undefined && remote) throw new UsageError('Use --persist-to only without --remote.')
  return { job, place: remote ? { remote, url } : { remote, persistTo } }
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

export const OPTIONS = {
  'published-on': text,
  'archive-date': text,
  kind: text,
  'source-url': text,
  title: text,
  'dry-run': flag,
  older: flag,
  smaller: flag,
  incomplete: flag,
  'new-names': flag,
  list: flag,
  rollback: text,
  withdraw: text,
  remote: flag,
  url: text,
  'persist-to': text,
} as const

type Values = Given<typeof OPTIONS>['values']

const ONLY_WITH_FILE = ['published-on', 'kind', 'source-url', 'title', 'dry-run', ...CONCERN_KINDS] as const

function readJob(values: Values, positionals: readonly string[]): DataPublishJob {
  const { list, rollback, withdraw } = values
  const [file] = positionals
  const jobs = [list === true, rollback !== undefined, withdraw !== undefined, file !== undefined].filter(Boolean)
  if (jobs.length !== 1) throw new UsageError('Name one FILE, or use --list, --rollback HASH or --withdraw HASH.')
  if (positionals.length > 1) throw new UsageError('Name only one FILE.')
  const archiveDate = values['archive-date']
  if (file !== undefined) return readPublishJob(values, file)
  // Refuses options that need a FILE. With --dry-run, an operator could take a real change for a rehearsal.
  const idle = ONLY_WITH_FILE.find((name) => values[name] !== undefined)
  if (idle !== undefined) throw new UsageError(`Use --${idle} only with a FILE.`)
  if (rollback !== undefined) return { job: 'rollback', hash: rollback, archiveDate }
  if (withdraw !== undefined) return { job: 'withdraw', hash: withdraw, archiveDate }
  return { job: 'list' }
}

function readPublishJob(values: Values, file: string): PublishJob {
  const { 'published-on': publishedOn, 'archive-date': archiveDate, 'source-url': given, title } = values
  if (publishedOn === undefined) throw new UsageError('Add the file’s day of publication: --published-on YYYY-MM-DD.')
  const kind = DATASET_KINDS.find((each) => each === values.kind)
  if (values.kind !== undefined && kind === undefined)
    throw new UsageError(`--kind needs one of ${DATASET_KINDS.join(', ')}.`)
  const address = given === undefined ? null : URL.parse(given)
  if (given !== undefined && !/^https?:$/.test(address?.protocol ?? ''))
    throw new UsageError('--source-url needs an http or https address.')
  const said = fromWire({
    published_on: publishedOn,
    file_name: basename(file),
    archive_date: archiveDate,
    title,
    source_url: address?.href,
    kind,
    accept: CONCERN_KINDS.filter((name) => values[name] === true).join(',') || undefined,
    dry_run: values['dry-run'] === true ? ('true' as const) : undefined,
  })
  return { job: 'publish', file, said }
}
