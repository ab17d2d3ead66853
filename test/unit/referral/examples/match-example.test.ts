// Which texts count as an example letter: the text as published, whatever its line ends and the blanks around it.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../../scripts/example-letters.ts'

const { list, readings, match } = EXAMPLES
const readExamples = list.filter(({ id }) => readings.has(id))
const anyExample = fc.constantFrom(...readExamples)

describe('matching an example', () => {
  it('finds each letter that has a recorded reading, with that reading', () => {
    for (const example of readExamples) {
      expect(match(example.text)).toEqual({ example, reading: readings.get(example.id) })
    }
  })

  it('finds a letter whatever its line ends and the blanks around it', () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
    const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0'), maxLength: 6 })
    fc.assert(
      fc.property(anyExample, lineEnd, blanks, blanks, (example, end, before, after) => {
        expect(match(before + example.text.replaceAll('\n', end) + after)?.example.id).toBe(example.id)
      }),
    )
  })

  it('finds no letter in which a character was changed', () => {
    fc.assert(
      fc.property(anyExample, fc.nat(), (example, position) => {
        const at = position % example.text.length
        const changed = example.text[at] === 'x' ? 'y' : 'x'
        expect(match(example.text.slice(0, at) + changed + example.text.slice(at + 1))).toBeNull()
      }),
    )
  })

  it('finds no letter in the beginning of one or in two of them together', () => {
    const [first, second] = readExamples
    expect(match(first?.text.slice(0, -1) ?? '')).toBeNull()
    expect(match(`${first?.text}\n${second?.text}`)).toBeNull()
  })

  it('finds no letter in an empty or blank text', () => {
    expect(match('')).toBeNull()
    expect(match(' \r\n\t')).toBeNull()
  })

  it('does not read a letter that exists to be refused for an identifier', () => {
    const refused = list.filter(({ expected }) => expected.code === 'identifier_found')
    expect(refused.length).toBeGreaterThan(0)
    for (const { text } of refused) expect(match(text)).toBeNull()
  })
})
