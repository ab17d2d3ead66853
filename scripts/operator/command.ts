// Defines an operator's command: its verbs, the call that each makes, and its options. `flags` has the options' values by name.
import type * as z from 'zod'
import { UsageError } from '../command-line.ts'
import { callOperator, type OperatorMethod, type OperatorTarget } from './operator-client.ts'

export type OperatorAnswer = object | { data: object[]; next_cursor: string | null }

export type Flags = Record<string, string | undefined>

/** A call of a command. `id`: the argument after the verb. */
export type CommandCall = { target: OperatorTarget; id: string | undefined; flags: Flags }

export type Command = {
  help: string
  /** Names of the options with a value, besides the shared ones. */
  options: readonly string[]
  /** Names of the options without a value. */
  switches?: readonly string[]
  verbs: Record<string, (call: CommandCall) => Promise<OperatorAnswer>>
}

export const TARGET_HELP = `  --remote     calls a deployment: --url or COUNTERSIGN_URL, with OPERATOR_TOKEN
  --url URL    address of the service (default http://127.0.0.1:8787)
  --json       prints the answer as JSON`

export const OPERATOR_EXIT_CODES = 'Exit codes: 0 done, 1 refused or no answer, 2 wrong command line.'

/** Returns a verb that is one call of the operator's routes. */
export function callRoute(
  method: OperatorMethod,
  pathOf: (call: CommandCall) => string,
  schema: z.ZodType<OperatorAnswer>,
  bodyOf?: (flags: Flags) => object,
): Command['verbs'][string] {
  return (call) => callOperator(call.target, schema, method, pathOf(call), bodyOf?.(call.flags))
}

export const pageQuery = ({ cursor }: Flags): string =>
  cursor === undefined ? '' : `?${new URLSearchParams({ cursor }).toString()}`

/** Returns the value of a required option. Throws UsageError if it is missing. */
export function requireOption(flags: Flags, name: string): string {
  const value = flags[name]
  if (value === undefined) throw new UsageError(`--${name} is missing. Add it.`)
  return value
}

/** Returns the id. Throws UsageError if it is missing. @param what such as “the key’s id, key_…” */
export function requireId(id: string | undefined, what: string): string {
  if (id === undefined) throw new UsageError(`Add ${what}.`)
  return encodeURIComponent(id)
}
