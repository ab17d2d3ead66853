// Resolves the references of a JSON Schema, finds those that are recursive, and merges `allOf`. Only references within the schema
// are followed; keywords next to a reference are not read.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'

export type References = {
  /** The schema itself, after references at its top are followed. */
  readonly root: JsonObject
  /** Every schema that a reference leads to, with the name under which it is defined. */
  readonly names: ReadonlyMap<JsonObject, string>
  readonly targetOf: (schema: JsonObject) => JsonObject | null
  readonly isRecursive: boolean
}

/** Returns null if a reference has no target, or one outside the schema. */
export function readReferences(document: JsonObject): References | null {
  const root = followTop(document)
  if (root === null) return null
  const targets = new Map<JsonObject, JsonObject>()
  const names = new Map<JsonObject, string>()
  const nameOf = createNames()
  const seen = new Set<JsonObject>([root])
  const waiting = [root]
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    const { $ref: pointer } = schema
    const target = pointer === undefined ? undefined : resolvePointer(document, pointer)
    if (target === null) return null
    if (target !== undefined) {
      targets.set(schema, target)
      if (!names.has(target)) names.set(target, nameOf(pointer))
    }
    for (const next of target === undefined ? subschemas(schema) : [target]) {
      if (!seen.has(next)) waiting.push(next)
      seen.add(next)
    }
  }
  const targetOf = (schema: JsonObject) => targets.get(schema) ?? null
  return { root, names, targetOf, isRecursive: isRecursive(root, targetOf) }
}

function followTop(document: JsonObject): JsonObject | null {
  const followed = new Set<JsonObject>()
  let schema = document
  for (;;) {
    const reference = '$ref' in schema ? schema : describedReference(schema)
    if (reference === null) return schema
    const target = followed.has(schema) ? null : resolvePointer(document, reference['$ref'])
    if (target === null) return null
    followed.add(schema)
    schema = target
  }
}

/**
 * Resolves `#/$defs/name`, by RFC 6901. Returns null if there is no such schema.
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-6
 */
function resolvePointer(document: JsonObject, pointer: unknown): JsonObject | null {
  if (pointer === '#') return document
  if (typeof pointer !== 'string' || !pointer.startsWith('#/')) return null
  let value: unknown = document
  for (const step of pointer.slice(2).split('/')) {
    if (typeof value !== 'object' || value === null) return null
    const name = decodeStep(step)
    value = name !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  }
  return isJsonObject(value) ? value : null
}

function decodeStep(step: string): string | null {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}

const PLAIN_NAME = /^[\w-]{1,64}$/

/** Makes a name from a pointer's last step, with a number if the name is taken. */
function createNames(): (pointer: unknown) => string {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return (pointer) => {
    const last = typeof pointer === 'string' ? pointer.slice(pointer.lastIndexOf('/') + 1) : ''
    const plain = PLAIN_NAME.test(last) ? last : 'definition'
    let name = plain
    // Continues from the last number, so that many equal names stay fast.
    for (let number = numbers.get(plain) ?? 1; taken.has(name); number += 1) {
      name = `${plain}-${number}`
      numbers.set(plain, number + 1)
    }
    taken.add(name)
    return name
  }
}

/** Returns true if a schema contains itself, through its parts and references. Does not call itself, because paths can be long. */
function isRecursive(root: JsonObject, targetOf: References['targetOf']): boolean {
  const done = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const way: { schema: JsonObject; rest: JsonObject[] }[] = []
  const enter = (schema: JsonObject): void => {
    const target = targetOf(schema)
    open.add(schema)
    way.push({ schema, rest: target === null ? subschemas(schema) : [target] })
  }
  enter(root)
  for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
    const next = last.rest.pop()
    if (next === undefined) {
      open.delete(last.schema)
      done.add(last.schema)
      way.pop()
    } else if (open.has(next)) return true
    else if (!done.has(next)) enter(next)
  }
  return false
}

const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const SINGLES = ['items', 'additionalProperties'] as const

export function subschemas(schema: JsonObject): JsonObject[] {
  const { properties } = schema
  return [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...LISTS.flatMap((keyword) => asList(schema[keyword])),
    ...SINGLES.map((keyword) => schema[keyword]),
  ].filter(isJsonObject)
}

/** Returns an empty list for anything but a list. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$defs',
  'definitions',
  '$schema',
  '$id',
])

/** Returns the schema without `allOf`; null if its parts contradict each other, or one of several is a reference. */
export function mergeAllOf(schema: JsonObject): JsonObject | null {
  if (schema['allOf'] === undefined) return schema
  const reference = describedReference(schema)
  if (reference !== null) return reference
  const merged: Merged = { keywords: new Map(), properties: new Map(), required: new Set() }
  if (!takeSchema(merged, schema)) return null
  const { keywords, properties, required } = merged
  return {
    ...Object.fromEntries(keywords),
    ...(keywords.has('properties') ? { properties: Object.fromEntries(properties) } : {}),
    ...(keywords.has('required') ? { required: [...required] } : {}),
  }
}

/** Returns a reference that has only a description added through `allOf`, as schema generators write it; else null. */
function describedReference({ allOf, ...own }: JsonObject): JsonObject | null {
  const [only, ...others] = asList(allOf)
  const isReference = others.length === 0 && isJsonObject(only) && '$ref' in only
  return isReference && Object.keys(own).every((keyword) => ANNOTATIONS.has(keyword)) ? only : null
}

type Members = Map<string, unknown>

type Merged = { readonly keywords: Members; readonly properties: Members; readonly required: Set<unknown> }

/** Merges the schema and its parts; returns false if a value differs from an earlier one. */
function takeSchema(merged: Merged, { allOf, ...own }: JsonObject): boolean {
  return (
    Object.entries(own).every(([keyword, value]) => takeKeyword(merged, keyword, value)) &&
    asList(allOf).every((part) => isJsonObject(part) && !('$ref' in part) && takeSchema(merged, part))
  )
}

function takeKeyword({ keywords, properties, required }: Merged, keyword: string, value: unknown): boolean {
  if (keyword === 'required') for (const name of asList(value)) required.add(name)
  else if (keyword === 'properties') {
    if (!isJsonObject(value) || !Object.entries(value).every(([name, one]) => isSame(properties, name, one)))
      return false
    for (const [name, property] of Object.entries(value)) properties.set(name, property)
  } else if (!isRepeatable(keyword) && !isSame(keywords, keyword, value)) return false
  if (!keywords.has(keyword)) keywords.set(keyword, value)
  return true
}

/** Returns true for keywords that may differ between the parts: the first value is used. */
const isRepeatable = (keyword: string): boolean => ANNOTATIONS.has(keyword) || keyword === 'additionalProperties'

const isSame = (taken: Members, name: string, value: unknown): boolean =>
  !taken.has(name) || JSON.stringify(taken.get(name)) === JSON.stringify(value)
