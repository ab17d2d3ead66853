// Texts in which what is to be found stands in [[ ]], as the fixture files of the identifier guard have them, one a line.

/** A line end inside a text, written so that a file keeps one text a line. */
const LINE_END = '↵'

/** Comments and blank lines are left out. */
export const textsOfFile = (file: string): string[] =>
  file
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll(LINE_END, '\n'))

/** A text without its marks, and the code-point ranges that they enclosed. */
export type MarkedText = { text: string; ranges: { start: number; end: number }[] }

export function readMarks(line: string): MarkedText {
  const marked: MarkedText = { text: '', ranges: [] }
  let offset = 0
  let start = 0
  for (const part of line.split(/(\[\[|\]\](?!\]))/)) {
    if (part === '[[') start = offset
    else if (part === ']]') marked.ranges.push({ start, end: offset })
    else {
      marked.text += part
      offset += Array.from(part).length
    }
  }
  return marked
}
