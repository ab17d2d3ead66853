// Creates the placeholders that replace redacted values, and restores the values in an answer. A placeholder has brackets only as
// its first and last character, so two never overlap.
import { SHAPES, type Shape } from '../identifiers/shapes/index.ts'
import type { FoundValue } from './find-redactable-values.ts'

export const PLACEHOLDER = /\[[A-Z_]{3,30}_\d{1,8}\]/g

const UNFINISHED = /\[([A-Z_]{0,31})(\d{0,8})$/
const LONGEST_UNFINISHED = 40

/** Returns the letters and digits of an unfinished placeholder at the end of a text; null if there is none. */
function endingOf(text: string): { at: number; letters: string; digits: string } | null {
  const last = text.slice(-LONGEST_UNFINISHED)
  const unfinished = UNFINISHED.exec(last)
  if (unfinished === null) return null
  const [, letters = '', digits = ''] = unfinished
  return { at: text.length - last.length + unfinished.index, letters, digits }
}

/** Numbers placeholders by shape. @param reserved text of the caller that looks like a placeholder */
export function createPlaceholders(reserved: ReadonlySet<string>) {
  const values = new Map<string, string>()
  const byValue = new Map<string, string>()
  const last = new Map<Shape, number>(SHAPES.map((shape) => [shape, 0]))

  function next(shape: Shape): string {
    let number = last.get(shape) ?? 0
    let placeholder: string
    do {
      number += 1
      placeholder = `[${shape.toUpperCase()}_${number}]`
    } while (reserved.has(placeholder))
    last.set(shape, number)
    return placeholder
  }

  return {
    values,
    of({ shape, value }: FoundValue): string {
      const known = byValue.get(value)
      if (known !== undefined) return known
      const placeholder = next(shape)
      byValue.set(value, placeholder)
      values.set(placeholder, value)
      return placeholder
    },
  }
}

/** `json` if a text is JSON or the arguments of a tool call: values are then escaped as in a JSON string. */
export type TextForm = 'plain' | 'json'

export type PieceRestorer = {
  /** Returns the text that may be sent on. */
  push(piece: string): string
  /** Returns the text that was held back. Call it at the end. */
  flush(): string
}

export type Restorer = { restore(text: string, form: TextForm): string; inPieces(form: TextForm): PieceRestorer }

/** How many characters an answer may grow by. Further placeholders stay, so that no repeated long value fills memory. */
export const MOST_GROWTH = 1024 * 1024

/** Restores one answer. @param values by placeholder */
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

  function startOfHeldBack(text: string): number {
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
          const end = startOfHeldBack(text)
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
