// Canonical JSON, beside the library of one of RFC 8785's own authors.
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalBytes, canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import { runs } from '../../../support/runs.ts'

/** Code units at which escapes, surrogates and the orders of code units and of code points begin and end. */
const EDGES = [0, 8, 0x1f, 0x20, 0x22, 0x2f, 0x5c, 0x7f, 0x2028, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff]

const codeUnit = fc.oneof(fc.constantFrom(...EDGES), fc.integer({ min: 0, max: 0xffff }))
const anyText = fc.array(codeUnit, { maxLength: 6 }).map((units) => String.fromCharCode(...units))
const text = fc.oneof({ weight: 9, arbitrary: anyText.map((units) => units.toWellFormed()) }, anyText)

/** Every double there is, as likely as any other: among them the smallest, the largest, and those that are no numbers. */
const doubleOfBits = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
})
const number = fc.oneof(
  fc.constantFrom(0, -0, 1e21, 1e-6, 1e-7, 5e-324, 2 ** 53, Number.MAX_VALUE, Number.NaN, Infinity),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  doubleOfBits,
)

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), text, number),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc
    .array(fc.tuple(fc.oneof(text, fc.constantFrom('__proto__', '10', '9', 'toJSON')), tie('value')), { maxLength: 6 })
    .map((members): unknown => Object.fromEntries(members)),
}))

/** null where it refuses. */
function outcomeOf(print: (value: unknown) => string | undefined, of: unknown): string | null {
  try {
    return print(of) ?? null
  } catch {
    return null
  }
}

function nested(levels: number): unknown {
  let inner: unknown = 'inmost'
  for (let level = 0; level < levels; level++) inner = level % 2 === 0 ? [inner] : { inner }
  return inner
}

describe('canonical JSON', () => {
  it('is what the library prints, and is refused where the library refuses it', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(outcomeOf(canonicalJson, any)).toBe(outcomeOf(canonicalize, any))
      }),
      { numRuns: runs(2_000) },
    )
  })

  it('is read again as what was printed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        expect(canonicalJson(JSON.parse(canonicalJson(any)))).toBe(canonicalJson(any))
      }),
    )
  })

  it.each<[unknown, string]>([
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    [{ '\uE000': 1, '😀': 2 }, '{"😀":2,"\uE000":1}'],
    [[1, 0.000001, 1e-7, 1e21, -0, 100], '[1,0.000001,1e-7,1e+21,0,100]'],
    [[null, true, false, ''], '[null,true,false,""]'],
    ['\u0000\u001f"\\/\u007f\u2028é', '"\\u0000\\u001f\\"\\\\/\u007f\u2028é"'],
  ])('of %j is printed in one way', (any, printed) => {
    expect(canonicalJson(any)).toBe(printed)
    expect(canonicalBytes(any)).toEqual(new TextEncoder().encode(printed))
  })

  it('has as many levels as anything that is read', () => {
    expect(canonicalJson(nested(500))).toBe(canonicalize(nested(500)))
  })

  it('is refused, and nothing worse, where there are more levels than can be gone through', () => {
    expect(() => canonicalJson(nested(1_000_000))).toThrow(RangeError)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['half a surrogate pair', '\ud800'],
    ['a name that is half a surrogate pair', { '\udc00': 1 }],
    ['a member that is undefined', { a: undefined }],
    ['an item that is undefined', [undefined]],
    ['a list with a hole', Object.assign([], { length: 2 })],
    ['a function', { toJSON: () => 'as if it were text' }],
    ['a symbol', Symbol('a')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a text in an object of its own', Object('a')],
    ['a big integer', 1n],
  ])('is refused of %s', (_, any) => {
    expect(() => canonicalJson(any)).toThrow(TypeError)
  })
})
