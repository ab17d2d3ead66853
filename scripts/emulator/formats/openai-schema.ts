// What OpenAI's strict mode takes of JSON Schema: closed objects with every member required, no composition but anyOf,
// and limits on size. The fault is told with its place, as a tuple in brackets.

import { schemaParts } from '../json-schema.ts'
import type { SchemaPart } from '../json-schema.ts'
import { isObject, referenced } from '../sample-json.ts'
import type { JsonObject } from '../turn.ts'

const REFUSED: ReadonlySet<string> = new Set(
  [
    'allOf oneOf not if then else dependentRequired dependentSchemas',
    'minLength maxLength patternProperties propertyNames minProperties maxProperties',
    'unevaluatedProperties unevaluatedItems contains minContains maxContains uniqueItems',
  ].flatMap((names) => names.split(' ')),
)
const FORMATS: ReadonlySet<unknown> = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '))
const LIMITS = { properties: 5000, levels: 10, enumValues: 1000 }

/** The rule that a strict schema breaks, or null. */
export function openAiSchemaFault(schema: JsonObject): string | null {
  if (schema['type'] !== 'object') return 'the type of the schema is not "object"'
  const parts = [...schemaParts(schema)]
  for (const part of parts) {
    const fault = partFault(schema, part)
    if (fault !== null) return `In context=(${part.path.map((step) => `'${step}'`).join(', ')}), ${fault}`
  }
  return sizeFault(parts)
}

function partFault(root: JsonObject, { path, schema }: SchemaPart): string | null {
  const { properties, required } = schema
  if ('$ref' in schema) return referenceFault(root, schema)
  const refused = Object.keys(schema).find((key) => REFUSED.has(key))
  if (refused !== undefined) return `'${refused}' is not allowed`
  if (path.length === 0 && 'anyOf' in schema) return "'anyOf' is not allowed"
  if (!('type' in schema) && !('anyOf' in schema) && !('enum' in schema) && !('const' in schema)) {
    return "'type' is missing"
  }
  if (schema['type'] === 'array' && !isObject(schema['items'])) return "'items' is missing"
  if (schema['format'] !== undefined && !FORMATS.has(schema['format'])) return "this 'format' is not allowed"
  if (schema['type'] !== 'object') return null
  if (schema['additionalProperties'] !== false) {
    return "'additionalProperties' is not false"
  }
  const declared = isObject(properties) ? properties : {}
  const listed = new Set<unknown>(Array.isArray(required) ? required : [])
  const missing = Object.keys(declared).find((name) => !listed.has(name))
  if (missing !== undefined) {
    return `'required' lacks '${missing}'`
  }
  return [...listed].every((name) => Object.hasOwn(declared, String(name)))
    ? null
    : "'required' names what is no property"
}

function referenceFault(root: JsonObject, schema: JsonObject): string | null {
  const beside = Object.keys(schema).filter((key) => key !== '$ref')
  if (beside.length > 0) return `'$ref' stands beside ${beside.map((key) => `'${key}'`).join(', ')}`
  return referenced(root, schema['$ref']) === undefined ? "'$ref' leads nowhere" : null
}

const levelsOf = ({ path }: SchemaPart): number => path.filter((step) => step === 'properties').length

function sizeFault(parts: readonly SchemaPart[]): string | null {
  const properties = parts.filter(({ path }) => path.at(-2) === 'properties').length
  if (properties > LIMITS.properties) return `more than ${LIMITS.properties} properties`
  if (parts.some((part) => levelsOf(part) > LIMITS.levels)) return `more than ${LIMITS.levels} levels`
  const values = parts.flatMap(({ schema }): unknown[] => (Array.isArray(schema['enum']) ? schema['enum'] : []))
  return values.length > LIMITS.enumValues ? `more than ${LIMITS.enumValues} enum values` : null
}
