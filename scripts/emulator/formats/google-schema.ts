// What Gemini takes of schemas. `parameters` and `responseSchema` are a subset of OpenAPI's and a keyword beyond it is an
// unknown field; the JSON Schema members take any keyword and use those that they know, within limits.

import { isRecursive, schemaParts } from '../json-schema.ts'
import { referenced } from '../sample-json.ts'

const FOREIGN = [
  'additionalProperties $schema $defs $ref $id definitions const oneOf allOf not prefixItems examples',
  'exclusiveMinimum exclusiveMaximum multipleOf uniqueItems patternProperties propertyNames',
].flatMap((names) => names.split(' '))

export interface ForeignKeyword {
  /** In the wire's own spelling: `properties[0].value.items`. */
  path: string
  name: string
}

/** The first keyword that OpenAPI's subset has no field for. */
export function foreignKeyword(schema: unknown): ForeignKeyword | null {
  for (const { path, schema: part } of schemaParts(schema)) {
    const name = FOREIGN.find((key) => key in part) ?? (Array.isArray(part['type']) ? 'type' : undefined)
    if (name !== undefined) return { path: protoPath(schema, path), name }
  }
  return null
}

/** A map's entries are a list of keys and values there. */
function protoPath(schema: unknown, path: readonly string[]): string {
  let value = schema
  let written = ''
  let isName = false
  for (const step of path) {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
    if (isName) written += `[${names.indexOf(step)}].value`
    else written += /^\d+$/.test(step) ? `[${step}]` : `${written === '' ? '' : '.'}${toSnake(step)}`
    isName = !isName && step === 'properties'
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
  }
  return written
}

export function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** All array bounds of one schema together; what is above it is refused without a word of why. */
const MOST_ITEMS = 960

/** The rule that a JSON Schema breaks, or null. An empty rule is one that Gemini does not tell. */
export function geminiJsonSchemaFault(schema: unknown): string | null {
  const parts = [...schemaParts(schema)].map((part) => part.schema)
  for (const part of parts) {
    if ('$ref' in part && Object.keys(part).some((key) => !key.startsWith('$')))
      return '$ref stands beside other members'
    if ('$ref' in part && referenced(schema, part['$ref']) === undefined) return '$ref leads nowhere'
  }
  if (isRecursive(schema, true)) return 'a cyclic reference is only possible in an optional property'
  const items = parts.reduce((sum, part) => sum + (typeof part['maxItems'] === 'number' ? part['maxItems'] : 0), 0)
  return items > MOST_ITEMS ? '' : null
}
