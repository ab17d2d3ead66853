// Puts values back into an answer, in the place of the placeholders that its model repeats: in a text as a whole, and in
// one that comes in pieces, of which no more is held back than may be the beginning of a placeholder.
import { endingOf, PLACEHOLDER } from './placeholder.ts'

/** `json` where a text is JSON, or the arguments of a call: there a value is written as a part of a string. */
export type TextForm = 'plain' | 'json'

export type PieceRestorer = {
  /** What may go on. */
  push(piece: string): string
  /** What was held back, once nothing more comes. */
  flush(): string
}

export type Restorer = { restore(text: string, form: TextForm): string; inPieces(form: TextForm): PieceRestorer }

/** By how much an answer may grow: whoever has a long value repeated a thousand times gets placeholders from then on. */
export const MOST_GROWTH = 1024 * 1024

/** Of one answer. @param values by placeholder */
export function createRestorer(values: ReadonlyMap<string, string>): Restorer {
  const labels = [...new Set([...values.keys()].map((placeholder) => placeholder.replace(/\d+\]$/, '').slice(1)))]
  let growth = 0

  function restore(text: string, form: TextForm): string {
    if (!text.includes('[')) return text
    return text.replaceAll(PLACEHOLDER, (placeholder) => {
      const value = values.get(placeholder)
      if (value === undefined) return placeholder
      const written = form === 'json' ? JSON.stringify(value).slice(1, -1) : value
      const grown = growth + written.length - placeholder.length
      if (grown > MOST_GROWTH) return placeholder
      growth = grown
      return written
    })
  }

  /** Where what must be held back begins. */
  function endOfCertain(text: string): number {
    const ending = endingOf(text)
    if (ending === null) return text.length
    const { at, letters, digits } = ending
    const mayBegin = digits === '' ? labels.some((label) => label.startsWith(letters)) : labels.includes(letters)
    return mayBegin ? at : text.length
  }

  return {
    restore,
    inPieces(form) {
      let held = ''
      return {
        push(piece) {
          const text = held + piece
          const end = endOfCertain(text)
          held = text.slice(end)
          return restore(text.slice(0, end), form)
        },
        flush() {
          const text = held
          held = ''
          return text
        },
      }
    },
  }
}
