// Tests faults that JSON.parse lets pass: a member named twice, and nesting without end.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findStructureFault } from '../../../src/platform/json.ts'

const find = (json: string, mostLevels = 100) => findStructureFault(json, mostLevels)

const anyString = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'a', '\n', 'é', '𝒜'),
})
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyString,
    fc.double(),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyString, tie('value'), { maxKeys: 4 }),
  ),
})).value

/** Every character of a string as an escape. */
const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

describe('a member named twice', () => {
  it.each([
    ['side by side', '{"a":1,"a":1}', 'a'],
    ['with others between', '{"a":{"b":[1,{}]},"c":"a","a":2}', 'a'],
    ['within an object', '{"a":{"b":1,"b":2}}', 'b'],
    ['within a list in an object', '{"a":[0,{"b":1},{"c":1,"c":2}]}', 'c'],
    ['after an object that had it too', '{"a":{"b":1},"b":1,"b":2}', 'b'],
    ['once as an escape', '{"a":1,"\\u0061":2}', 'a'],
    ['of no characters', '{"":1,"":2}', ''],
    ['with a quote in it', '{"\\"":1,"\\"":2}', '"'],
    ['that ends with a backslash', '{"\\\\":1,"\\\\":2}', '\\'],
    ['as the prototype is called', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['between blanks', ' { "a" : 1 , "a" : 2 } ', 'a'],
  ])('is found %s', (_, json, name) => {
    expect(find(json)).toEqual({ fault: 'duplicate_member', name })
  })

  it.each([
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":["a","a"],"b":["a"]}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":"\\\\","b":"\\"a\\":1,"}',
    '"a"',
    '[]',
  ])('is not found in %s', (json) => {
    expect(find(json)).toBeNull()
  })

  it('is found wherever one is added to JSON that has none, and else never', () => {
    fc.assert(
      fc.property(fc.dictionary(anyString, anyJson, { minKeys: 1 }), anyJson, anyJson, (object, before, value) => {
        const json = JSON.stringify(object)
        expect(find(JSON.stringify([before, object], null, 1))).toBeNull()
        for (const name of Object.keys(object)) {
          const twice = `${json.slice(0, -1)},${escaped(name)}:${JSON.stringify(value)}}`
          expect(find(JSON.stringify([before, 0]).replace(/0\]$/, () => `${twice}]`))).toEqual({
            fault: 'duplicate_member',
            name,
          })
        }
      }),
      { seed: 20261120, numRuns: 500 },
    )
  })
})

describe('nesting', () => {
  const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

  it('may be as deep as allowed and no deeper', () => {
    expect(find(nested(100))).toBeNull()
    expect(find(nested(102))).toEqual({ fault: 'too_deep' })
    expect(find('[[[]]]', 2)).toEqual({ fault: 'too_deep' })
    expect(find('[[],[],[[]]]', 3)).toBeNull()
  })

  it('of brackets without end is given up at once', () => {
    expect(find('['.repeat(4 * 1024 * 1024))).toEqual({ fault: 'too_deep' })
  })
})

/** How many members and entries a value has with all that is within it. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + countValues(one), 0)
}

describe('the number of values', () => {
  it('is that of all members and entries, however they are written', () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(undefined, 1), (value, indent) => {
        const json = JSON.stringify(value, null, indent)
        const count = countValues(JSON.parse(json))
        expect(findStructureFault(json, 100, count)).toBeNull()
        if (count > 0) expect(findStructureFault(json, 100, count - 1)).toEqual({ fault: 'too_many' })
      }),
      { seed: 20261122, numRuns: 500 },
    )
  })
})

describe('text that is no JSON', () => {
  it.each(['', '"', '{"', '{"a', '{"a\\', '{"\\x":1,"\\x":2}', '}', ']]', '{"a" "a":1}', '\\"'])('%j ends', (text) => {
    expect(() => find(text)).not.toThrow()
  })

  it('of any kind ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ',', ':', 'u') }), (text) => {
        find(text)
      }),
      { seed: 20261120, numRuns: 2000 },
    )
  })
})
