// Tests that the check of pieces says what JSON.parse says of the whole.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonCheck } from '../../../src/providers/json-check.ts'
import { parseJsonObject } from '../../../src/providers/lossless-json.ts'
import { runs } from '../../support/runs.ts'

function isWhole(pieces: readonly string[]): boolean {
  const check = createJsonCheck()
  for (const piece of pieces) check.push(piece)
  return check.isWhole()
}

const cut = (text: string, places: readonly number[]): string[] => {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b)
  return ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end))
}

const objects = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value, null, 1))
const places = fc.array(fc.nat(), { maxLength: 8 })

describe('JSON in pieces', () => {
  it('is whole where the object is, however it is cut', () =>
    fc.assert(
      fc.property(objects, places, (text, at) => {
        expect(isWhole(cut(text, at))).toBe(true)
      }),
    ))

  it('is broken where a piece is missing, is there twice, or has another in its place', () =>
    fc.assert(
      fc.property(
        objects,
        places,
        fc.nat(),
        fc.constantFrom('', 'twice', ...'{}[]":,\\019-+.eEtrufalsn \u0001'.split('')),
        (text, at, place, instead) => {
          const pieces = cut(text, at)
          const chosen = place % pieces.length
          const piece = pieces[chosen] ?? ''
          pieces[chosen] = instead === 'twice' ? piece + piece : instead
          expect(isWhole(pieces)).toBe(parseJsonObject(pieces.join('')) !== null)
        },
      ),
      { numRuns: runs(400) },
    ))

  it('is whole where what stands for a number is one', () => {
    const numberLike = fc.string({ unit: fc.constantFrom(...'0019-+.eE /:'.split('')), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(numberLike, places, (number, at) => {
        const text = `{"a":${number}}`
        expect(isWhole(cut(text, at))).toBe(parseJsonObject(text) !== null)
      }),
      { numRuns: runs(500) },
    )
  })

  it.each([
    '',
    '{',
    '{}}',
    '{} {}',
    '[]',
    '"a"',
    '1',
    'null',
    '{"a":01}',
    '{"a":1.}',
    '{"a":-}',
    '{"a":1e}',
    '{"a":1,}',
    '{"a":[1,]}',
    '{,}',
    '{"a"}',
    '{"a":tru}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":1]',
    '{"a":[}',
  ])('%s is no whole object', (text) => expect([isWhole([text]), isWhole(text.split(''))]).toEqual([false, false]))

  it('is looked at once, however deep it is nested', () => {
    const deep = 400_000
    const text = `{"a":${'['.repeat(deep)}${'[],'.repeat(deep)}0${']'.repeat(deep)}}`
    const check = createJsonCheck()
    for (let at = 0; at < text.length; at += 50) check.push(text.slice(at, at + 50))
    expect(check.isWhole()).toBe(true)
  })

  it.each(['{}', ' {"a": -0.5e+10 , "b":[ ],"c":{ }}\n', '{"a":[true,false,null,"\\u00e9\\"",0]}'])(
    '%s is one',
    (text) => expect([isWhole([text]), isWhole(text.split(''))]).toEqual([true, true]),
  )
})
