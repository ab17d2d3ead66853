// Keywords beside a reference of a JSON Schema: they reach every provider in its form, or are refused by their place.
import { describe, expect, it } from 'vitest'
import { anthropicSchemaRules } from '../../../src/providers/anthropic/encode.ts'
import { geminiSchemaRules } from '../../../src/providers/google/encode.ts'
import type { ChatRequest } from '../../../src/providers/chat-request.ts'
import { translateSchema } from '../../../src/providers/json-schema/translate-schema.ts'
import { parseJsonObject } from '../../../src/providers/lossless-json.ts'
import type { Model } from '../../../src/providers/model-catalogue.ts'
import { isJsonObject, type JsonObject } from '../../../src/platform/json.ts'
import { bedrockModel, modelNamed } from '../../fixtures/providers/models.ts'
import { encode, refusedParam } from './encoding.ts'

/** As it comes from a body, where no two schemas are the same object. */
const asSent = (schema: JsonObject): JsonObject => parseJsonObject(JSON.stringify(schema)) ?? {}

const translateSent = (schema: JsonObject, rules = anthropicSchemaRules) => translateSchema(asSent(schema), rules)

function translate(schema: JsonObject, rules = anthropicSchemaRules): JsonObject {
  const translated = translateSent(schema, rules)
  if (!translated.ok) throw new Error(`refused: ${translated.fault.path} ${translated.fault.message}`)
  return translated.schema
}
function faultPath(schema: JsonObject): string | null {
  const translated = translateSent(schema)
  return translated.ok ? null : translated.fault.path
}

const text = { type: 'string' }
const closed = { type: 'object', properties: { a: text }, additionalProperties: false }
const open = { type: 'object', properties: { a: text } }

describe('keywords beside a reference', () => {
  const at = (a: JsonObject, $defs: JsonObject = { A: text }) => ({ type: 'object', properties: { a }, $defs })
  const reference = { $ref: '#/$defs/A' }
  const base = { ...open, required: ['a'], description: 'Base' }

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['that limit it', { ...reference, minLength: 2 }, text, { type: 'string', description: '{"minLength":2}' }],
    ['in a chain of references', { $ref: '#/$defs/B', title: 'x' }, text, { type: 'string', title: 'x' }],
    ['before its own', { ...reference, title: 'x' }, { ...text, title: 'y' }, { type: 'string', title: 'x' }],
    [
      'with members of its own',
      { allOf: [{ ...reference, type: 'object' }, { properties: { b: text } }], description: 'More' },
      base,
      { ...closed, properties: { a: text, b: text }, required: ['a'], description: 'More\n\nBase' },
    ],
  ])('are written out as one with it %s', (_, schema, A, expected) =>
    expect(translate(at(schema, { A, B: { ...reference, $comment: 'c' } }))).toEqual({
      ...closed,
      properties: { a: expected },
    }),
  )

  it.each<[string, JsonObject, JsonObject]>([
    ['that limit it', { ...reference, minItems: 2, minLength: 2 }, { minItems: 2, description: '{"minLength":2}' }],
    [
      'with a choice',
      { ...reference, anyOf: [text], title: 'x' },
      { title: 'x', description: '{"anyOf":[{"type":"string"}]}' },
    ],
    [
      'in a reference that stands apart',
      { allOf: [{ ...reference, title: 'x' }] },
      { anyOf: [{ title: 'x', anyOf: [reference] }] },
    ],
  ])('stay beside it at Gemini, where it is a choice of one: %s', (_, schema, expected) =>
    expect(translate(at(schema), geminiSchemaRules)).toMatchObject({
      properties: { a: { anyOf: [reference], ...expected } },
    }),
  )

  it('are part of the whole schema where it stands at the top, and a definition may still lead to itself', () => {
    const A = { ...open, properties: { a: reference } }
    const schema = { ...reference, description: 'Top', $defs: { A } }
    expect(translate(schema, geminiSchemaRules)).toEqual({ ...A, description: 'Top', $defs: { A } })
    expect(faultPath(schema)).toBe('')
    expect(translate({ ...reference, description: 'Top', $defs: { A: open } })).toEqual({
      ...closed,
      description: 'Top',
    })
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['another type', { ...reference, type: 'number' }, text],
    ['another bound', { ...reference, minLength: 2 }, { ...text, minLength: 1 }],
    ['another member of the name', { ...reference, properties: { a: { type: 'null' } } }, open],
    ['a member of any kind', { ...reference, properties: { a: {} } }, { type: 'object', properties: {} }],
    ['no named members', { ...reference, type: 'object' }, { anyOf: [open] }],
  ])('are refused by their place where the two cannot be one: %s', (_, schema, A) =>
    expect(faultPath(at(schema, { A }))).toMatch(/^\.properties\.a/),
  )

  it('are not written out without end', () => {
    const links = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/A${level + 1}`, description: 'Next' }
      return [`A${level}`, { type: 'object', properties: { a: next, b: next } }] as const
    })
    const doubling = { ...at({ $ref: '#/$defs/A0', title: 'x' }), $defs: { ...Object.fromEntries(links), A40: text } }
    expect(faultPath(doubling)).toBe('')
    expect(JSON.stringify(translate(doubling, geminiSchemaRules)).length).toBeLessThan(10_000)
    const deep = Array.from({ length: 1_000 }, (_, level) => {
      return [`A${level}`, { type: 'array', items: { $ref: `#/$defs/A${level + 1}`, title: 'x' } }] as const
    })
    const long = { ...at({ $ref: '#/$defs/A0', title: 'x' }), $defs: { ...Object.fromEntries(deep), A1000: text } }
    expect(faultPath(long)).toBe('')
    const hop = (level: number) => [`A${level}`, { $ref: `#/$defs/A${level + 1}`, title: 'x' }] as const
    const hops = Object.fromEntries(Array.from({ length: 20_000 }, (_, level) => hop(level)))
    expect(faultPath({ ...at({ $ref: '#/$defs/A0', title: 'x' }), $defs: { ...hops, A20000: text } })).toBe('')
  })
})

describe('words beside a reference', () => {
  const WORDS = 'as told here'
  const reference = { $ref: '#/$defs/A' }
  const tree = { type: 'object', properties: { next: reference }, additionalProperties: false }

  type Form = { readonly a: JsonObject; readonly steps?: readonly string[]; readonly A?: JsonObject }
  const forms: Readonly<Record<string, Form>> = {
    description: { a: { ...reference, description: WORDS } },
    title: { a: { ...reference, title: WORDS } },
    default: { a: { ...reference, default: WORDS } },
    'allOf and description': { a: { description: WORDS, allOf: [reference] } },
    'allOf and default': { a: { default: WORDS, allOf: [reference] } },
    'in items': { a: { type: 'array', items: { ...reference, description: WORDS } }, steps: ['items'] },
    'in anyOf': { a: { anyOf: [{ type: 'null' }, { ...reference, description: WORDS }] }, steps: ['anyOf', '1'] },
    recursive: { a: { ...reference, description: WORDS }, A: tree },
  }

  const FORMAT = 'response_format.json_schema.schema'
  const PARAMETERS = 'tools[0].function.parameters'
  /** For each model: the member that is refused in a tool, a format and a strict tool; null for what is sent. */
  const models: readonly (readonly [Model, readonly (string | null)[], readonly (string | null)[]])[] = [
    ...['gpt-5.6-sol', 'gemini-3.8-flash', 'sonar-pro', 'mistral-medium-3-5'].map(
      (id) => [modelNamed(id), [null, null, null], [null, null, null]] as const,
    ),
    [modelNamed('claude-opus-5'), [null, null, null], [null, FORMAT, PARAMETERS]],
    [
      bedrockModel('claude-opus-5'),
      [null, null, 'tools[0].function.strict'],
      [null, FORMAT, 'tools[0].function.strict'],
    ],
  ]

  /** Returns what stands at `properties.a` of the only schema in a body. */
  function memberIn(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return undefined
    const { properties } = value as JsonObject
    if (isJsonObject(properties) && 'a' in properties) return properties['a']
    return Object.values(value)
      .map(memberIn)
      .find((found) => found !== undefined)
  }

  const step = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

  const cells = models.flatMap(([model, plain, recursive]) =>
    Object.entries(forms).map(([name, form]) => ({ model, name, form, expected: form.A ? recursive : plain })),
  )

  it.each(cells)('reach $model.provider, or are refused: $name', ({ model, form, expected }) => {
    const { a, steps = [], A = text } = form
    const schema = { ...closed, properties: { a }, required: ['a'], $defs: { A } }
    const uses: readonly Partial<ChatRequest>[] = [
      { tools: [{ name: 'look', parameters: schema }] },
      { responseFormat: { type: 'json_schema', name: 'look', schema, strict: true } },
      { tools: [{ name: 'look', parameters: schema, strict: true }] },
    ]
    expect(uses.map((use) => refusedParam(use, model))).toEqual(expected)
    for (const use of uses.filter((_, index) => expected[index] === null)) {
      const member = memberIn(encode(use, model).body)
      if (['openai', 'perplexity', 'mistral'].includes(model.provider)) expect(member).toEqual(a)
      expect(JSON.stringify(steps.reduce(step, member))).toContain(WORDS)
    }
  })
})
