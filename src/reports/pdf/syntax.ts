// How PDF (ISO 32000-1) writes numbers and texts. All that is written is ASCII, so that a character is a byte.

/** To a hundredth of a point, which is finer than a printer is. */
export const number = (value: number): string => String(Math.round(value * 100) / 100)

export const numbers = (...values: number[]): string => values.map(number).join(' ')

/** A text string, for dictionaries: what stands on a page is glyphs. */
export function text(value: string): string {
  let hex = 'FEFF'
  for (let index = 0; index < value.length; index++) hex += value.charCodeAt(index).toString(16).padStart(4, '0')
  return `<${hex}>`
}

/** Of a moment in RFC 3339 and UTC, such as `D:20261121150000Z`: for dictionaries. */
export const date = (at: string): string => `(D:${at.slice(0, 19).replaceAll(/[-:T]/g, '')}Z)`

export type Colour = readonly [red: number, green: number, blue: number]

/** Of a colour as style sheets write it. */
export function colour(hex: string): Colour {
  const part = (from: number): number => Number.parseInt(hex.slice(from, from + 2), 16) / 255
  return [part(1), part(3), part(5)]
}
