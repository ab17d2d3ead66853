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
})
