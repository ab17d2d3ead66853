// Values for a JSON schema (draft 2020-12, as OpenAPI 3.1 has it): those that fit, and those that nearly do.
import fc from 'fast-check'
import * as z from 'zod'

type Schema = Readonly<Record<string, unknown>>

const SchemaShape = z.record(z.string(), z.unknown())

/** Text and numbers that programs stumble over. */
export const HOSTILE: readonly unknown[] = [
  null,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u2028',
  '../../etc/passwd',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '=1+1',
  'x'.repeat(20_000),
  '💉'.repeat(300),
  '__proto__',
  'constructor',
  0,
  -1,
  -0.5,
  1e308,
  2 ** 53,
  true,
  [],
  [[[[]]]],
  {},
  { __proto__: { a: 1 } },
]

const hostile = fc.constantFrom(...HOSTILE)

/** Any of Unicode. Of fast-check's own `binary` a table of a million characters is made first, which blocks for seconds. */
const character = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((at) => String.fromCodePoint(at < 0xd8_00 ? at : at + 0x8_00))

/** @param document where `$ref` leads */
export function valuesOf(document: Schema, known: readonly string[]) {
  const text = (schema: Schema): fc.Arbitrary<unknown> => {
    const format = schema['format']
    if (format === 'date-time') return fc.constantFrom('2030-01-01T00:00:00Z', '2020-01-01T00:00:00Z', 'tomorrow')
    if (format === 'date') return fc.constantFrom('2026-10-09', '2026-13-40')
    if (format === 'email') return fc.constantFrom('someone@example.org', 'Someone@EXAMPLE.org', 'a@b', 'no address')
    const { minLength = 0, maxLength = 40 } = z
      .object({ minLength: z.number().optional(), maxLength: z.number().optional() })
      .parse(schema)
    const most = Math.max(Math.min(maxLength, minLength + 40), minLength)
    return fc.oneof(
      fc.array(character, { minLength, maxLength: most }).map((characters) => characters.join('')),
      fc.string({ minLength, maxLength: most }),
      fc.constantFrom(...known),
    )
  }

  const fitting = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const inner = (part: unknown): fc.Arbitrary<unknown> => within(SchemaShape.parse(part), depth + 1)
    if (typeof schema['$ref'] === 'string') return inner(resolve(document, schema['$ref']))
    if ('const' in schema) return fc.constant(schema['const'])
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...z.array(z.unknown()).parse(schema['enum']))
    const branches = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(branches)) return fc.oneof(...branches.map(inner))
    if (Array.isArray(schema['allOf'])) {
      return fc.tuple(...schema['allOf'].map(inner)).map((parts) => Object.assign({}, ...parts) as unknown)
    }
    switch (typeOf(schema)) {
      case 'object':
        return members(schema, inner)
      case 'array':
        return fc.array(inner(schema['items'] ?? {}), { maxLength: 3 })
      case 'integer':
        return fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer())
      case 'number':
        return fc.oneof(fc.integer({ min: 0, max: 10 }), fc.double())
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'string':
        return text(schema)
      default:
        return hostile
    }
  }

  /** Now and then something else than what is asked for, at any depth. */
  const within = (schema: Schema, depth: number): fc.Arbitrary<unknown> =>
    depth > 6 ? hostile : fc.oneof({ weight: 12, arbitrary: fitting(schema, depth) }, { weight: 1, arbitrary: hostile })

  return (schema: unknown): fc.Arbitrary<unknown> => within(SchemaShape.parse(schema), 0)
}

/** Generates the required members, mostly the optional ones, and now and then an unknown one. */
function members(schema: Schema, inner: (part: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = SchemaShape.parse(schema['properties'] ?? {})
  const required = z.array(z.string()).parse(schema['required'] ?? [])
  const named = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)]))
  const record = fc.record(named, { requiredKeys: required })
  const unknown = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 20 }), hostile, { maxKeys: 2 }) },
  )
  return fc.tuple(record, unknown).map(([value, more]) => Object.assign(more, value))
}

function typeOf(schema: Schema): unknown {
  const { type } = schema
  return Array.isArray(type) ? type.find((name) => name !== 'null') : type
}

function resolve(document: Schema, reference: string): Schema {
  const steps = reference.slice(2).split('/')
  return steps.reduce<Schema>((place, step) => SchemaShape.parse(place[step]), document)
}
