// A value that fits a JSON schema: the first thing it allows, the same every time. Used for tool arguments and for
// structured answers that are not readings. Knows the subset that the providers accept for structured output.

import type { JsonObject } from './turn.ts'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Google's older schemas write types in capitals; a list of types means the first that is not null. */
function typeOf(schema: JsonObject): string {
  const { type } = schema
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string')
  const lower = names.map((name) => name.toLowerCase())
  return lower.find((name) => name !== 'null') ?? lower[0] ?? (isObject(schema['properties']) ? 'object' : 'string')
}

/** The first value the schema allows; strings say that they come from the emulator. */
export function sampleJson(schema: unknown): unknown {
  return sampleWithin(schema, { root: schema, open: [] })
}

/** `open`: the definitions that are being written, so that a schema that holds itself comes to an end. */
type Place = { root: unknown; open: readonly string[] }

function sampleWithin(schema: unknown, place: Place): unknown {
  if (!isObject(schema)) return 'emulator'
  const { $ref } = schema
  if (typeof $ref === 'string') return sampleDefinition($ref, place)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(alternatives)) return sampleWithin(choose(alternatives, place), place)
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, place)
    case 'array':
      return holdsOpen(schema['items'], place) ? [] : [sampleWithin(schema['items'], place)]
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 'emulator'
  }
}

const sampleDefinition = ($ref: string, { root, open }: Place): unknown =>
  open.includes($ref) ? 'emulator' : sampleWithin(definition(root, $ref), { root, open: [...open, $ref] })

/** What a JSON pointer such as `#/$defs/Item` points to. */
function definition(root: unknown, $ref: string): unknown {
  const steps = $ref.split('/').slice(1)
  return steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), root)
}

const holdsOpen = (schema: unknown, { open }: Place): boolean =>
  isObject(schema) && typeof schema['$ref'] === 'string' && open.includes(schema['$ref'])

/** The first that does not lead back to a definition that is being written. */
const choose = (alternatives: readonly unknown[], place: Place): unknown =>
  alternatives.find((schema) => !holdsOpen(schema, place)) ?? alternatives[0]

function sampleObject(schema: JsonObject, place: Place): JsonObject {
  const { properties, required } = schema
  if (!isObject(properties)) return {}
  const names = Array.isArray(required) ? required.map(String) : Object.keys(properties)
  return Object.fromEntries(names.map((name) => [name, sampleWithin(properties[name], place)]))
}
