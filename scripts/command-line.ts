// Shared by all commands of scripts/: reads options and arguments, prints the help, and runs the command or subcommand. Returns
// exit code 1 if the command refused, and 2 if the command line was not understood.
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

const HELP = { help: { type: 'boolean', short: 'h' } } as const

/** The given options, and the other arguments. */
export type Given<Known extends Options> = ReturnType<
  typeof parseArgs<{ options: Known & typeof HELP; allowPositionals: true }>
>

export type Command<Known extends Options> = {
  /** Begins with a line of usage, which is printed after the reason if the command was not understood. */
  help: string
  options: Known
  /** False if every argument is an option. */
  takesArguments?: boolean
  /** Runs the command and returns the exit code; 0 if it returns none. Throws UsageError or Refusal. */
  run: (given: Given<Known>) => Promise<number | void> | number | void
}

/** The outputs of a command: `print` is for the result, `report` for progress and problems. */
export type Output = { print: (text: string) => void; report: (text: string) => void }

export const TERMINAL: Output = { print: (text) => console.log(text), report: (text) => console.error(text) }

/** Thrown if the command was not understood. Nothing was done. */
export class UsageError extends Error {}

/** Thrown if the command was understood and cannot be done. Says why, and what to do. */
export class Refusal extends Error {}

/** Runs a command. Returns its exit code, 1 if it refused, or 2 if it was not understood. */
export async function runCommand<const Known extends Options>(
  args: readonly string[],
  { help, options, takesArguments = false, run }: Command<Known>,
  { print, report }: Output = TERMINAL,
): Promise<number> {
  try {
    const given = readCommandLine(args, options, takesArguments)
    if (Reflect.get(given.values, 'help') !== true) return (await run(given)) ?? 0
    print(help)
    return 0
  } catch (thrown) {
    if (thrown instanceof UsageError) report(`${thrown.message}\n${usageOf(help)}`)
    else if (thrown instanceof Refusal) report(thrown.message)
    else throw thrown
    return thrown instanceof Refusal ? 1 : 2
  }
}

/** Returns the line of usage: the first line of a help text. */
export const usageOf = (help: string): string => help.split('\n', 1).join('')

/** Reads the options and arguments. Throws UsageError. */
export function readCommandLine<const Known extends Options>(
  args: readonly string[],
  options: Known,
  takesArguments = true,
): Given<Known> {
  const given = parseKnown(args, options)
  const [unexpected] = given.positionals
  if (!takesArguments && unexpected !== undefined)
    throw new UsageError(`Unexpected argument ${unexpected}. Leave it out.`)
  return given
}

function parseKnown<Known extends Options>(args: readonly string[], options: Known): Given<Known> {
  try {
    return parseArgs({ args: [...args], options: { ...options, ...HELP }, allowPositionals: true })
  } catch (thrown) {
    // Node adds advice on positional arguments after the first sentence.
    const [reason = ''] = thrown instanceof Error ? thrown.message.split(/\.(?:\s|$)|\n/) : []
    throw new UsageError(`${reason || 'The command line cannot be read'}.`)
  }
}

/** Runs the command that the first argument names. */
export async function runSubcommand(
  [name = '', ...args]: readonly string[],
  help: string,
  commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>>,
): Promise<number> {
  const command = commands[name]
  if (command !== undefined) return command(args)
  const isAsked = ['', '--help', '-h'].includes(name)
  if (isAsked) TERMINAL.print(help)
  else TERMINAL.report(`Unknown command ${name}.\n\n${help}`)
  return isAsked ? 0 : 2
}

/** Reads an option's whole number. Throws UsageError if it is no whole number within the bounds. */
export function wholeNumber(name: string, text: string, least = 1, most = 10_000_000): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${name} needs a whole number from ${least} to ${most}.`)
}
