// Breaks a text into lines of limited width, for every paragraph, list and table cell of a PDF.
import { drawableText, widthOf } from '../fonts/typeface.ts'
import type { Type } from '../pdf-page.ts'

export type TextRun = { readonly text: string; readonly type: Type }
export type Piece = TextRun & { readonly x: number }
export type Line = { readonly pieces: readonly Piece[]; readonly width: number }

type Word = { readonly parts: readonly TextRun[]; readonly endsLine: boolean }

/**
 * Breaks runs into lines. A line ends after a space, which stays on it, so that copied or spoken words stay apart. A word that is
 * wider than a line is broken, after a punctuation sign if one is near.
 */
export function breakLines(runs: readonly TextRun[], width: number): Line[] {
  const lines: Line[] = []
  let line = new OpenLine()
  for (const word of wordsOf(runs)) {
    if (!line.isEmpty && line.width + inkWidth(word) > width) {
      lines.push(line.close())
      line = new OpenLine()
    }
    for (const part of word.parts) {
      let rest = part.text
      while (line.width + inkOf(part.type, rest) > width) {
        const length = longestStart(part.type, rest, width - line.width, line.isEmpty)
        line.add({ ...part, text: rest.slice(0, length) })
        rest = rest.slice(length)
        lines.push(line.close())
        line = new OpenLine()
      }
      line.add({ ...part, text: rest })
    }
    if (word.endsLine) {
      lines.push(line.close())
      line = new OpenLine()
    }
  }
  if (!line.isEmpty || lines.length === 0) lines.push(line.close())
  return lines
}

class OpenLine {
  readonly #pieces: Piece[] = []
  width = 0

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  add({ text, type }: TextRun): void {
    if (text === '') return
    const last = this.#pieces.at(-1)
    if (last?.type === type) this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + text }
    else this.#pieces.push({ text, type, x: this.width })
    this.width += widthOf(type.face, type.size, text)
  }

  close(): Line {
    const last = this.#pieces.at(-1)
    const space = last?.text.endsWith(' ') === true ? widthOf(last.type.face, last.type.size, ' ') : 0
    return { pieces: this.#pieces, width: this.width - space }
  }
}

/** Returns words, each with the space after it. A word may span two runs. A line feed ends a line. */
function wordsOf(runs: readonly TextRun[]): Word[] {
  const words: Word[] = []
  let parts: TextRun[] = []
  for (const { text, type } of runs) {
    for (const [index, row] of text.split('\n').entries()) {
      if (index > 0) {
        words.push({ parts, endsLine: true })
        parts = []
      }
      for (const [token] of drawableText(row).matchAll(/[^ ]+ ?| /g)) {
        parts.push({ text: token, type })
        if (!token.endsWith(' ')) continue
        words.push({ parts, endsLine: false })
        parts = []
      }
    }
  }
  if (parts.length > 0) words.push({ parts, endsLine: false })
  return words
}

const inkOf = ({ face, size }: Type, text: string): number => widthOf(face, size, text.trimEnd())

function inkWidth({ parts }: Word): number {
  let width = 0
  for (const [index, { text, type }] of parts.entries()) {
    width += index === parts.length - 1 ? inkOf(type, text) : widthOf(type.face, type.size, text)
  }
  return width
}

/** How many characters a break inside a word looks back for a punctuation sign. */
const NEAR = 12

/** Returns the number of code units that fit. It is 0 only if the line is not empty. */
function longestStart({ face, size }: Type, text: string, width: number, isEmpty: boolean): number {
  let fitting = 0
  let used = 0
  for (const character of text) {
    used += widthOf(face, size, character)
    if (used > width && !(isEmpty && fitting === 0)) break
    fitting += character.length
  }
  const tail = text.slice(Math.max(0, fitting - NEAR), fitting)
  const sign = Math.max(...['-', '/', '_', '.', ':', '+', '='].map((one) => tail.lastIndexOf(one)))
  return sign > 0 ? fitting - tail.length + sign + 1 : fitting
}
