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
  if (readJson(json) === undefined) return findInText(json, isWanted)
  const found = findBehindEscapes(json, isWanted)
  const values: FoundValue[] = []
  if (found.length === 0) return values
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

/** What is found in the characters that are meant, where they stand in the JSON: an escape is part of a value or is not. */
function findBehindEscapes(json: string, isWanted: IsWanted): Found[] {
  if (!json.includes('\\')) return findShapes(json, isWanted)
  const { text, unitAt } = readEscapes(json)
  return findShapes(text, isWanted).map(({ shape, start, end }) => ({
    shape,
    start: unitAt[start] ?? start,
    end: unitAt[end] ?? end,
  }))
}

const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|.)/g

/** `unitAt`: where in the JSON each unit of the text begins, and the last ends. */
function readEscapes(json: string): { text: string; unitAt: Int32Array } {
  const unitAt = new Int32Array(json.length + 1)
  let text = ''
  let from = 0
  const copyUntil = (to: number): void => {
    for (let unit = from; unit < to; unit += 1) unitAt[text.length + unit - from] = unit
    text += json.slice(from, to)
  }
  for (const { 0: escape, 1: hex, index } of json.matchAll(ESCAPE)) {
    copyUntil(index)
    unitAt[text.length] = index
    text += hex === undefined ? (MEANT[escape.charAt(1)] ?? '') : String.fromCharCode(parseInt(hex, 16))
    from = index + escape.length
  }
  copyUntil(json.length)
  unitAt[text.length] = json.length
  return { text, unitAt }
}

const MEANT: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

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
