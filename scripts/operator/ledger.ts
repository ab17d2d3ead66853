// npm run ledger: compares an organisation's state with its log entries, and compares and restores a log's tiles.
import * as z from 'zod'
import { UsageError } from '../command-line.ts'
import { callOperator, OperatorError } from './operator-client.ts'
import { requireOption, TARGET_HELP, type Command, type CommandCall, type Flags } from './command.ts'

const HELP = `Usage: npm run ledger -- VERB [options]

Checks an organisation's state against its log, and checks and restores the log's tiles.

  check --org ID       rebuilds the state and the call counts from the log entries, and compares
  tiles compare        lists the full tiles that are missing or damaged in the file storage
  tiles restore        restores them from another copy or from lower tiles, after a proof

  --org ID             the organisation's log
  --public-log         the public log; for tiles only
  --replace            restore also replaces stored tiles that differ from the database; use it
                       only if the database is the newest copy
  --cursor CURSOR      continues tiles at this place

${TARGET_HELP}

Examples:
  npm run ledger -- check --org org_…
  npm run ledger -- tiles compare --public-log

Exit codes: 0 no difference, 1 a difference or a refusal, 2 wrong command line.`

const CheckedSchema = z.object({ is_equal: z.boolean(), differences: z.array(z.string()), from: z.int(), to: z.int() })

const FaultSchema = z.object({ tile: z.string(), copies: z.array(z.string()), outcome: z.string() })
type Fault = z.infer<typeof FaultSchema>

const TilesSchema = z.object({
  faults: z.array(FaultSchema),
  compared: z.int(),
  total: z.int(),
  next_cursor: z.string().nullable(),
})

export const ledger: Command = {
  help: HELP,
  options: ['org', 'cursor'],
  switches: ['public-log', 'replace'],
  verbs: {
    check: async ({ target, flags }) => {
      const path = `/organisations/${encodeURIComponent(requireOption(flags, 'org'))}/ledger`
      const checked = await callOperator(target, CheckedSchema, 'GET', path)
      if (checked.is_equal) return checked
      const places = checked.differences.map((place) => `  ${place}`).join('\n')
      throw new OperatorError(
        `The stored state differs from the log entries up to ${checked.to}. These places differ:\n${places}`,
      )
    },
    tiles: async (call) => {
      const { id: verb, flags } = call
      if (verb !== 'compare' && verb !== 'restore') throw new UsageError('Add compare or restore after tiles.')
      if (verb === 'compare' && flags['replace'] !== undefined)
        throw new UsageError('Use --replace only with tiles restore.')
      const { compared, faults } = await compareOrRestoreTiles(call, verb === 'compare' ? 'GET' : 'POST')
      const left = faults.filter(({ outcome }) => outcome !== 'restored')
      if (left.length === 0) return { compared, restored: faults.length }
      throw new OperatorError(`${left.length} of ${compared} tiles are missing or damaged. The lines above name them.`)
    },
  },
}

/** Compares or restores the tiles page by page. Prints faults and progress to standard error at once. */
async function compareOrRestoreTiles({ target, flags }: CommandCall, method: 'GET' | 'POST') {
  const path = logPath(flags)
  const replace = flags['replace'] === undefined ? {} : { replace: 'true' }
  const faults: Fault[] = []
  let compared = 0
  let cursor = flags['cursor'] ?? null
  do {
    const query = new URLSearchParams({ ...replace, ...(cursor === null ? {} : { cursor }) })
    const page = await callOperator(target, TilesSchema, method, `${path}?${query.toString()}`).catch(
      (thrown: unknown) => {
        if (thrown instanceof OperatorError && cursor !== null && compared > 0)
          console.error(`To continue, add --cursor ${cursor}`)
        throw thrown
      },
    )
    compared += page.compared
    faults.push(...page.faults)
    for (const { tile, copies, outcome } of page.faults) console.error(`${tile}  ${copies.join(', ')}  ${outcome}`)
    if (page.compared > 0) console.error(`${compared} of ${page.total} tiles`)
    cursor = page.next_cursor
  } while (cursor !== null)
  return { compared, faults }
}

function logPath(flags: Flags): string {
  const isPublic = flags['public-log'] !== undefined
  const { org } = flags
  if (isPublic === (org !== undefined)) throw new UsageError('Name one log: --org ID or --public-log.')
  return org === undefined ? '/public-log/tiles' : `/organisations/${encodeURIComponent(org)}/tiles`
}
