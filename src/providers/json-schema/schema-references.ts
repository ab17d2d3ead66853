// Resolves the references of a JSON Schema, finds those that are recursive, and merges a schema with its reference and its `allOf`.
// Only references within the schema are followed.
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
    for (const next of target === undefined ? subschemas(schema) : [target, ...subschemas(schema)]) {
      if (!seen.has(next)) waiting.push(next)
      seen.add(next)
    }
  }
  const targetOf = (schema: JsonObject) => targets.get(schema) ?? null
  return { root, names, targetOf, isRecursive: isRecursive(root, targetOf) }
}

/** Follows references with nothing beside them. A reference with other keywords is merged, because the top must be an object. */
function followTop(document: JsonObject): JsonObject | null {
  const targetOf = ({ $ref }: JsonObject) => ($ref === undefined ? null : resolvePointer(document, $ref))
  const followed = new Set<JsonObject>()
  let schema = document
  for (let only = soleReference(schema); only !== null; only = soleReference(schema)) {
    const target = followed.has(schema) ? null : targetOf(only)
    if (target === null) return null
    followed.add(schema)
    schema = target
  }
  return '$ref' in schema || 'allOf' in schema ? (mergeParts(schema, targetOf) ?? schema) : schema
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
    way.push({ schema, rest: target === null ? subschemas(schema) : [target, ...subschemas(schema)] })
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

/** Keywords that tell a model nothing. Definitions are written separately. */
export const SILENT_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  'discriminator',
])

/** Returns the object with a schema's reference, if the schema says nothing else. It may stand alone in an `allOf`. */
export function soleReference(schema: JsonObject): JsonObject | null {
  const isAlone = Object.keys(schema).every((name) => name === '$ref' || name === 'allOf' || SILENT_KEYWORDS.has(name))
  if (!isAlone) return null
  if ('$ref' in schema) return 'allOf' in schema ? null : schema
  const [only, ...others] = asList(schema['allOf'])
  return others.length === 0 && isJsonObject(only) && '$ref' in only ? soleReference(only) : null
}

/** Annotations say nothing about which values are valid. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])

type TargetOf = References['targetOf']

/** Returns the schema, then those that must hold beside it: of its reference and of its `allOf`, and of theirs. */
export function* partsOf(schema: JsonObject, targetOf: TargetOf): Generator<JsonObject, void> {
  const seen = new Set<JsonObject>()
  const waiting = [schema]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (seen.has(part)) continue
    seen.add(part)
    yield part
    const target = targetOf(part)
    const others = asList(part['allOf']).filter(isJsonObject).toReversed()
    waiting.push(...others, ...(target === null ? [] : [target]))
  }
}

/**
 * Returns one schema without `allOf` and reference; null if its parts contradict each other. Annotations of the schema itself come
 * before those of its other parts, and descriptions are joined.
 */
export function mergeParts(schema: JsonObject, targetOf: TargetOf): JsonObject | null {
  if (!('$ref' in schema) && schema['allOf'] === undefined) return schema
  const merged: Merged = { keywords: new Map(), properties: new Map(), required: new Set(), descriptions: new Set() }
  for (const part of partsOf(schema, targetOf)) if (!takePart(merged, part, targetOf)) return null
  const { keywords, properties, required, descriptions } = merged
  return {
    ...Object.fromEntries(keywords),
    ...(keywords.has('properties') ? { properties: Object.fromEntries(properties) } : {}),
    ...(keywords.has('required') ? { required: [...required] } : {}),
    ...(descriptions.size > 0 ? { description: [...descriptions].join('\n\n') } : {}),
  }
}

type Members = Map<string, unknown>

type Merged = {
  readonly keywords: Members
  readonly properties: Members
  readonly required: Set<unknown>
  readonly descriptions: Set<string>
}

/** Returns false if a value differs from an earlier one, or a part cannot be read. */
function takePart(merged: Merged, part: JsonObject, targetOf: TargetOf): boolean {
  const { allOf, $ref, ...own } = part
  if (($ref !== undefined && targetOf(part) === null) || !asList(allOf).every(isJsonObject)) return false
  return Object.entries(own).every(([keyword, value]) => takeKeyword(merged, keyword, value))
}

function takeKeyword(merged: Merged, keyword: string, value: unknown): boolean {
  const { keywords, properties, required, descriptions } = merged
  if (keyword === 'description' && typeof value === 'string') descriptions.add(value)
  else if (keyword === 'required') for (const name of asList(value)) required.add(name)
  else if (keyword === 'properties') {
    if (!isJsonObject(value) || !Object.entries(value).every(([name, one]) => isSame(properties, name, one)))
      return false
    for (const [name, property] of Object.entries(value)) properties.set(name, property)
  } else if (!isRepeatable(keyword) && !isSame(keywords, keyword, value)) return false
  if (!keywords.has(keyword)) keywords.set(keyword, value)
  return true
}

/** Returns true for keywords that may differ between the parts: the first value is used. */
const isRepeatable = (keyword: string): boolean =>
  ANNOTATIONS.has(keyword) || SILENT_KEYWORDS.has(keyword) || keyword === 'additionalProperties'

const isSame = (taken: Members, name: string, value: unknown): boolean =>
  !taken.has(name) || JSON.stringify(taken.get(name)) === JSON.stringify(value)
