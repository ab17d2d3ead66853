// Makes the first value that a JSON schema allows, for the emulator's tool arguments and structured answers. It supports the
// subset of JSON Schema that providers accept for structured output.

import type { JsonObject } from './model-request.ts'
import { valuesIn, type PromptValues } from './prompt-values.ts'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the type. Google's older schemas write it in capitals; a list of types means the first that is not null. */
function typeOf(schema: JsonObject): string {
  const { type } = schema
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string')
  const lower = names.map((name) => name.toLowerCase())
  return lower.find((name) => name !== 'null') ?? lower[0] ?? (isObject(schema['properties']) ? 'object' : 'string')
}

const PLAIN = 'emulator'
/** The most characters of a value. A short schema can demand a huge value, if each definition uses the next one twice. */
const MOST_CHARACTERS = 100_000
const MOST_DEFINITIONS_DEEP = 100

/**
 * Returns a value that the schema allows, with the numbers and quoted texts of the prompt that fit. All else is the first value that
 * fits, in which strings name the emulator. A value over the size limit is cut.
 */
export function sampleJson(schema: unknown, prompt = ''): unknown {
  return sampleWithin(schema, {
    root: schema,
    open: [],
    budget: { left: MOST_CHARACTERS },
    values: valuesIn(prompt),
  })
}

type SampleContext = {
  readonly root: unknown
  /** The definitions that are being written, so that a schema that contains itself ends. */
  readonly open: readonly unknown[]
  /** The approximate number of characters that all parts together may still write. */
  readonly budget: { left: number }
  readonly values: PromptValues
}

function spend({ budget }: SampleContext, characters: number): void {
  budget.left = Math.max(0, budget.left - characters)
}

function sampleWithin(schema: unknown, context: SampleContext): unknown {
  spend(context, PLAIN.length)
  if (!isObject(schema) || context.budget.left === 0) return PLAIN
  const inner = (part: unknown): unknown => sampleWithin(part, context)
  if ('$ref' in schema) return sampleDefinition(schema['$ref'], context)
  if ('const' in schema) return sampleFixed(schema['const'], context)
  if (Array.isArray(schema['enum'])) return sampleFixed(schema['enum'][0], context)
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(alternatives))
    return inner(alternatives.find((part) => !isRecursive(part, context)) ?? alternatives[0])
  if (Array.isArray(schema['allOf'])) return sampleAll(schema['allOf'].map(inner))
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, context)
    case 'array':
      return isRecursive(schema['items'], context) ? [] : sampleList(schema, context)
    case 'integer':
    case 'number':
      return context.values.takeNumber((value) => fitsNumber(value, schema)) ?? sampleNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return sampleText(schema, context)
  }
}

function sampleDefinition(reference: unknown, context: SampleContext): unknown {
  const { root, open } = context
  if (open.includes(reference) || open.length === MOST_DEFINITIONS_DEEP) return PLAIN
  return sampleWithin(resolveReference(root, reference), { ...context, open: [...open, reference] })
}

function sampleFixed(value: unknown, context: SampleContext): unknown {
  spend(context, JSON.stringify(value)?.length ?? 0)
  return value
}

function sampleList(schema: JsonObject, context: SampleContext): unknown[] {
  const length = Math.min(Math.max(1, numberIn(schema, 'minItems')), 1 + Math.floor(context.budget.left / PLAIN.length))
  spend(context, length * PLAIN.length)
  return Array.from({ length }, () => sampleWithin(schema['items'], context))
}

const isRecursive = (schema: unknown, { open }: SampleContext): boolean =>
  isObject(schema) && open.includes(schema['$ref'])

/** Resolves a reference such as `#/$defs/name` within the schema. Returns undefined if its target is missing. */
function resolveReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  const steps = reference.split('/').slice(1)
  return steps.reduce<unknown>((value, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(value) || Array.isArray(value) ? Reflect.get(value, name) : undefined
  }, root)
}

function numberIn(schema: JsonObject, name: string, otherwise = 0): number {
  const value = schema[name]
  return typeof value === 'number' ? value : otherwise
}

function sampleAll(parts: readonly unknown[]): unknown {
  return parts.every(isObject) ? Object.assign({}, ...parts) : parts[0]
}

/** Fills the required properties, or all of them if the schema does not say. */
function sampleObject(schema: JsonObject, context: SampleContext): JsonObject {
  const { properties, required } = schema
  if (!isObject(properties)) return {}
  const names = Array.isArray(required) ? required.map(String) : Object.keys(properties)
  spend(context, names.join('').length)
  return Object.fromEntries(names.map((name) => [name, sampleWithin(properties[name], context)]))
}

function sampleNumber(schema: JsonObject): number {
  if (typeof schema['minimum'] === 'number') return schema['minimum']
  if (typeof schema['exclusiveMinimum'] === 'number') return schema['exclusiveMinimum'] + 1
  return typeof schema['maximum'] === 'number' ? Math.min(1, schema['maximum']) : 1
}

const fitsNumber = (value: number, schema: JsonObject): boolean =>
  (typeOf(schema) === 'number' || Number.isInteger(value)) &&
  value >= numberIn(schema, 'minimum', -Infinity) &&
  value <= numberIn(schema, 'maximum', Infinity) &&
  value > numberIn(schema, 'exclusiveMinimum', -Infinity) &&
  value < numberIn(schema, 'exclusiveMaximum', Infinity) &&
  !('multipleOf' in schema)

const fitsText = (text: string, schema: JsonObject, longest: number): boolean =>
  text.length >= numberIn(schema, 'minLength') && text.length <= longest && !('pattern' in schema)

const BY_FORMAT: ReadonlyMap<unknown, string> = new Map([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['duration', 'PT1S'],
  ['email', 'emulator@emulator.invalid'],
  ['hostname', 'emulator.invalid'],
  ['uri', 'https://emulator.invalid/'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
])

function sampleText(schema: JsonObject, context: SampleContext): string {
  const known = BY_FORMAT.get(schema['format'])
  if (known !== undefined) return known
  const longest = numberIn(schema, 'maxLength', Infinity)
  const shortest = Math.min(numberIn(schema, 'minLength'), context.budget.left)
  const text =
    context.values.takeText((value) => fitsText(value, schema, longest)) ??
    PLAIN.padEnd(shortest, ' emulator').slice(0, longest)
  spend(context, text.length)
  return text
}
