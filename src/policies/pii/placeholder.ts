// What a placeholder looks like, whole and begun. Its only opening bracket is its first character, and its only closing
// one its last: so two never share a character.

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
