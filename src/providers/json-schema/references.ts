// Where the references of a JSON Schema lead, and whether one of them leads back to where it stands. Only references
// within the schema are followed, and what stands beside one is not read.
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import { describedReference } from './all-of.ts'
import { subschemas } from './subschemas.ts'

export type References = {
  /** The schema itself, once references at its top are followed. */
  readonly root: JsonObject
  /** Every schema that a reference leads to, with the name by which it can be defined. */
  readonly names: ReadonlyMap<JsonObject, string>
  readonly targetOf: (schema: JsonObject) => JsonObject | null
  readonly isRecursive: boolean
}

/** null where a reference leads nowhere, or out of the schema. */
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

/** `#/$defs/name`, by RFC 6901. */
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

/** From a pointer to its last step where it makes a name, followed by a number where others have that. */
function createNames(): (pointer: unknown) => string {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return (pointer) => {
    const last = typeof pointer === 'string' ? pointer.slice(pointer.lastIndexOf('/') + 1) : ''
    const plain = PLAIN_NAME.test(last) ? last : 'definition'
    let name = plain
    // It goes on from the last number, so that many of one name take no longer each.
    for (let number = numbers.get(plain) ?? 1; taken.has(name); number += 1) {
      name = `${plain}-${number}`
      numbers.set(plain, number + 1)
    }
    taken.add(name)
    return name
  }
}

/** Whether a way through parts and references comes back to where it has been. Not by recursion: ways can be long. */
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
