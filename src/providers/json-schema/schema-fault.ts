// What a provider cannot have in a schema, by its place in it.
import { isPlainName } from '../../platform/plain-name.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { mergeAllOf } from './all-of.ts'
import type { References } from './references.ts'
import type { SchemaRules } from './schema-rules.ts'
import { asList } from './subschemas.ts'

export type SchemaFault = {
  /** Empty, or it begins with a dot: `.properties.place`. */
  readonly path: string
  readonly message: string
}

/** The first fault, or null. */
export function findSchemaFault(document: JsonObject, references: References, rules: SchemaRules): SchemaFault | null {
  if (references.isRecursive && !rules.recursive) {
    return { path: '', message: 'This model takes no schema that refers to itself. Write out the levels it may have.' }
  }
  if (!rules.closed) return null
  const { root, names } = references
  const definitions = [...names].map(([schema, name]) => ({ schema, path: definitionPath(document, name, schema) }))
  for (const { schema, path } of [{ schema: root, path: '' }, ...definitions]) {
    const fault = faultWithin(schema, path)
    if (fault !== null) return fault
  }
  return null
}

/** Where the caller wrote it, if that is a usual place. */
function definitionPath(document: JsonObject, name: string, schema: JsonObject): string {
  const place = ['$defs', 'definitions'].find((keyword) => {
    const map = document[keyword]
    return isJsonObject(map) && map[name] === schema
  })
  return place === undefined ? '' : `.${place}.${name}`
}

function faultWithin(schema: unknown, path: string): SchemaFault | null {
  if (!isJsonObject(schema)) return { path, message: 'A schema must be an object that says what it describes.' }
  if ('$ref' in schema) return null
  const message = faultOf(schema)
  if (message !== null) return { path, message }
  for (const { step, inner } of innerSchemas(schema)) {
    const fault = faultWithin(inner, `${path}${step}`)
    if (fault !== null) return fault
  }
  return null
}

const TELLING = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'properties', 'items'] as const

function faultOf(schema: JsonObject): string | null {
  if (!TELLING.some((keyword) => keyword in schema)) return 'This model needs a type in every schema.'
  if (asList(schema['enum']).some((value) => typeof value === 'object' && value !== null)) {
    return 'This model takes texts, numbers, true, false and null in an enum.'
  }
  if (mergeAllOf(schema) === null)
    return 'This model takes no allOf whose parts are references, or differ. Write out what they say.'
  return isOpen(schema)
    ? 'This model writes no members that the schema does not name. Name them in properties, or take a list of names and values.'
    : null
}

/** An object of which nobody says what is in it, or a map. What is open beside named members is closed. */
function isOpen(schema: JsonObject): boolean {
  const { properties, additionalProperties: others } = schema
  if (isJsonObject(others) && Object.keys(others).length > 0) return true
  const isNamed = properties !== undefined || 'allOf' in schema
  return isObjectSchema(schema) && !isNamed && others !== false
}

export function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || asList(type).includes('object') || (type === undefined && properties !== undefined)
}

type Inner = { readonly step: string; readonly inner: unknown }

function innerSchemas(schema: JsonObject): Inner[] {
  const { properties, items } = schema
  const named = isJsonObject(properties) ? Object.entries(properties) : []
  return [
    ...named.map(([name, inner]) => ({ step: isPlainName(name) ? `.properties.${name}` : '.properties', inner })),
    ...(items === undefined || Array.isArray(items) ? [] : [{ step: '.items', inner: items }]),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      asList(schema[keyword]).map((inner, at) => ({ step: `.${keyword}[${at}]`, inner })),
    ),
  ]
}
