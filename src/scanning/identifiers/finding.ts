// The report of a shape's finder, in offsets of the matching copy that it searched, and how finders search.
import type { IdentifierShape, Shape } from './identifier-shapes.ts'

/** How sure a finder is of the shape's name. Where findings overlap, the surest is kept, then the longest. */
export const CERTAINTY = { token: 0, labelled: 1, distinctive: 2, shaped: 3, digitsOnly: 4 } as const

export type Finding<S extends Shape = IdentifierShape> = {
  shape: S
  start: number
  end: number
  certainty: (typeof CERTAINTY)[keyof typeof CERTAINTY]
}

/**
 * `pattern` is global. `accept` returns where the finding ends, or undefined: the search then goes on after the match's
 * first word or figure.
 */
export function scan(pattern: RegExp, text: string, accept: (match: RegExpExecArray) => number | undefined): void {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    pattern.lastIndex = accept(match) ?? match.index + firstWordLength(match[0])
  }
}

/** At least 1. */
function firstWordLength(written: string): number {
  let length = 0
  while (isLetterOrDigit(written.charCodeAt(length))) length += 1
  return Math.max(1, length)
}

/** False at the end of a text, where the code is NaN. */
function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a)
}

/** @param code of a UTF-16 unit */
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Pattern source. Bounded on every side; starts right after the label's last letter. */
export const LABEL_GAP =
  '(?:(?:[ \\n:;#=,*_>|(\\["\'-]|\\.(?!\\n)){0,4}(?:numbers?|nos?|num|nr|id|identifier|is|was|of|ref|are)(?![a-z])){0,2}(?:[ \\n:;#=,*_>|)(\\]\\["\'-]|\\.(?!\\n)){0,5}'

/** Nothing, a blank, a line end, a dash or a dot inside a number; a dot with a blank after it ends a sentence. */
export const BREAK = '(?: ?[-_/] ?|[-_/]{2}|[-/]\\n|\\n[-/]|[. \\n])?'

/** One mark, with or without blanks around it, between all characters of a number that is written apart. */
export const APART = '(?: ?[-_/,.:;|] ?|[ \\n])'
