// What of a text is to be taken out: in plain text the stretches that were found, in JSON the same within the strings and
// numbers that they stand in, so that what is left is JSON still.
import { findShapesInSteps } from '../identifiers/find-shapes.ts'
import type { Found, Shape } from '../identifiers/identifier-shapes.ts'
import { readEscapes } from '../../platform/json-escapes.ts'
import { readJson } from '../../platform/json-object.ts'
import { forEachInSteps, forEachMatchInSteps, type Steps } from '../../platform/steps.ts'

/** `value` as a reader of the text understands it; `quoted` where its placeholder must become a string of its own. */
export type FoundValue = Found & { readonly value: string; readonly quoted: boolean }

export type IsWanted = (shape: Shape) => boolean

export function* findInText(text: string, isWanted: IsWanted): Steps<FoundValue[]> {
  const found = yield* findShapesInSteps(text, isWanted)
  const values: FoundValue[] = []
  yield* forEachInSteps(found, ({ shape, start, end }) => {
    values.push({ shape, start, end, value: text.slice(start, end), quoted: false })
  })
  return values
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs

/** Searched as one text, since a member's name says what its value is. What is no JSON is read as words. */
export function* findInJson(json: string, isWanted: IsWanted): Steps<FoundValue[]> {
  if (readJson(json) === undefined) return yield* findInText(json, isWanted)
  const found = yield* findBehindEscapes(json, isWanted)
  const values: FoundValue[] = []
  if (found.length === 0) return values
  let next = 0
  yield* forEachMatchInSteps(json, TOKEN, ({ 0: token, index }) => {
    const end = index + token.length
    while ((found[next]?.end ?? Infinity) <= index) next += 1
    for (let at = next; (found[at]?.start ?? Infinity) < end; at += 1) {
      const value = within(json, found[at], { start: index, end })
      if (value !== null) values.push(value)
      if (value?.quoted === true) break
    }
  })
  return values
}

/** What is found in the characters that are meant, where they stand in the JSON: an escape is part of a value or is not. */
function* findBehindEscapes(json: string, isWanted: IsWanted): Steps<Found[]> {
  if (!json.includes('\\')) return yield* findShapesInSteps(json, isWanted)
  const { text, unitAt } = yield* readEscapes(json)
  const found = yield* findShapesInSteps(text, isWanted)
  return found.map(({ shape, start, end }) => ({
    shape,
    start: unitAt[start] ?? start,
    end: unitAt[end] ?? end,
  }))
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
