// Reads the command line of data:publish, and refuses options that cannot be combined.
import { DATASET_KINDS, type DatasetKind } from '../../src/referral/waiting-lists/dataset.ts'
import { CONCERN_KINDS, type ConcernKind } from '../../src/referral/waiting-lists/version-changes.policy.ts'
import type { StorageOptions } from '../storage-bindings.ts'
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
  --remote              the deployed storage; sign in with wrangler first
  --env NAME            environment of wrangler.toml, with --remote (default production)
  --persist-to FOLDER   local storage (default .wrangler/state)

Examples:
  npm run data:publish -- data/sample/invented-outpatients.csv --published-on 2026-10-09 --dry-run
  npm run data:publish -- --list

Exit codes: 0 done, 1 refused and nothing changed, 2 wrong command line.`

export interface PublishJob {
  kind: 'publish'
  file: string
  publishedOn: string
  archiveDate: string | undefined
  counts: DatasetKind | undefined
  title: string | undefined
  url: string | undefined
  accept: ConcernKind[]
  dryRun: boolean
}

export type DataPublishJob =
  | PublishJob
  | { kind: 'list' }
  | { kind: 'rollback' | 'withdraw'; hash: string; archiveDate: string | undefined }

/** Reads the job and the storage. Throws UsageError. */
export function readPublishArguments({ values, positionals }: Given<typeof OPTIONS>): {
  job: DataPublishJob
  storage: StorageOptions
} {
  const job = readJob(values, positionals)
  if (values.env !== undefined && values.remote !== true) throw new UsageError('Use --env only with --remote.')
  if (values['persist-to'] !== undefined && values.remote === true)
    throw new UsageError('Use --persist-to only without --remote.')
  const remoteEnvironment = values.remote === true ? (values.env ?? 'production') : undefined
  return { job, storage: { persistTo: values['persist-to'], remoteEnvironment } }
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
  env: text,
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
  if (rollback !== undefined) return { kind: 'rollback', hash: rollback, archiveDate }
  if (withdraw !== undefined) return { kind: 'withdraw', hash: withdraw, archiveDate }
  return { kind: 'list' }
}

function readPublishJob(values: Values, file: string): PublishJob {
  const { 'published-on': publishedOn, 'archive-date': archiveDate, 'source-url': given, title } = values
  if (publishedOn === undefined) throw new UsageError('Add the file’s day of publication: --published-on YYYY-MM-DD.')
  const counts = DATASET_KINDS.find((kind) => kind === values.kind)
  if (values.kind !== undefined && counts === undefined)
    throw new UsageError(`--kind needs one of ${DATASET_KINDS.join(', ')}.`)
  const address = given === undefined ? null : URL.parse(given)
  if (given !== undefined && !/^https?:$/.test(address?.protocol ?? ''))
    throw new UsageError('--source-url needs an http or https address.')
  const accept = CONCERN_KINDS.filter((name) => values[name] === true)
  const dryRun = values['dry-run'] === true
  return { kind: 'publish', file, publishedOn, archiveDate, counts, title, url: address?.href, accept, dryRun }
}
