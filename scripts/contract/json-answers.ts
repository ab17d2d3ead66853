// Functions for JSON answers of unknown form: read members, list member names, compare with a schema.
import type * as z from 'zod'

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the value at a path of member names, or undefined if there is none. */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = isObject(found) ? found[name] : undefined
  return found
}

/** Returns every member name in a JSON value, at any depth. */
export function memberNames(value: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (isArray(next)) open.push(...next)
    else if (isObject(next)) {
      for (const [name, member] of Object.entries(next)) {
        names.add(name)
        open.push(member)
      }
    }
  }
  return names
}

/** Returns the differences between a JSON value and a schema, one sentence each. */
export function schemaDifferences(schema: z.ZodType, json: unknown): readonly string[] {
  const { error } = schema.safeParse(json)
  if (error === undefined) return []
  return error.issues.map(({ path, message }) => `${path.length === 0 ? 'body' : path.join('.')}: ${message}`)
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
