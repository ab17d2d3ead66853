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
  if (!isObject(schema)) return 'emulator'
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(alternatives)) return sampleJson(alternatives[0])
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema)
    case 'array':
      return [sampleJson(schema['items'])]
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

function sampleObject(schema: JsonObject): JsonObject {
  const { properties, required } = schema
  if (!isObject(properties)) return {}
  const names = Array.isArray(required) ? required.map(String) : Object.keys(properties)
  return Object.fromEntries(names.map((name) => [name, sampleJson(properties[name])]))
}
