// JSON Schemas as providers take them: what is enforced stays, what is not known is told to the model, what cannot be had
// is refused by its place.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anthropicSchemaRules } from '../../../src/providers/anthropic/encode.ts'
import { geminiSchemaRules } from '../../../src/providers/google/encode.ts'
import { asList, subschemas } from '../../../src/providers/json-schema/schema-references.ts'
import { translateSchema } from '../../../src/providers/json-schema/translate-schema.ts'
import { parseJsonObject } from '../../../src/providers/lossless-json.ts'
import { isJsonObject, type JsonObject } from '../../../src/platform/json.ts'

/** As it comes from a body, where no two schemas are the same object. */
const asSent = (schema: JsonObject): JsonObject => parseJsonObject(JSON.stringify(schema)) ?? {}

function translate(schema: JsonObject, rules = anthropicSchemaRules): JsonObject {
  const translated = translateSchema(asSent(schema), rules)
  if (!translated.ok) throw new Error(`refused: ${translated.fault.path} ${translated.fault.message}`)
  return translated.schema
}
function faultPath(schema: JsonObject, rules = anthropicSchemaRules): string | null {
  const translated = translateSchema(asSent(schema), rules)
  return translated.ok ? null : translated.fault.path
}

const namesOf = (value: unknown): string[] => (isJsonObject(value) ? Object.keys(value) : [])

const text = { type: 'string' }
const closed = { type: 'object', properties: { a: text }, additionalProperties: false }
const open = { type: 'object', properties: { a: text } }

describe('where objects must be closed', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['at the top', open, closed],
    ['where others are allowed beside those named', { ...open, additionalProperties: true }, closed],
    ['as an empty schema says too', { ...open, additionalProperties: {} }, closed],
    ['in a property', { ...open, properties: { a: open } }, { ...closed, properties: { a: closed } }],
    ['in a list', { type: 'array', items: open }, { type: 'array', items: closed }],
    ['in a choice', { anyOf: [open, text] }, { anyOf: [closed, text] }],
    ['in oneOf, which is a choice', { oneOf: [open, text] }, { anyOf: [closed, text] }],
    ['that may be null', { ...open, type: ['object', 'null'] }, { ...closed, type: ['object', 'null'] }],
    ['that only its properties show', { properties: { a: text } }, closed],
    ['without members', { type: 'object', properties: {} }, { ...closed, properties: {} }],
  ])('they are closed %s', (_, schema, expected) => expect(translate(schema)).toEqual(expected))

  it('in definitions, each of which is written once, wherever it stood', () => {
    const schema = {
      type: 'object',
      properties: { first: open, second: { $ref: '#/properties/first' }, third: { $ref: '#/$defs/Third' } },
      $defs: { Third: open, Unused: open },
    }
    expect(translate(schema)).toEqual({
      type: 'object',
      properties: {
        first: { $ref: '#/$defs/first' },
        second: { $ref: '#/$defs/first' },
        third: { $ref: '#/$defs/Third' },
      },
      additionalProperties: false,
      $defs: { first: closed, Third: closed },
    })
  })

  it('and a schema that is only a reference is what it leads to', () => {
    expect(translate({ $ref: '#/definitions/A', definitions: { A: open } })).toEqual(closed)
  })
})

describe('what a provider does not know', () => {
  it('moves into the description, behind what that says', () => {
    expect(translate({ type: 'integer', description: 'A number', minimum: 1, multipleOf: 2 })).toEqual({
      type: 'integer',
      description: 'A number\n\n{"minimum":1,"multipleOf":2}',
    })
    expect(translate({ type: 'array', items: text, minItems: 2 })).toEqual({
      type: 'array',
      items: text,
      description: '{"minItems":2}',
    })
    expect(translate({ type: 'string', format: 'phone', pattern: '^0' })).toEqual({
      type: 'string',
      description: '{"format":"phone","pattern":"^0"}',
    })
  })

  it('stays where it is enforced', () => {
    const enforced = { type: 'array', minItems: 1, items: { type: 'string', format: 'date' }, title: 'Days' }
    expect(translate(enforced)).toEqual(enforced)
    expect(translate({ const: 'x' })).toEqual({ const: 'x' })
    const bounded = { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 4 }
    expect(translate(bounded, geminiSchemaRules)).toEqual(bounded)
  })

  it('is not told where it says nothing of what is valid', () => {
    const noted = { ...closed, $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', $comment: 'y' }
    expect(translate(noted)).toEqual(closed)
  })

  it('is other things at Gemini, which takes a constant as a choice of one, tuples and maps', () => {
    const map = { type: 'object', additionalProperties: { type: 'number' } }
    expect(translate(map, geminiSchemaRules)).toEqual(map)
    expect(translate({ const: 'x' }, geminiSchemaRules)).toEqual({ enum: ['x'] })
    expect(translate({ type: 'array', prefixItems: [text] }, geminiSchemaRules)).toMatchObject({ prefixItems: [text] })
    expect(translate({ type: 'string', minLength: 2 }, geminiSchemaRules)).toEqual({
      type: 'string',
      description: '{"minLength":2}',
    })
  })
})

describe('allOf', () => {
  it('is written out as one schema, since closed parts would exclude each other', () => {
    const b = { properties: { b: text }, required: ['b'] }
    expect(translate({ allOf: [{ ...open, required: ['a'] }, b], description: 'Both' })).toEqual({
      ...closed,
      properties: { a: text, b: text },
      required: ['a', 'b'],
      description: 'Both',
    })
  })

  it('of one reference is that reference', () => {
    const schema = { ...open, properties: { a: { allOf: [{ $ref: '#/$defs/A' }] } }, $defs: { A: text } }
    expect(translate(schema)).toMatchObject({ properties: { a: { $ref: '#/$defs/A' } } })
  })

  it('keeps what its parts say of no properties', () => {
    expect(translate({ allOf: [{ type: 'object', properties: {} }] })).toEqual({ ...closed, properties: {} })
  })

  it('whose parts differ is told to Gemini and refused elsewhere', () => {
    const differing = { allOf: [{ type: 'string' }, { type: 'number' }] }
    expect(translate(differing, geminiSchemaRules)).toEqual({ description: JSON.stringify(differing) })
    expect(faultPath({ ...open, properties: { a: differing } })).toBe('.properties.a')
  })
})

describe('a schema is refused by its place', () => {
  const self = { type: 'object', properties: { next: { $ref: '#' } } }
  const ring = {
    $ref: '#/$defs/A',
    $defs: {
      A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } },
      B: { type: 'array', items: { $ref: '#/$defs/A' } },
    },
  }
  it.each<[string, JsonObject, string]>([
    ['that says nothing', {}, ''],
    ['with a property of any kind', { ...open, properties: { a: {} } }, '.properties.a'],
    ['with a property that is no schema', { ...open, properties: { a: true } }, '.properties.a'],
    ['with a map', { ...open, properties: { a: { type: 'object', additionalProperties: text } } }, '.properties.a'],
    ['with an object of nobody knows what', { type: 'array', items: { type: 'object' } }, '.items'],
    ['with objects to choose from', { ...open, properties: { a: { enum: [{}] } } }, '.properties.a'],
    ['in a choice', { anyOf: [text, { type: 'object' }] }, '.anyOf[1]'],
    ['in a definition', { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: {} } }, '.$defs.A'],
    ['under a name that is not repeated', { ...open, properties: { 'my aunt': {} } }, '.properties'],
    [
      'in a definition whose name is not repeated',
      { anyOf: [{ $ref: '#/$defs/0871234' }], $defs: { '0871234': {} } },
      '.$defs',
    ],
    ['that refers to itself', self, ''],
    ['that refers to itself by way of another', ring, ''],
    ['that refers to nothing', { ...open, properties: { a: { $ref: '#/$defs/A' } } }, ''],
    ['that refers elsewhere', { ...open, properties: { a: { $ref: 'https://a.test/b.json' } } }, ''],
    ['that refers to a reference of its own', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }, ''],
  ])('%s', (_, schema, path) => expect(faultPath(schema)).toBe(path))

  it('but may refer to itself at Gemini', () => {
    expect(translate(self, geminiSchemaRules)).toEqual(self)
    expect(faultPath(ring, geminiSchemaRules)).toBeNull()
  })
})

/** Generates schemas of at most so many levels. */
function schemas(levels: number): fc.Arbitrary<JsonObject> {
  if (levels === 0) return fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'object' }, { $ref: '#' }, {})
  const inner = schemas(levels - 1)
  const some = fc.array(inner, { maxLength: 2 })
  return fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string', ['object', 'null']),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'type'), inner, { maxKeys: 3 }),
      items: fc.oneof(inner, fc.constant(true)),
      anyOf: some,
      oneOf: some,
      allOf: some,
      additionalProperties: fc.oneof(fc.boolean(), inner),
      $ref: fc.constantFrom('#/properties/a', '#/$defs/A', '#/anyOf/0', '#/nothing'),
      $defs: fc.record({ A: inner }),
      enum: fc.constant(['x', null]),
      minLength: fc.nat(9),
      description: fc.constant('Said'),
    },
    { requiredKeys: [] },
  )
}

/** Hardly any of these can be translated. */
const anySchema = schemas(3).map(asSent)

/** Generates schemas that every model takes, of at most so many levels. */
function usable(levels: number): fc.Arbitrary<JsonObject> {
  const leaf = fc.oneof(
    fc.record({ type: fc.constant('string'), minLength: fc.nat(9), format: fc.constantFrom('date', 'colour') }),
    fc.record({ type: fc.constant('integer'), minimum: fc.integer(), description: fc.constant('Said') }),
    fc.constantFrom<JsonObject>({ enum: ['x', null] }, { const: 1 }, { $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }),
  )
  if (levels === 0) return leaf
  const inner = usable(levels - 1)
  const object = fc.record(
    {
      type: fc.constantFrom<unknown>('object', ['object', 'null']),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'type', '$ref'), inner, { minKeys: 1, maxKeys: 3 }),
      required: fc.constant(['a']),
      additionalProperties: fc.boolean(),
      description: fc.constant('Said'),
    },
    { requiredKeys: ['type', 'properties'] },
  )
  const some = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    leaf,
    object,
    fc.record({ type: fc.constant('array'), items: inner, minItems: fc.nat(3) }),
    fc.record({ anyOf: some }),
    fc.record({ oneOf: some, title: fc.constant('Said') }),
    fc.record({ allOf: fc.tuple(object) }),
  )
}

const usableSchema = fc
  .record({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), usable(3), { minKeys: 1 }),
    $defs: fc.record({ A: usable(0).filter((leaf) => !('$ref' in leaf)), B: fc.constant({ $ref: '#/$defs/A' }) }),
  })
  .map(asSent)

function everySchema(schema: JsonObject): JsonObject[] {
  const { $defs } = schema
  const defined = isJsonObject($defs) ? Object.values($defs).filter(isJsonObject) : []
  return [schema, ...[...subschemas(schema), ...defined].flatMap(everySchema)]
}

describe('whatever the schema', () => {
  it('every model takes one that says what it wants', () => {
    fc.assert(
      fc.property(usableSchema, fc.constantFrom(anthropicSchemaRules, geminiSchemaRules), (schema, rules) => {
        expect(translateSchema(schema, rules)).toMatchObject({ ok: true })
      }),
      { numRuns: 300 },
    )
  })

  it('what Anthropic is sent is closed, says what it is, and refers to what is there', () => {
    fc.assert(
      fc.property(fc.oneof(anySchema, usableSchema), (schema) => {
        const translated = translateSchema(schema, anthropicSchemaRules)
        if (!translated.ok) return
        const names = namesOf(translated.schema['$defs'])
        for (const part of everySchema(translated.schema)) {
          if (part['type'] === 'object') expect(part['additionalProperties']).toBe(false)
          expect(['type', 'enum', 'const', 'anyOf', '$ref'].some((keyword) => keyword in part)).toBe(true)
          if ('$ref' in part) expect(names.map((name) => `#/$defs/${name}`)).toContain(part['$ref'])
          expect(Object.keys(part)).not.toContain('oneOf')
        }
      }),
      { numRuns: 500 },
    )
  })

  it('what is sent would be taken again, and has nothing beside a reference', () => {
    fc.assert(
      fc.property(
        fc.oneof(anySchema, usableSchema),
        fc.constantFrom(anthropicSchemaRules, geminiSchemaRules),
        (schema, rules) => {
          const once = translateSchema(schema, rules)
          if (!once.ok) return true
          const references = everySchema(once.schema).filter((part) => '$ref' in part)
          for (const part of references) expect(Object.keys(part)).toEqual(['$ref'])
          return translateSchema(once.schema, rules).ok
        },
      ),
      { numRuns: 500 },
    )
  })

  it('its own members are left as they are', () => {
    fc.assert(
      fc.property(fc.oneof(anySchema, usableSchema), (schema) => {
        const before = JSON.stringify(schema)
        translateSchema(schema, anthropicSchemaRules)
        translateSchema(schema, geminiSchemaRules)
        return JSON.stringify(schema) === before
      }),
    )
  })

  it('even a very long chain of references, or a wide allOf, is answered', () => {
    const links: (readonly [string, JsonObject])[] = Array.from(
      { length: 20_000 },
      (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }] as const,
    )
    const chain = {
      type: 'array',
      items: { $ref: '#/$defs/d0' },
      $defs: Object.fromEntries([...links, ['d20000', text]]),
    }
    expect(translateSchema(chain, anthropicSchemaRules).ok).toBe(true)
    const parts = Array.from({ length: 20_000 }, (_, at) => ({
      properties: { [`p${at}`]: text },
      required: [`p${at}`],
    }))
    expect(asList(translate({ allOf: parts })['required'])).toHaveLength(20_000)
  })

  it('parts within parts, each beside others, are gone through once', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, text]))
    let schema: JsonObject = { properties: many }
    for (let level = 0; level < 40; level++) {
      const others = Array.from({ length: 30 }, (_, at) => ({ properties: { [`q${level}_${at}`]: text } }))
      schema = { allOf: [schema, ...others] }
    }
    expect(namesOf(translate(schema)['properties'])).toHaveLength(10_000 + 40 * 30)
  })

  it('definitions whose names are taken get others, however many they are', () => {
    const places = Array.from({ length: 10_000 }, (_, at) => at)
    const taken = places.map((at) => [`a-${10_000 + at}`, text] as const)
    const named = places.map((at) => [`x${at}`, { a: text }] as const)
    const anyOf = [...named.map(([name]) => `${name}/a`), ...taken.map(([name]) => name)].map((name) => ({
      $ref: `#/$defs/${name}`,
    }))
    const { $defs } = translate({ anyOf, $defs: Object.fromEntries([...taken, ...named]) })
    expect(namesOf($defs)).toHaveLength(20_000)
  })

  it.each(['allOf', 'not'])('is not written out many times by references into %s', (keyword) => {
    let inner: JsonObject = { ...open, description: 'x'.repeat(1_000) }
    for (let level = 0; level < 20; level++)
      inner = { [keyword]: keyword === 'allOf' ? [inner] : inner, type: 'object' }
    const step = keyword === 'allOf' ? '/allOf/0' : '/not'
    const anyOf = Array.from({ length: 20 }, (_, at) => ({ $ref: `#/$defs/A${step.repeat(at)}` }))
    const schema = { anyOf, $defs: { A: inner } }
    expect(faultPath(schema)).toBe('')
    expect(faultPath(schema, geminiSchemaRules)).toBe('')
  })
})
