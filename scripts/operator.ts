// npm run orgs, keys, erasures, ledger: the operator's commands. They call the operator's routes of a local or deployed Worker.
import { TierRequestSchema } from '../src/accounts/organisation.schema.ts'
import { runCommand, runSubcommand, UsageError } from './command-line.ts'
import { findOperatorTarget, OperatorError, refuseOtherTables } from './operator/operator-client.ts'
import type { Command, Flags, OperatorAnswer } from './operator/command.ts'
import { erasures } from './operator/erasures.ts'
import { keys } from './operator/keys.ts'
import { ledger } from './operator/ledger.ts'
import { organisations } from './operator/organisations.ts'

const COMMANDS: Readonly<Record<string, Command>> = { orgs: organisations, keys, erasures, ledger }

const SHARED_OPTIONS = {
  remote: { type: 'boolean' },
  url: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Runs a command. Exit code: 0 done, 1 the service refused, 2 not understood. */
const runOperator = ({ help, options, switches = [], verbs }: Command, args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help,
    takesArguments: true,
    options: {
      ...Object.fromEntries(options.map((option) => [option, { type: 'string' as const }])),
      ...Object.fromEntries(switches.map((option) => [option, { type: 'boolean' as const }])),
      ...SHARED_OPTIONS,
    },
    async run({ values: { remote, json, ...flagValues }, positionals: [verb = '', id] }) {
      const run = verbs[verb]
      if (run === undefined) throw new UsageError(`Name a verb: ${Object.keys(verbs).join(', ')}.`)
      const flags: Flags = Object.fromEntries(
        Object.entries(flagValues).map(([option, value]) => [option, String(value)]),
      )
      try {
        const target = findOperatorTarget({ remote: remote === true, url: flags['url'] })
        await refuseOtherTables(target)
        const answer = await run({ target, id, flags })
        console.log(json === true ? JSON.stringify(answer, null, 2) : format(answer))
        return 0
      } catch (thrown) {
        if (!(thrown instanceof OperatorError)) throw thrown
        console.error(thrown.message)
        return 1
      }
    },
  })

function format(answer: OperatorAnswer): string {
  if (!('data' in answer)) return formatObject(answer) || 'none'
  if (answer.data.length === 0) return 'none'
  const more = answer.next_cursor === null ? '' : `\n\nFor the next page, add --cursor ${answer.next_cursor}`
  return answer.data.map(formatObject).join('\n\n') + more
}

function formatObject(object: object): string {
  const entries = Object.entries(object).filter(([member, value]) => member !== 'object' && value !== null)
  const width = Math.max(...entries.map(([member]) => member.length))
  return entries.map(([member, value]) => `${member.padEnd(width)}  ${shown(value)}`).join('\n')
}

/** Formats a value. A request for a tier is a phrase, a warning its message, an object with an id its id; `--json` shows all of it. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(',') || 'none'
  if (typeof value !== 'object' || value === null) return String(value)
  const request = TierRequestSchema().safeParse(value)
  if (request.success) return `asked for ${request.data.tier} on ${request.data.requested_at.slice(0, 10)}`
  if ('message' in value) return String(value.message)
  return 'id' in value ? String(value.id) : JSON.stringify(value)
}

const HELP = `Usage: node scripts/operator.ts ${Object.keys(COMMANDS).join('|')} VERB [options]`

process.exitCode = await runSubcommand(
  process.argv.slice(2),
  HELP,
  Object.fromEntries(Object.entries(COMMANDS).map(([name, command]) => [name, (args) => runOperator(command, args)])),
)
