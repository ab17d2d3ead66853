// Translates a caller's JSON Schema for a provider. Enforced keywords stay, unknown ones move into the description, which the
// model reads. Schemas that a provider cannot take are refused first.
import { isPlainName } from '../../platform/errors.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { byteLength, MOST_LEVELS } from '../lossless-json.ts'
import {
  asList,
  mergeParts,
  partsOf,
  readReferences,
  SILENT_KEYWORDS,
  soleReference,
  subschemas,
  type References,
} from './schema-references.ts'

type TranslatedSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly fault: SchemaFault }

/** @see https://json-schema.org/draft/2020-12 */
export function translateSchema(document: JsonObject, rules: SchemaRules): TranslatedSchema {
  const references = readReferences(document)
  if (references === null) return { ok: false, fault: { path: '', message: LEADS_NOWHERE } }
  const fault = findSchemaFault(document, references, rules)
  return fault === null ? { ok: true, schema: translateDocument(references, rules) } : { ok: false, fault }
}

const LEADS_NOWHERE = 'A $ref must lead to a definition within the schema.'

/**
 * Defines each schema that a reference leads to once, and refers to it everywhere. Where a reference has keywords beside it, a
 * closed schema has both written out as one. Another has the reference in an `anyOf` of its own: Gemini takes nothing beside a `$ref`.
 */
function translateDocument({ root, names, targetOf }: References, rules: SchemaRules): JsonObject {
  // A text for the model may refer to any of them.
  const referred = new Set<JsonObject>(rules.closed ? [] : names.keys())

  function refer(target: JsonObject): JsonObject {
    if (target === root) return { $ref: '#' }
    referred.add(target)
    return { $ref: `#/$defs/${names.get(target) ?? ''}` }
  }

  function translate(schema: unknown): unknown {
    if (!isJsonObject(schema)) return schema
    return names.has(schema) ? refer(schema) : translateOwn(schema)
  }

  function translateOwn(schema: JsonObject): JsonObject {
    const sole = soleReference(schema)
    const target = sole === null ? null : targetOf(sole)
    if (target !== null) return refer(target)
    if (rules.closed) return translateParts(mergeParts(schema, targetOf) ?? schema)
    const { reference, beside } = splitReference(schema)
    return translateParts(mergeParts(beside, () => null) ?? beside, reference)
  }

  function splitReference(schema: JsonObject): { reference: unknown; beside: JsonObject } {
    const { $ref, ...beside } = schema
    const target = $ref === undefined ? null : targetOf(schema)
    if (target !== null) return { reference: refer(target), beside }
    const { allOf, ...others } = schema
    const [only, ...further] = asList(allOf)
    const isReference = isJsonObject(only) && '$ref' in only && further.length === 0
    return isReference ? { reference: translate(only), beside: others } : { reference: null, beside: schema }
  }

  /** @param reference sent as the `anyOf`, if there is one */
  function translateParts(schema: JsonObject, reference: unknown = null): JsonObject {
    const { description, ...members } = schema
    const sent: Record<string, unknown> = {}
    const left: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(withType(members))) {
      if (SILENT_KEYWORDS.has(keyword)) continue
      const part = keyword === 'anyOf' && reference !== null ? null : translateKeyword(keyword, value)
      if (part === null) left[keyword] = value
      else Object.assign(sent, part)
    }
    if (reference !== null) sent['anyOf'] = [reference]
    if (rules.closed && isObjectSchema(schema)) sent['additionalProperties'] = false
    const told = describe(description, left)
    return told === null ? sent : { ...sent, description: told }
  }

  /** Returns null if the provider has no such keyword. */
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

  const translated = translateOwn(root)
  const defined: [string, JsonObject][] = []
  referred.delete(root)
  // Translating one may add others.
  for (const schema of referred) defined.push([names.get(schema) ?? '', translateOwn(schema)])
  return defined.length === 0 ? translated : { ...translated, $defs: Object.fromEntries(defined) }
}

/** Adds a type if other members imply it, and replaces `oneOf` by `anyOf`. */
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

export type SchemaRules = {
  /** Returns true if the provider enforces a keyword that holds no schema, with this value. Others become a text for the model. */
  readonly enforces: (keyword: string, value: unknown) => boolean
  /**
   * True if an object has exactly the members that it lists, and every schema has a type. Then maps and values of any kind are
   * refused.
   */
  readonly closed: boolean
  /** True if `prefixItems` is enforced. */
  readonly tuples: boolean
  /** True if a schema may refer to itself. */
  readonly recursive: boolean
}

type SchemaFault = {
  /** Empty, or it begins with a dot: `.properties.place`. */
  readonly path: string
  readonly message: string
}

function findSchemaFault(document: JsonObject, references: References, rules: SchemaRules): SchemaFault | null {
  if (references.isRecursive && !rules.recursive) {
    return {
      path: '',
      message: 'This model does not support a schema that refers to itself. Write out the levels instead.',
    }
  }
  if (mayGrowTooLarge(document, references)) return { path: '', message: TOO_MANY_REFERENCES }
  if (!rules.closed) return null
  if (sumWrittenOut(document, references) === Infinity) return { path: '', message: TOO_MUCH_WRITTEN_OUT }
  const { root, names, targetOf } = references
  const definitions = [...names].map(([schema, name]) => ({ schema, path: definitionPath(document, name, schema) }))
  for (const { schema, path } of [{ schema: root, path: '' }, ...definitions]) {
    const fault = faultWithin(schema, path, targetOf)
    if (fault !== null) return fault
  }
  return null
}

const TOO_MANY_REFERENCES = 'Too many $ref point to nested schemas. Move those schemas into $defs.'

/**
 * Returns true if the result could become too large. A reference's target may be written again in an allOf or a text. The result
 * is bounded if all targets outside of $defs together are no longer than the document.
 */
function mayGrowTooLarge(document: JsonObject, { root, names }: References): boolean {
  const maps = [document['$defs'], document['definitions']].filter(isJsonObject)
  const apart = new Set<unknown>([root, ...maps.flatMap((map) => Object.values(map))])
  const within = [...names.keys()].filter((schema) => !apart.has(schema))
  let left = within.length === 0 ? 0 : JSON.stringify(document).length
  return within.some((schema) => (left -= JSON.stringify(schema).length) < 0)
}

const TOO_MUCH_WRITTEN_OUT =
  'For this model, references with keywords beside them are written out, and these become too long. Move the keywords into the definitions.'

/** Referenced schemas that are written out in place may have so many bytes more than the document. */
const SPARE_BYTES = 20_000

/** Returns the bytes that a closed schema grows by where its references are written out. */
export function writtenOutBytes(document: JsonObject): number {
  const references = readReferences(document)
  return references === null || references.isRecursive ? 0 : sumWrittenOut(document, references)
}

/** Returns Infinity if the references that are written out in place become too long or too deep. */
function sumWrittenOut(document: JsonObject, { root, names, targetOf }: References): number {
  const most = byteLength(JSON.stringify(document)) + SPARE_BYTES
  let written = 0
  const waiting = [root, ...names.keys()].map((schema) => ({ schema, level: 0 }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema, level } = next
    if (soleReference(schema) !== null) continue
    for (const part of partsOf(schema, targetOf)) {
      if (part !== schema && names.has(part)) written += byteLength(JSON.stringify(part))
      if (written > most || level > MOST_LEVELS) return Infinity
      const inner = subschemas({ ...part, allOf: undefined }).filter((one) => !names.has(one))
      for (const one of inner) waiting.push({ schema: one, level: level + 1 })
    }
  }
  return written
}

/** Returns the caller's path to a definition; empty if it is an unusual one. */
function definitionPath(document: JsonObject, name: string, schema: JsonObject): string {
  const place = ['$defs', 'definitions'].find((keyword) => {
    const map = document[keyword]
    return isJsonObject(map) && map[name] === schema
  })
  if (place === undefined) return ''
  return isPlainName(name) ? `.${place}.${name}` : `.${place}`
}

type TargetOf = References['targetOf']

/** @param isPart true for a part of an allOf: the merge of that outer allOf already covers an allOf of the part */
function faultWithin(schema: unknown, path: string, targetOf: TargetOf, isPart = false): SchemaFault | null {
  if (!isJsonObject(schema)) return { path, message: 'A schema must be an object that says what it describes.' }
  if (soleReference(schema) !== null) return null
  const message = faultOf(schema, isPart ? schema : mergeParts(schema, targetOf))
  if (message !== null) return { path, message }
  for (const { step, inner } of innerSchemas(schema)) {
    const fault = faultWithin(inner, `${path}${step}`, targetOf, step.startsWith('.allOf'))
    if (fault !== null) return fault
  }
  return null
}

const SHAPE_KEYWORDS = ['$ref', 'type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'properties', 'items'] as const

function faultOf(schema: JsonObject, merged: JsonObject | null): string | null {
  if (!SHAPE_KEYWORDS.some((keyword) => keyword in schema)) return 'This model needs a type in every schema.'
  if (asList(schema['enum']).some((value) => typeof value === 'object' && value !== null)) {
    return 'This model takes texts, numbers, true, false and null in an enum.'
  }
  if (merged === null)
    return 'With this model, parts of an allOf and keywords beside a $ref must not differ from each other. Write them out as one schema.'
  return isOpen(merged)
    ? 'This model writes no members that the schema does not name. Name them in properties, or take a list of names and values.'
    : null
}

/** Returns true for a map, or an object without named members. An object that has some is closed instead. */
function isOpen(schema: JsonObject): boolean {
  const { properties, additionalProperties: others } = schema
  if (isJsonObject(others) && Object.keys(others).length > 0) return true
  const isNamed = properties !== undefined || 'allOf' in schema || '$ref' in schema
  return isObjectSchema(schema) && !isNamed && others !== false
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || asList(type).includes('object') || (type === undefined && properties !== undefined)

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
