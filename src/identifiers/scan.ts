// Walks over every place where a pattern matches, and tries again inside a match that turned out to be something else.

/**
 * `pattern` is global. `accept` returns where the finding ends, or undefined: the search then goes on after the match's
 * first word or figure.
 */
export function scan(pattern: RegExp, text: string, accept: (match: RegExpExecArray) => number | undefined): void {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const first = /^(?:[A-Za-z0-9]+|.)/s.exec(match[0])?.[0].length ?? 1
    pattern.lastIndex = accept(match) ?? match.index + first
  }
}
