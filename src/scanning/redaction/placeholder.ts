// Placeholders: their form, whole and begun, and the value that each stands for. Its only opening bracket is its first character,
// and its only closing one its last: so two never share a character.
import { SHAPES, type Shape } from '../identifiers/identifier-shapes.ts'
import type { FoundValue } from './find-in-text.ts'

export const PLACEHOLDER = /\[[A-Z_]{3,30}_\d{1,8}\]/g

const BEGUN = /\[([A-Z_]{0,31})(\d{0,8})$/
const LONGEST_BEGUN = 40

/** The letters and the digits of the placeholder that a text may end with the beginning of; null where it cannot. */
export function endingOf(text: string): { at: number; letters: string; digits: string } | null {
  const last = text.slice(-LONGEST_BEGUN)
  const begun = BEGUN.exec(last)
  if (begun === null) return null
  const [, letters = '', digits = ''] = begun
  return { at: text.length - last.length + begun.index, letters, digits }
}

/** @param reserved what only looks like a placeholder, because the caller wrote it */
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
