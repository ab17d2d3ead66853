// The values that the emulator makes of a JSON schema, judged by a validator of its own.
import Ajv from 'ajv'
import { describe, expect, it } from 'vitest'
import { isAbout, quotedNames } from '../../scripts/emulator/prompt-values.ts'
import { sampleJson } from '../../scripts/emulator/sample-json.ts'

const item = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

const tree = {
  type: 'object',
  properties: {
    label: { type: 'string' },
    next: { anyOf: [{ $ref: '#/$defs/Tree' }, { type: 'null' }] },
    leaves: { type: 'array', items: { $ref: '#/$defs/Tree' } },
  },
  required: ['label', 'next', 'leaves'],
}

describe('a sample', () => {
  it.each([
    ['a definition', { type: 'object', properties: { one: { $ref: '#/$defs/Item' } }, required: ['one'] }],
    ['a list of definitions', { type: 'array', items: { $ref: '#/$defs/Item' }, minItems: 1 }],
    ['a choice of definitions', { anyOf: [{ $ref: '#/$defs/Item' }, { type: 'null' }] }],
    ['a schema that holds itself', { $ref: '#/$defs/Tree' }],
  ])('fits %s', (_, schema) => {
    const whole = { ...schema, $defs: { Item: item, Tree: tree } }
    const isValid = new Ajv().compile(whole)
    expect(isValid(sampleJson(whole)), JSON.stringify(isValid.errors)).toBe(true)
  })

  const pair = (reference: string) => ({
    type: 'object',
    properties: { one: { $ref: reference }, two: { $ref: reference } },
  })
  const doubling = Object.fromEntries(
    Array.from({ length: 64 }, (_, at) => [`level${at}`, pair(`#/$defs/level${at + 1}`)]),
  )
  it.each([
    ['definitions that each use the next one twice', { $ref: '#/$defs/level0' }],
    ['lists without end', { type: 'array', minItems: 1e9, items: { type: 'array', minItems: 1e9 } }],
    ['a text without end', { type: 'string', minLength: 1e9 }],
    ['a list of long texts', { type: 'array', minItems: 1e9, items: { const: 'a'.repeat(10_000) } }],
    ['a list of long names', { type: 'array', minItems: 1e9, items: { properties: { ['a'.repeat(10_000)]: {} } } }],
    ['a long way of definitions', { $ref: '#/$defs/way0' }],
  ])('stays small, whatever a schema asks for: %s', (_, schema) => {
    const way = Object.fromEntries(
      Array.from({ length: 5_000 }, (__, at) => [
        `way${at}`,
        { type: 'array', items: { $ref: `#/$defs/way${at + 1}` } },
      ]),
    )
    const whole = { ...schema, $defs: { ...doubling, ...way } }
    expect(JSON.stringify(sampleJson(whole)).length).toBeLessThan(1_000_000)
  })
})

const integer = { type: 'integer', exclusiveMinimum: -10, exclusiveMaximum: 10 }
const text = { type: 'string', maxLength: 6 }

describe('values of a prompt', () => {
  it.each([
    [
      'numbers in their order, and then none',
      'Add double(3) to 4.',
      { a: integer, b: integer, c: integer },
      { a: 3, b: 4, c: -9 },
    ],
    ['the first number that fits', 'Of 2.5, 12 and -7 the last.', { a: integer }, { a: -7 }],
    ['a number that is no integer', 'Halve 2.5.', { a: { type: 'number' } }, { a: 2.5 }],
    ['no part of a name, a date or a version', 'gpt-4 and v3 on 2026-01-02 at 3:45, 1.2.3', { a: integer }, { a: -9 }],
    ['no number for a step', 'Take 3.', { a: { type: 'integer', multipleOf: 2 } }, { a: 1 }],
    ['quoted texts', `Call it 'Cork' or "Bantry"`, { a: text, b: text }, { a: 'Cork', b: 'Bantry' }],
    ['texts of other scripts', 'Named ‘你好’.', { a: text }, { a: '你好' }],
    ['no apostrophes', "It's what Ireland's people say.", { a: text }, { a: 'emulat' }],
    ['no text that is too long', "Say 'longer'  or 'longest'.", { a: { ...text, maxLength: 5 } }, { a: 'emula' }],
    ['no text for a pattern or a format', "'x'", { a: { type: 'string', format: 'date' } }, { a: '2026-01-01' }],
    ['nothing for a choice', "'b'", { a: { enum: ['a', 'b'] } }, { a: 'a' }],
  ])('%s', (_, prompt, properties, value) => {
    expect(sampleJson({ type: 'object', properties }, prompt)).toEqual(value)
  })

  it('name the members of a JSON object', () => {
    expect(quotedNames(`A JSON with 'setup', "end" and 'setup' keys, and not 'two words' or '1'.`)).toEqual([
      'setup',
      'end',
    ])
  })
})

it.each([
  ['get_weather', 'How is the Weather?', true],
  ['getWeather', 'the weather', true],
  ['get_weather', 'Get me whether', false],
  ['get_time', 'What time is it?', false],
])('a tool %s is what "%s" is about: %s', (name, prompt, expected) => {
  expect(isAbout(prompt, name)).toBe(expected)
})
