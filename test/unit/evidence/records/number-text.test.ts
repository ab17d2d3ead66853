// Whole numbers are whole as they are written, which their value no longer tells.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { rememberNumberTexts, wholeNumberIn } from '../../../../src/evidence/records/number-text.ts'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import { signPublicHead, verifyHead } from '../../../../src/evidence/records/tree-head.ts'
import { verifyConsistency, verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import { oldKey } from '../../../fixtures/evidence/invented-evidence.ts'

function read(text: string) {
  const parsed = readJsonObject(new TextEncoder().encode(text))
  if (!parsed.readable) throw new Error(parsed.fault)
  return parsed.object
}

describe('a whole number', () => {
  it.each([
    ['0', 0],
    ['5', 5],
    ['9007199254740991', 9_007_199_254_740_991],
    ['5.0', null],
    ['5e0', null],
    ['50E-1', null],
    ['0.0', null],
    // Read as 2^53 - 1, which it is not.
    ['9007199254740991.2', null],
    ['9007199254740992', null],
    ['-1', null],
    ['1.5', null],
    ['"5"', null],
    ['true', null],
    ['null', null],
  ])('written %s is %j', (written, expected) => {
    expect(wholeNumberIn(read(`{"other":1.0,"size":${written}}`), 'size')).toBe(expected)
  })

  it('is told apart at every depth, and under names that objects have of themselves', () => {
    const object = read('{"__proto__":{"size":5.0},"constructor":[{"size":5},{"size":5.0}],"size":5}') as never
    expect(wholeNumberIn(object, 'size')).toBe(5)
    const { constructor: list } = object as { constructor: { size: number }[] }
    expect(list.map((each) => wholeNumberIn(each, 'size'))).toEqual([5, null])
    const own = Object.getOwnPropertyDescriptor(object, '__proto__')?.value as { size: number }
    expect(wholeNumberIn(own, 'size')).toBeNull()
  })

  it('is not refused for what stands in a string', () => {
    expect(wholeNumberIn(read('{"model":"gpt-5.0","size":5}'), 'size')).toBe(5)
  })

  it('makes a text unreadable where the runtime does not say how it was written', () => {
    const { parse } = JSON
    const told = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      const value: unknown = parse(text, reviver && ((name, each: unknown) => reviver.call({}, name, each) as unknown))
      return value
    })
    expect(() => read('{"at":"05:00:00.5Z","size":5}')).toThrow('numbers_untold')
    expect(wholeNumberIn(read('{"size":5}'), 'size')).toBe(5)
    told.mockRestore()
    expect(wholeNumberIn(read('{"at":"05:00:00.5Z","size":5}'), 'size')).toBe(5)
  })

  it('leaves values as any reader has them', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(rememberNumberTexts(text, null)).toEqual(/[0-9][.eE]/.test(text) ? JSON.parse(text) : null)
      }),
      { numRuns: 300, seed: 20_261_120 },
    )
  })
})

const hash = '00'.repeat(32)
const inclusion = { leaf_hash: hash, leaf_index: 0, tree_size: 1, root_hash: hash, audit_path: [] }
const consistency = { old_size: 1, new_size: 1, old_root: hash, new_root: hash, consistency_path: [] }

describe('a size or position not written whole', () => {
  it.each(['leaf_index', 'tree_size'])('of an inclusion proof: %s', (name) => {
    const text = JSON.stringify(inclusion)
    expect(verifyInclusion(read(text))).toMatchObject({ valid: true })
    expect(verifyInclusion(read(text.replace(new RegExp(`("${name}":\\d)`), '$1.0')))).toMatchObject({ valid: false })
  })

  it.each(['old_size', 'new_size'])('of a consistency proof: %s', (name) => {
    const text = JSON.stringify(consistency)
    expect(verifyConsistency(read(text))).toMatchObject({ valid: true })
    const other = read(text.replace(new RegExp(`("${name}":\\d)`), '$1e0'))
    expect(verifyConsistency(other)).toEqual({ valid: false, fault: 'size_malformed' })
  })

  it('of a head', async () => {
    const head = await signPublicHead({ treeSize: 5, root: new Uint8Array(32), at: 0 }, oldKey)
    const text = JSON.stringify(head)
    const trust = { keys: [oldKey.publicKey] }
    expect(verifyHead(read(text), trust)).toMatchObject({ valid: true })
    expect(verifyHead(read(text.replace('"tree_size":5', '"tree_size":5.0')), trust)).toEqual({
      valid: false,
      fault: 'tree_size_malformed',
    })
  })
})
