// What Anthropic compiles into a grammar of JSON Schema, for `output_config.format` and for strict tools alike: closed
// objects, no bounds, no recursion, and a budget of optional members and unions over the whole request.

import { isRecursive, schemaParts } from '../json-schema.ts'
import { isObject, referenced } from '../sample-json.ts'
import type { JsonObject } from '../turn.ts'

const REFUSED: ReadonlySet<string> = new Set(
  [
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength',
    'maxItems uniqueItems contains minContains maxContains prefixItems unevaluatedItems',
    'minProperties maxProperties patternProperties propertyNames dependentRequired dependentSchemas',
    'unevaluatedProperties oneOf not if then else',
  ].flatMap((names) => names.split(' ')),
)
const FORMATS: ReadonlySet<unknown> = new Set(
  'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '),
)
const UNTYPED = ['$ref', 'anyOf', 'allOf', 'enum', 'const'] as const
/** Backreferences, look-around and word boundaries. */
const REFUSED_PATTERN = /\\[1-9bB]|\(\?[=!<]/

/** The rule that the schema breaks, or null. */
export function anthropicSchemaFault(schema: unknown): string | null {
  for (const part of schemaParts(schema)) {
    const fault = partFault(schema, part.schema)
    if (fault !== null) return fault
  }
  return isRecursive(schema) ? "a '$ref' leads back to itself" : null
}

function partFault(root: unknown, part: JsonObject): string | null {
  const type = typeName(part)
  const refused = Object.keys(part).filter((key) => REFUSED.has(key))
  const [first] = refused
  if (refused.length > 1) return `'${type}' type: properties ${refused.toSorted().join(', ')} are not taken`
  if (first !== undefined) return `'${type}' type: property '${first}' is not taken`
  if (type === 'object' && part['additionalProperties'] !== false) {
    return "'object' type: 'additionalProperties' is not false"
  }
  if ((part['minItems'] ?? 0) !== 0 && part['minItems'] !== 1) {
    return "'array' type: 'minItems' is neither 0 nor 1"
  }
  if (part['format'] !== undefined && !FORMATS.has(part['format'])) {
    return "'string' type: this 'format' is not taken"
  }
  if (typeof part['pattern'] === 'string' && REFUSED_PATTERN.test(part['pattern'])) {
    return "'string' type: this 'pattern' is not taken"
  }
  const values: unknown[] = Array.isArray(part['enum']) ? part['enum'] : []
  if (values.some((value) => typeof value === 'object' && value !== null)) return "'enum' takes no objects or lists"
  if (part['$ref'] !== undefined && referenced(root, part['$ref']) === undefined) return "'$ref' leads nowhere"
  return part['type'] === undefined && !UNTYPED.some((key) => key in part) ? 'a schema needs a type' : null
}

function typeName(part: JsonObject): string {
  const { type } = part
  const names: unknown[] = Array.isArray(type) ? type : [type]
  const named = names.find((name) => typeof name === 'string' && name !== 'null')
  return typeof named === 'string' ? named : 'any'
}

const LIMITS = { optional: 24, unions: 16 }

/** What is too much for one grammar in all the schemas of a request taken together, or null. */
export function grammarFault(schemas: readonly unknown[]): string | null {
  const parts = schemas.flatMap((schema) => [...schemaParts(schema)].map((part) => part.schema))
  const optional = parts.reduce((sum, part) => sum + optionalIn(part), 0)
  if (optional > LIMITS.optional) {
    return `${optional} optional members in all schemas, of ${LIMITS.optional} at most`
  }
  const unions = parts.filter((part) => Array.isArray(part['anyOf']) || Array.isArray(part['type'])).length
  if (unions > LIMITS.unions) {
    return `${unions} unions in all schemas, of ${LIMITS.unions} at most`
  }
  return null
}

function optionalIn({ properties, required }: JsonObject): number {
  if (!isObject(properties)) return 0
  const names = new Set<unknown>(Array.isArray(required) ? required : [])
  return Object.keys(properties).filter((name) => !names.has(name)).length
}
