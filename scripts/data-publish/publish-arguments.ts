// Reads the command line of data:publish, and refuses options that do not belong together.
import { DATASET_KINDS, type DatasetKind } from '../../src/referral/waiting-lists/dataset.ts'
import { CONCERN_KINDS, type ConcernKind } from '../../src/referral/waiting-lists/version-changes.policy.ts'
import type { StorageOptions } from '../storage-bindings.ts'
import { UsageError, type Given } from '../command-line.ts'

export const USAGE = `Publish waiting lists: read one of the publisher's CSV files and serve its figures.

  npm run data:publish -- FILE --published-on YYYY-MM-DD [options]
  npm run data:publish -- --list
  npm run data:publish -- --rollback HASH [--archive-date YYYY-MM-DD]
  npm run data:publish -- --withdraw HASH [--archive-date YYYY-MM-DD]

  --published-on DATE   the day the publisher published the file (required with FILE)
  --archive-date DATE   which archive date of the file to serve; the latest when absent
  --kind KIND           what the file counts: ${DATASET_KINDS.join(', ')}.
                        Needed for all but outpatients, and where the file does not tell
  --source-url URL      where the publisher offers the file; the publisher's open data page when absent
  --title TEXT          the title shown with the figures; the file's name when absent
  --dry-run             show the summary and what would change; write nothing
  --older               publish although the archive date goes back
  --smaller             publish although rows or specialties fell by more than 15 %
  --incomplete          publish although names that were there before, or the end of the file, are missing
  --new-names           publish although a specialty has a name that is not known
  --list                the versions held, the one being served marked
  --rollback HASH       serve a version held; HASH may be its first 8 or more characters
  --withdraw HASH       take a wrong version away: not served, not listed; its file can still be downloaded by its hash
  --remote              the deployed KV and R2 instead of this machine's (wrangler must be signed in)
  --env NAME            the environment of wrangler.toml, with --remote; "production" when absent
  --persist-to FOLDER   where this machine's state is kept; .wrangler/state when absent
  --help                this text

A file that is not right is refused with the line and the reason, and the version being served stays.
Exit code: 0 done (with --dry-run: it would be), 1 refused, 2 called wrongly.
`

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
  if (values.env !== undefined && values.remote !== true) throw new UsageError('--env is for --remote only.')
  if (values['persist-to'] !== undefined && values.remote === true)
    throw new UsageError('--persist-to is for local use only.')
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
  if (jobs.length !== 1) throw new UsageError('Name one FILE, or --list, or --rollback HASH, or --withdraw HASH.')
  if (positionals.length > 1) throw new UsageError('Name one FILE at a time.')
  const archiveDate = values['archive-date']
  if (file !== undefined) return readPublishJob(values, file)
  // Refuses options that need a FILE. With --dry-run, an operator could take a real change for a rehearsal.
  const idle = ONLY_WITH_FILE.find((name) => values[name] !== undefined)
  if (idle !== undefined) throw new UsageError(`--${idle} is for publishing a FILE only.`)
  if (rollback !== undefined) return { kind: 'rollback', hash: rollback, archiveDate }
  if (withdraw !== undefined) return { kind: 'withdraw', hash: withdraw, archiveDate }
  return { kind: 'list' }
}

function readPublishJob(values: Values, file: string): PublishJob {
  const { 'published-on': publishedOn, 'archive-date': archiveDate, 'source-url': given, title } = values
  if (publishedOn === undefined)
    throw new UsageError('Say when the publisher published the file: --published-on YYYY-MM-DD.')
  const counts = DATASET_KINDS.find((kind) => kind === values.kind)
  if (values.kind !== undefined && counts === undefined)
    throw new UsageError(`--kind is one of ${DATASET_KINDS.join(', ')}.`)
  const address = given === undefined ? null : URL.parse(given)
  if (given !== undefined && !/^https?:$/.test(address?.protocol ?? ''))
    throw new UsageError('--source-url must be a web address.')
  const accept = CONCERN_KINDS.filter((name) => values[name] === true)
  const dryRun = values['dry-run'] === true
  return { kind: 'publish', file, publishedOn, archiveDate, counts, title, url: address?.href, accept, dryRun }
}
