// Every vector is judged as it says, by the verifier and by the second one, in the runtime that serves.
import { describe, expect, it } from 'vitest'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import { RECORD_FAULTS } from '../../../../src/evidence/records/attestation-record.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import invalidFile from '../../../fixtures/attestation/invalid.json'
import unreadableFile from '../../../fixtures/attestation/unreadable.json'
import validFile from '../../../fixtures/attestation/valid.json'
import { bytesOfVector, keysOfVector, trustOf, type VectorFile } from '../../../fixtures/attestation/vector.ts'
import { judge } from './second-verifier.ts'

const valid = validFile as VectorFile
const invalid = invalidFile as VectorFile
const unreadable = unreadableFile as VectorFile

describe.each([
  ['valid', valid],
  ['invalid', invalid],
])('a record that is %s', (_, { pinned, vectors }) => {
  it.each(vectors)('$name: $expected', async (vector) => {
    const bytes = bytesOfVector(vector)
    const keys = keysOfVector(vector, pinned)
    const read = readJsonObject(bytes)
    if (!read.readable) throw new Error(`unreadable: ${read.fault}`)
    const verdict = verifyRecord(read.object, trustOf(keys))
    const keySource = keys === null ? 'untrusted' : 'pinned'
    expect(verdict).toEqual(
      vector.expected === 'valid' ? { valid: true, keySource } : { valid: false, fault: vector.expected },
    )
    expect(await judge(bytes, keys)).toBe(vector.expected)
  })
})

describe('what is unreadable', () => {
  it.each(unreadable.vectors)('$name: $fault', async (vector) => {
    const bytes = bytesOfVector(vector)
    expect(readJsonObject(bytes)).toEqual({ readable: false, fault: vector.fault })
    expect(await judge(bytes, [unreadable.pinned])).toBe('unreadable')
  })
})

describe('the vectors', () => {
  it('have one for each way of being wrong', () => {
    const shown = new Set<string>(invalid.vectors.map(({ expected }) => expected))
    expect([...shown, 'not_an_object'].toSorted()).toEqual(Object.keys(RECORD_FAULTS).toSorted())
  })

  it('have names of their own', () => {
    for (const { vectors } of [valid, invalid, unreadable]) {
      expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
    }
  })
})

describe('verifyRecord', () => {
  it.each([null, undefined, 1, 'text', [], [{}], true])('answers that %j is no object', (value) => {
    expect(verifyRecord(value, { keys: [valid.pinned] })).toEqual({ valid: false, fault: 'not_an_object' })
  })

  it('answers for an object nested deeper than canonical JSON can be made of', () => {
    const deep = (levels: number): unknown => {
      let value: unknown = 0
      for (let level = 0; level < levels; level += 1) value = [value]
      return value
    }
    const record = { ...validFile.vectors[0]?.record, model: deep(100_000) }
    expect(verifyRecord(record, { keys: [valid.pinned] })).toEqual({ valid: false, fault: 'not_canonicalisable' })
  })
})
