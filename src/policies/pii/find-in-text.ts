// What of a text is to be taken out: in plain text the stretches that were found, in JSON the same within the strings and
// numbers that they stand in, so that what is left is JSON still.
import { findShapes } from '../../identifiers/find-shapes.ts'
import { readJson } from '../../platform/json-object.ts'
import type { Found, Shape } from '../../identifiers/identifier-shapes.ts'

/** `value` as a reader of the text understands it; `quoted` where its placeholder must become a string of its own. */
export type FoundValue = Found & { readonly value: string; readonly quoted: boolean }

export type IsWanted = (shape: Shape) => boolean

export const findInText = (text: string, isWanted: IsWanted): FoundValue[] =>
  findShapes(text, isWanted).map(({ shape, start, end }) => ({
    shape,
    start,
    end,
    value: text.slice(start, end),
    quoted: false,
  }))

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs

/** Searched as one text, since a member's name says what its value is. What is no JSON is read as words. */
export function findInJson(json: string, isWanted: IsWanted): FoundValue[] {
  const found = findShapes(withPlainEscapes(json), isWanted)
  if (readJson(json) === undefined) return findInText(json, isWanted)
  const values: FoundValue[] = []
  let next = 0
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const end = index + token.length
    while ((found[next]?.end ?? Infinity) <= index) next += 1
    for (let at = next; (found[at]?.start ?? Infinity) < end; at += 1) {
      const value = within(json, found[at], { start: index, end })
      if (value !== null) values.push(value)
      if (value?.quoted === true) break
    }
  }
  return values
}

const PLAIN: Readonly<Record<string, string>> = { n: '\n ', r: '\n ', t: '  ', '/': '/ ' }

/** Of the same length: the letter of an escape is no letter of the word behind it. */
const withPlainEscapes = (json: string): string =>
  json.includes('\\') ? json.replaceAll(/\\([bfnrt"\\/])/g, (_, letter: string) => PLAIN[letter] ?? '  ') : json

/** The part of it that is within a string, or the whole number that it is in. */
function within(json: string, found: Found | undefined, token: { start: number; end: number }): FoundValue | null {
  if (found === undefined) return null
  if (json.charAt(token.start) !== '"') {
    return { shape: found.shape, ...token, value: json.slice(token.start, token.end), quoted: true }
  }
  const start = Math.max(found.start, token.start + 1)
  const end = Math.min(found.end, token.end - 1)
  if (start >= end) return null
  return { shape: found.shape, start, end, value: unescaped(json.slice(start, end)), quoted: false }
}

function unescaped(written: string): string {
  const value = readJson(`"${written}"`)
  return typeof value === 'string' ? value : written
}
