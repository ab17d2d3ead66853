// A caller's JSON Schema as a provider takes it. What a provider enforces stands as it is; what it does not know moves
// into the description, where the model reads it; what it cannot have at all is refused before (schema-fault.ts).
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import { mergeAllOf } from './all-of.ts'
import { readReferences, type References } from './references.ts'
import { findSchemaFault, isObjectSchema, type SchemaFault } from './schema-fault.ts'
import type { SchemaRules } from './schema-rules.ts'
import { asList } from './subschemas.ts'

export type TranslatedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly fault: SchemaFault }

export function translateSchema(document: JsonObject, rules: SchemaRules): TranslatedSchema {
  const references = readReferences(document)
  if (references === null) return { ok: false, fault: { path: '', message: LEADS_NOWHERE } }
  const fault = findSchemaFault(document, references, rules)
  return fault === null ? { ok: true, schema: translateDocument(references, rules) } : { ok: false, fault }
}

const LEADS_NOWHERE = 'A $ref must lead to a definition within the schema.'

/** Each schema that a reference leads to is defined once, and referred to wherever it stands. */
function translateDocument({ root, names, targetOf }: References, rules: SchemaRules): JsonObject {
  const refer = (target: JsonObject): JsonObject => ({
    $ref: target === root ? '#' : `#/$defs/${names.get(target) ?? ''}`,
  })

  function translate(schema: unknown): unknown {
    if (!isJsonObject(schema)) return schema
    return names.has(schema) ? refer(schema) : translateOwn(schema)
  }

  function translateOwn(schema: JsonObject): JsonObject {
    const target = targetOf(schema)
    if (target !== null) return refer(target)
    const merged = mergeAllOf(schema)
    if (merged !== null && merged !== schema && '$ref' in merged) return translateOwn(merged)
    return translateParts(merged ?? schema)
  }

  function translateParts(schema: JsonObject): JsonObject {
    const { description, ...members } = schema
    const sent: Record<string, unknown> = {}
    const left: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(withType(members))) {
      if (SILENT.has(keyword)) continue
      const part = translateKeyword(keyword, value)
      if (part === null) left[keyword] = value
      else Object.assign(sent, part)
    }
    if (rules.closed && isObjectSchema(schema)) sent['additionalProperties'] = false
    const told = describe(description, left)
    return told === null ? sent : { ...sent, description: told }
  }

  /** null where the provider has nothing of the kind. */
  function translateKeyword(keyword: string, value: unknown): JsonObject | null {
    switch (keyword) {
      case 'properties':
        return { properties: isJsonObject(value) ? translateMap(value) : value }
      case 'items':
        return Array.isArray(value) ? null : { items: translate(value) }
      case 'anyOf':
        return { anyOf: asList(value).map(translate) }
      case 'prefixItems':
        return rules.tuples ? { prefixItems: asList(value).map(translate) } : null
      case 'additionalProperties':
        return rules.closed ? {} : { additionalProperties: translate(value) }
      case 'required':
        return { required: value }
      case 'const':
        if (rules.enforces(keyword, value)) return { const: value }
        return typeof value === 'string' || typeof value === 'number' ? { enum: [value] } : null
      default:
        return rules.enforces(keyword, value) ? { [keyword]: value } : null
    }
  }

  const translateMap = (schemas: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, translate(schema)]))

  const defined = [...names].filter(([schema]) => schema !== root)
  const $defs = Object.fromEntries(defined.map(([schema, name]) => [name, translateOwn(schema)]))
  return defined.length === 0 ? translateOwn(root) : { ...translateOwn(root), $defs }
}

/** Definitions stand apart; the others say nothing of what is valid. */
const SILENT: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  'discriminator',
])

/** A type where the other members tell it, and one word for a choice. */
function withType(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema
  const choice = oneOf === undefined ? {} : 'anyOf' in schema ? { oneOf } : { anyOf: oneOf }
  if (schema['type'] !== undefined) return { ...rest, ...choice }
  if (schema['properties'] !== undefined) return { type: 'object', ...rest, ...choice }
  return schema['items'] === undefined ? { ...rest, ...choice } : { type: 'array', ...rest, ...choice }
}

function describe(description: unknown, left: JsonObject): string | null {
  const texts = [
    ...(typeof description === 'string' ? [description] : []),
    ...(Object.keys(left).length === 0 ? [] : [JSON.stringify(left)]),
  ]
  return texts.length === 0 ? null : texts.join('\n\n')
}
