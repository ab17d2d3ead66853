// The values that the emulator makes of a JSON schema, judged by a validator of its own.
import Ajv from 'ajv'
import { describe, expect, it } from 'vitest'
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
