// Walks over every place where a pattern matches, and tries again inside a match that turned out to be something else.

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
