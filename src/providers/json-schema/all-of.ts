// `allOf` written out: one schema that says what its parts say together. Providers take it of plain parts at most, and
// parts that are closed each by themselves would leave nothing that fits them all.
import { isJsonObject, type JsonObject } from '../json.ts'
import { asList } from './subschemas.ts'

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

/** Each part is held against those before it, which takes its time. */
const MOST_PARTS = 32

/** The schema without `allOf`; null where its parts do not go together, or one of several is a reference. */
export function mergeAllOf(schema: JsonObject): JsonObject | null {
  const { allOf, ...own } = schema
  if (allOf === undefined) return schema
  const reference = describedReference(schema)
  if (reference !== null) return reference
  const parts = asList(allOf)
  if (parts.length > MOST_PARTS) return null
  let merged: JsonObject | null = own
  for (const part of parts) {
    const plain = isJsonObject(part) ? mergeAllOf(part) : null
    merged = merged === null || plain === null || '$ref' in plain ? null : mergeTwo(merged, plain)
  }
  return merged
}

/** The reference that has got a description in this way, as generators of schemas write it. */
export function describedReference({ allOf, ...own }: JsonObject): JsonObject | null {
  const [only, ...others] = asList(allOf)
  const isReference = others.length === 0 && isJsonObject(only) && '$ref' in only
  return isReference && Object.keys(own).every((keyword) => ANNOTATIONS.has(keyword)) ? only : null
}

function mergeTwo(first: JsonObject, second: JsonObject): JsonObject | null {
  const merged: Record<string, unknown> = { ...first }
  for (const [keyword, value] of Object.entries(second)) {
    const before = first[keyword]
    if (before === undefined) merged[keyword] = value
    else if (keyword === 'required') merged[keyword] = [...new Set([...asList(before), ...asList(value)])]
    else if (keyword === 'properties') {
      const properties = mergeProperties(before, value)
      if (properties === null) return null
      merged[keyword] = properties
    } else if (!isRepeatable(keyword) && JSON.stringify(before) !== JSON.stringify(value)) return null
  }
  return merged
}

/** The first one holds. */
const isRepeatable = (keyword: string): boolean => ANNOTATIONS.has(keyword) || keyword === 'additionalProperties'

function mergeProperties(first: unknown, second: unknown): JsonObject | null {
  if (!isJsonObject(first) || !isJsonObject(second)) return null
  const isDifferent = (name: string): boolean => JSON.stringify(first[name]) !== JSON.stringify(second[name])
  if (Object.keys(second).some((name) => Object.hasOwn(first, name) && isDifferent(name))) return null
  return { ...first, ...second }
}
