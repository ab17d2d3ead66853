// The characters that are meant by JSON, whose escapes stand for one each.
import { forEachMatchInSteps, type Steps } from './steps.ts'

const ESCAPE = /\\(?:u([\dA-Fa-f]{4})|.)/g

/** `unitAt`: where in the JSON each unit of the text begins, and the last ends. */
export function* readEscapes(json: string): Steps<{ text: string; unitAt: Int32Array }> {
  const unitAt = new Int32Array(json.length + 1)
  let text = ''
  let from = 0
  const copyUntil = (to: number): void => {
    for (let unit = from; unit < to; unit += 1) unitAt[text.length + unit - from] = unit
    text += json.slice(from, to)
  }
  yield* forEachMatchInSteps(json, ESCAPE, ({ 0: escape, 1: hex, index }) => {
    copyUntil(index)
    unitAt[text.length] = index
    text += hex === undefined ? (MEANT[escape.charAt(1)] ?? '') : String.fromCharCode(parseInt(hex, 16))
    from = index + escape.length
  })
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
