// Usage as providers tell it. What cannot be read of it never costs the caller the answer: it is left out, and the rest is
// told as a guess.
import { z } from 'zod'
import type { Usage } from './answer.ts'

const MOST_TOKENS = 1_000_000_000
const MOST_USD = 10_000

/** More than any call can use is a mistake of the provider's. */
export const CountSchema = z.int().min(0).max(MOST_TOKENS)

/** In dollars. */
export const FeesSchema = z.number().min(0).max(MOST_USD)

/** `unread`: the names of its members that could not be read, or not in full. */
export type ToldUsage<Told> = { readonly told: Told; readonly unread: ReadonlySet<string> }

/** Null where it is no usage at all. A member that does not fit the schema is left out, and the others are read. */
export function readToldUsage<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): ToldUsage<z.output<Schema>> | null {
  const whole = schema.safeParse(value)
  if (whole.success) return { told: whole.data, unread: new Set() }
  const paths = whole.error.issues.map(({ path }) => path)
  const rest = schema.safeParse(paths.reduce(without, value))
  return rest.success ? { told: rest.data, unread: new Set(paths.map(([name]) => String(name))) } : null
}

/** The value of `Usage.unread`, once the input is known. `output`: the members that count it. */
export function unreadPart(unread: ReadonlySet<string>, output: readonly string[]): Pick<Usage, 'unread'> {
  if (unread.size === 0) return {}
  return { unread: output.some((name) => unread.has(name)) ? 'output' : 'details' }
}

function without(value: unknown, [name, ...inner]: readonly PropertyKey[]): unknown {
  if (typeof value !== 'object' || value === null || name === undefined) return value
  const members = Object.entries(value)
  if (inner.length === 0) return Object.fromEntries(members.filter(([member]) => member !== name))
  return Object.fromEntries(members.map(([member, held]) => [member, member === name ? without(held, inner) : held]))
}
