// What a provider cannot have in a schema, by its place in it.
import { isPlainName } from '../../platform/errors.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
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
  if (isEntangled(document, references)) return { path: '', message: ENTANGLED }
  if (!rules.closed) return null
  const { root, names } = references
  const definitions = [...names].map(([schema, name]) => ({ schema, path: definitionPath(document, name, schema) }))
  for (const { schema, path } of [{ schema: root, path: '' }, ...definitions]) {
    const fault = faultWithin(schema, path)
    if (fault !== null) return fault
  }
  return null
}

const ENTANGLED = 'Too many $ref lead to schemas that stand within one another. Put what they lead to into $defs.'

/**
 * What a reference leads to is written where it is defined, and can be written where it stands as well: as a part of an
 * allOf, or in a text. As long as all that stands elsewhere than in $defs is no longer than the document, neither is that.
 */
function isEntangled(document: JsonObject, { root, names }: References): boolean {
  const maps = [document['$defs'], document['definitions']].filter(isJsonObject)
  const apart = new Set<unknown>([root, ...maps.flatMap((map) => Object.values(map))])
  const within = [...names.keys()].filter((schema) => !apart.has(schema))
  let left = within.length === 0 ? 0 : JSON.stringify(document).length
  return within.some((schema) => (left -= JSON.stringify(schema).length) < 0)
}

/** Where the caller wrote it, if that is a usual place. */
function definitionPath(document: JsonObject, name: string, schema: JsonObject): string {
  const place = ['$defs', 'definitions'].find((keyword) => {
    const map = document[keyword]
    return isJsonObject(map) && map[name] === schema
  })
  if (place === undefined) return ''
  return isPlainName(name) ? `.${place}.${name}` : `.${place}`
}

/** @param isPart of an allOf, which goes together with the others: parts of its own do so too */
function faultWithin(schema: unknown, path: string, isPart = false): SchemaFault | null {
  if (!isJsonObject(schema)) return { path, message: 'A schema must be an object that says what it describes.' }
  if ('$ref' in schema) return null
  const message = faultOf(schema, isPart)
  if (message !== null) return { path, message }
  for (const { step, inner } of innerSchemas(schema)) {
    const fault = faultWithin(inner, `${path}${step}`, step.startsWith('.allOf'))
    if (fault !== null) return fault
  }
  return null
}

const TELLING = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'properties', 'items'] as const

function faultOf(schema: JsonObject, isPart: boolean): string | null {
  if (!TELLING.some((keyword) => keyword in schema)) return 'This model needs a type in every schema.'
  if (asList(schema['enum']).some((value) => typeof value === 'object' && value !== null)) {
    return 'This model takes texts, numbers, true, false and null in an enum.'
  }
  if (!isPart && mergeAllOf(schema) === null)
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
