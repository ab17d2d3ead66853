// npm run orgs, keys, erasures, ledger: the operator's commands, over the operator's routes of a local or a deployed Worker.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { findTarget, OperatorError, UsageError } from './operator/client.ts'
import type { Command, Flags, OperatorAnswer } from './operator/command.ts'
import { erasures } from './operator/erasures.ts'
import { keys } from './operator/keys.ts'
import { ledger } from './operator/ledger.ts'
import { organisations } from './operator/organisations.ts'

const COMMANDS: Readonly<Record<string, Command>> = { orgs: organisations, keys, erasures, ledger }

const SHARED = {
  remote: { type: 'boolean' },
  url: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

const [name = '', ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (command === undefined) {
  console.error(`Say which command: node scripts/operator.ts ${Object.keys(COMMANDS).join(' | ')}`)
  process.exitCode = 2
} else await runCommand(command)

/** Exit status: 0 done, 1 the service refused, 2 the command was not understood. */
async function runCommand({ help, options, switches = [], verbs }: Command): Promise<void> {
  const valued = Object.fromEntries(options.map((option) => [option, { type: 'string' as const }]))
  const plain = Object.fromEntries(switches.map((option) => [option, { type: 'boolean' as const }]))
  const parsed = tryParse({ ...valued, ...plain, ...SHARED })
  const [verb = '', id] = parsed?.positionals ?? []
  const run = verbs[verb]
  if (parsed?.values['help'] === true) return console.log(help)
  if (parsed === null || run === undefined) {
    console.error(help)
    process.exitCode = 2
    return
  }
  const { remote, json, ...given } = parsed.values
  const flags: Flags = Object.fromEntries(Object.entries(given).map(([option, value]) => [option, String(value)]))
  try {
    const target = findTarget({ remote: remote === true, url: flags['url'] })
    const answer = await run({ target, id, flags })
    console.log(json === true ? JSON.stringify(answer, null, 2) : format(answer))
  } catch (thrown) {
    if (!(thrown instanceof OperatorError)) throw thrown
    console.error(thrown.message)
    process.exitCode = thrown instanceof UsageError ? 2 : 1
  }
}

function tryParse(options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : 'The arguments were not understood.')
    return null
  }
}

function format(answer: OperatorAnswer): string {
  if (!('data' in answer)) return formatObject(answer)
  if (answer.data.length === 0) return 'none'
  const more = answer.next_cursor === null ? '' : `\n\nThere are more: --cursor ${answer.next_cursor}`
  return answer.data.map(formatObject).join('\n\n') + more
}

function formatObject(object: object): string {
  const entries = Object.entries(object).filter(([member, value]) => member !== 'object' && value !== null)
  const width = Math.max(...entries.map(([member]) => member.length))
  return entries.map(([member, value]) => `${member.padEnd(width)}  ${shown(value)}`).join('\n')
}

/** Shows an object with an id by that id: `--json` shows the whole. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(',') || 'none'
  if (typeof value !== 'object' || value === null) return String(value)
  return 'id' in value ? String(value.id) : JSON.stringify(value)
}
