// Walks a JSON Schema the way every provider's reader needs it: each part with its place, and where its references
// lead. Only references within the schema itself are followed.

import { isObject, referenced } from './sample-json.ts'
import type { JsonObject } from './turn.ts'

export interface SchemaPart {
  /** `['properties', 'place', 'items']` */
  path: readonly string[]
  schema: JsonObject
}

const MAPS = ['properties', '$defs', 'definitions'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const SINGLES = ['items', 'additionalProperties', 'not'] as const

/** The schema and everything inside it, outermost first. */
export function* schemaParts(schema: unknown, path: readonly string[] = []): Generator<SchemaPart> {
  if (!isObject(schema)) return
  yield { path, schema }
  for (const key of MAPS) {
    const map = schema[key]
    for (const [name, inner] of isObject(map) ? Object.entries(map) : [])
      yield* schemaParts(inner, [...path, key, name])
  }
  for (const key of LISTS) {
    const list: unknown = schema[key]
    for (const [at, inner] of Array.isArray(list) ? list.entries() : []) {
      yield* schemaParts(inner, [...path, key, `${at}`])
    }
  }
  for (const key of SINGLES) yield* schemaParts(schema[key], [...path, key])
}

/** A reference that leads back to itself; with `requiredOnly`, only by way of properties that must be there. */
export function isRecursive(root: unknown, requiredOnly = false): boolean {
  const straight = new Set<unknown>()
  const open = new Set<unknown>()
  const visit = (schema: unknown): boolean => {
    if (!isObject(schema) || straight.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : [])
    const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
    const inner = [
      referenced(root, schema['$ref']),
      schema['items'],
      ...properties.filter(([name]) => !requiredOnly || required.has(name)).map(([, value]) => value),
      ...LISTS.flatMap((key): unknown[] => (Array.isArray(schema[key]) ? schema[key] : [])),
    ]
    const leadsBack = inner.some(visit)
    open.delete(schema)
    if (!leadsBack) straight.add(schema)
    return leadsBack
  }
  return visit(root)
}
