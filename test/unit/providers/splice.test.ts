// Tests that members of a body are replaced and removed, and that all other bytes stay.
import { describe, expect, it } from 'vitest'
import { spliceMembers } from '../../../src/providers/anthropic/splice.ts'
import { createRandom } from '../../../scripts/seeded-random.ts'
import { runs } from '../../support/runs.ts'

const splice = (json: string, changes: Record<string, unknown>): string =>
  new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(
    spliceMembers(new TextEncoder().encode(json), changes),
  )

describe('a body of which members are replaced', () => {
  it.each([
    [
      '{"model":"m","max_tokens":10,"messages":[]}',
      { model: 'eu.x' },
      '{"model":"eu.x","max_tokens":10,"messages":[]}',
    ],
    [
      '{"messages":[{"input":{"b":1,"2":1.0,"1":"\\u00e9","model":"inner"}}],"model" : "m"}',
      { model: 'x' },
      '{"messages":[{"input":{"b":1,"2":1.0,"1":"\\u00e9","model":"inner"}}],"model" : "x"}',
    ],
    [
      '{"a":"\\"model\\":\\"no\\"","model":"m","max_tokens":200000}',
      { model: 'x', max_tokens: 64_000 },
      '{"a":"\\"model\\":\\"no\\"","model":"x","max_tokens":64000}',
    ],
    ['\ufeff { "\\u006dodel" : 1 }\n', { model: 'x' }, '\ufeff { "\\u006dodel" : "x" }\n'],
    ['{"a":1, "top_p": 0.5 ,\n "b":[1,{"top_p":2}]}', { top_p: undefined }, '{"a":1,\n "b":[1,{"top_p":2}]}'],
    ['{ "a":1, "b":2}', { a: undefined }, '{ "b":2}'],
    ['{"a":1,"b":2 }', { b: undefined }, '{"a":1}'],
    ['{"a":1}', { a: undefined }, '{}'],
    ['{"a":true,"b":-1.5e3,"c":null}', { z: 1, b: 'ü' }, '{"a":true,"b":"ü","c":null}'],
  ])('keeps every other byte of %s', (json, changes, expected) => {
    expect(splice(json, changes)).toBe(expected)
  })

  it('keeps every other byte, whatever the body is', () => {
    const { next, below, choose } = createRandom(93)
    const NAMES = [
      '',
      'model',
      'top_p',
      '__proto__',
      'constructor',
      '2',
      '10',
      '"',
      '\\',
      '],',
      ' , ',
      '\u2028',
      'é',
      '\ud800',
    ]
    const text = (): string => choose(NAMES) + choose(['', '{', '\ud83d\ude00', '\udc00'])
    const blank = (): string => choose(['', '', ' ', '\n\t', '\r\n '])
    const list = (items: readonly string[]): string => items.map((item) => blank() + item + blank()).join(',')
    /** Writes a text with some of its letters as escapes. */
    const written = (said: string): string => {
      const letters = Array.from(said, (letter) =>
        /[a-z]/.test(letter) && below(4) === 0
          ? `\\u00${letter.charCodeAt(0).toString(16)}`
          : JSON.stringify(letter).slice(1, -1),
      )
      return `"${letters.join('')}"`
    }
    const value = (levels: number): string => {
      const kind = below(levels > 0 ? 5 : 3)
      if (kind === 0) return written(text())
      if (kind === 1) return choose(['1.50', '1e2', '-0', '0.0', String(next() * 10 ** below(20))])
      if (kind === 2) return choose(['true', 'false', 'null', '[]', '{ }'])
      const inner = Array.from({ length: 3 }, () => value(levels - 1))
      return kind === 3 ? `[${list(inner)}]` : `{${list(inner.map((one) => `${written(text())}${blank()}:${one}`))}}`
    }
    for (let run = 0; run < runs(2_000); run++) {
      const names = [...new Set(['model', text(), text(), 'top_p', text()])]
      const members = names.map((name) => [name, `${blank()}${written(name)}${blank()}:${blank()}`, value(3)] as const)
      const model = text()
      const kept = members.flatMap(([name, head, said]) =>
        name === 'top_p' ? [] : [head + (name === 'model' ? JSON.stringify(model) : said)],
      )
      const json = `{${members.map(([, head, said]) => head + said).join(',')}}`
      expect(splice(json, { model, top_p: undefined })).toBe(`{${kept.join(',')}}`)
    }
  })
})
