// `allOf` written out: one schema that says what its parts say together. Providers take it of plain parts at most, and
// parts that are closed each by themselves would leave nothing that fits them all.
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
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

/** The schema without `allOf`; null where its parts do not go together, or one of several is a reference. */
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

/** The reference that has got a description in this way, as generators of schemas write it. */
export function describedReference({ allOf, ...own }: JsonObject): JsonObject | null {
  const [only, ...others] = asList(allOf)
  const isReference = others.length === 0 && isJsonObject(only) && '$ref' in only
  return isReference && Object.keys(own).every((keyword) => ANNOTATIONS.has(keyword)) ? only : null
}

type Members = Map<string, unknown>

type Merged = { readonly keywords: Members; readonly properties: Members; readonly required: Set<unknown> }

/** Adds what the schema and its parts say, each once; false where it differs from what is there. */
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

/** Keywords that may differ between the parts: the first value is kept. */
const isRepeatable = (keyword: string): boolean => ANNOTATIONS.has(keyword) || keyword === 'additionalProperties'

const isSame = (taken: Members, name: string, value: unknown): boolean =>
  !taken.has(name) || JSON.stringify(taken.get(name)) === JSON.stringify(value)
