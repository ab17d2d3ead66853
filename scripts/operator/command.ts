// How the operator's commands read their arguments, print and fail.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { findTarget, OperatorError, UsageError, type Target } from './client.ts'

export type OperatorAnswer = object | { data: object[]; next_cursor: string | null }

export type Flags = Record<string, string | undefined>

export type CommandCall = { target: Target; arguments: string[]; flags: Flags }

export type Command = {
  help: string
  /** Names of the options that take a value, beside the shared ones. */
  options: readonly string[]
  /** Names of those that take none; one that is given is in the flags. */
  switches?: readonly string[]
  verbs: Record<string, (call: CommandCall) => Promise<OperatorAnswer>>
}

const SHARED = {
  remote: { type: 'boolean' },
  url: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

/** Exit status: 0 done, 1 the service refused, 2 the command was not understood. */
export async function runCommand(command: Command): Promise<void> {
  const { options, switches = [] } = command
  const valued = Object.fromEntries(options.map((name) => [name, { type: 'string' as const }]))
  const plain = Object.fromEntries(switches.map((name) => [name, { type: 'boolean' as const }]))
  const parsed = tryParse({ ...valued, ...plain, ...SHARED })
  if (parsed === null) return usage(command, 2)
  const [verb, ...rest] = parsed.positionals
  if (parsed.values['help'] === true) return usage(command, 0)
  const run = verb === undefined ? undefined : command.verbs[verb]
  if (run === undefined) return usage(command, 2)

  const flags: Flags = {}
  for (const name of ['url', ...options, ...switches]) {
    const value = parsed.values[name]
    if (value !== undefined) flags[name] = String(value)
  }
  try {
    const target = findTarget({ remote: parsed.values['remote'] === true, url: flags['url'] })
    const answer = await run({ target, arguments: rest, flags })
    console.log(parsed.values['json'] === true ? JSON.stringify(answer, null, 2) : format(answer))
  } catch (thrown) {
    if (!(thrown instanceof OperatorError)) throw thrown
    console.error(thrown.message)
    process.exitCode = thrown instanceof UsageError ? 2 : 1
  }
}

/** The value of an option that must be given. Throws UsageError. */
export function need(flags: Flags, name: string): string {
  const value = flags[name]
  if (value === undefined) throw new UsageError(`--${name} is missing. --help shows the forms.`)
  return value
}

export function optionalNumber(flags: Flags, name: string): number | undefined {
  const value = flags[name]
  if (value === undefined) return undefined
  if (!/^\d+$/.test(value)) throw new UsageError(`--${name} takes a whole number.`)
  return Number(value)
}

function tryParse(options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : 'The arguments were not understood.')
    return null
  }
}

function usage({ help }: Command, exitCode: 0 | 2): void {
  if (exitCode === 0) console.log(help)
  else console.error(help)
  process.exitCode = exitCode
}

function format(answer: OperatorAnswer): string {
  if (!('data' in answer)) return formatObject(answer)
  if (answer.data.length === 0) return 'none'
  const more = answer.next_cursor === null ? '' : `\n\nThere are more: --cursor ${answer.next_cursor}`
  return answer.data.map(formatObject).join('\n\n') + more
}

function formatObject(object: object): string {
  const entries = Object.entries(object).filter(([name, value]) => name !== 'object' && value !== null)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n')
}

/** Shows an object with an id by that id: `--json` shows the whole. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(',') || 'none'
  if (typeof value !== 'object' || value === null) return String(value)
  return 'id' in value ? String(value.id) : JSON.stringify(value)
}
