// npm run ledger: compares an organisation's state with its log entries, and compares and restores a log's tiles.
import * as z from 'zod'
import { UsageError } from '../command-line.ts'
import { callOperator, OperatorError } from './operator-client.ts'
import { requireOption, type Command, type CommandCall, type Flags } from './command.ts'

const HELP = `npm run ledger -- VERB [options]

  check --org ID   works the organisation's state out again from its entries, counts its calls anew, and says whether both are
                   what its object holds; if not, names the places and exits with 1
  tiles compare (--org ID | --public-log)
                   compares what is in the bucket of files, and in the second one where it is bound, with the log's tree; names
                   every full tile that is missing or damaged, and exits with 1 where one is
  tiles restore (--org ID | --public-log)
                   puts each of them there again that another bucket has, or the tiles below it make up, and that the tree proves;
                   exits with 1 where any is left

  --replace        of tiles restore: also where a tile differs that is not stored yet. Only where the database is the newest
  --cursor CURSOR  of tiles: go on from there, after it broke off
  --remote         a deployment: its address from --url or COUNTERSIGN_URL, its OPERATOR_TOKEN from the environment
  --url URL        another address than http://127.0.0.1:8787
  --json           the answer as JSON

Exit code: 0 all is as it should be; 1 something is not, or was refused; 2 the command was not understood.`

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
      throw new OperatorError(`What the object holds is not what entries up to ${checked.to} come to:\n${places}`)
    },
    tiles: async (call) => {
      const { id: verb, flags } = call
      if (verb !== 'compare' && verb !== 'restore') throw new UsageError('Say what: tiles compare, or tiles restore.')
      if (verb === 'compare' && flags['replace'] !== undefined) throw new UsageError('--replace is of tiles restore.')
      const { compared, faults } = await compareOrRestoreTiles(call, verb === 'compare' ? 'GET' : 'POST')
      const left = faults.filter(({ outcome }) => outcome !== 'restored')
      if (left.length === 0) return { compared, restored: faults.length }
      throw new OperatorError(`Of ${compared} tiles ${left.length} are not as they should be.`)
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
          console.error(`Go on with --cursor ${cursor}`)
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
  if (isPublic === (org !== undefined)) throw new UsageError('Say whose log: either --org ID or --public-log.')
  return org === undefined ? '/public-log/tiles' : `/organisations/${encodeURIComponent(org)}/tiles`
}
