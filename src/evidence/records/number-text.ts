// Remembers how JSON numbers were written, and checks them by it: 5, 5.0 and 5e0 have one value, but only 5 is a valid size or
// version. The texts of numbers are stored outside the objects, so the objects stay plain JSON.

/** Texts of numbers that are not written as whole numbers, by their object or list and then by member name. */
const notWrittenWhole = new WeakMap<object, Map<string, string>>()

const WHOLE = /^-?(?:0|[1-9][0-9]*)$/

/** A text without these characters has only whole numbers. A text with them may have them in a string. */
const FRACTION_OR_EXPONENT = /[0-9][.eE]/

/** The third argument of a JSON reviver: the text of the value. */
type Source = { readonly source?: string }

/** Returns true if this runtime reveals how all numbers in the text were written. Older browsers do not. */
export const revealsNumberTexts = (json: string): boolean =>
  !FRACTION_OR_EXPONENT.test(json) || JSON.parse('1', sourceOf) === '1'

const sourceOf = (_name: string, _value: unknown, ...[context]: readonly Source[]): unknown => context?.source

/**
 * Returns the value of a JSON text. `wholeNumberIn` then knows how its numbers were written. Throws RangeError for nesting that
 * is too deep for the runtime.
 *
 * @param parsed the result of JSON.parse, returned itself if there is nothing to remember
 */
export function rememberNumberTexts(json: string, parsed: unknown): unknown {
  if (!FRACTION_OR_EXPONENT.test(json)) return parsed
  return JSON.parse(json, function (this: object, name: string, value: unknown, ...[context]: readonly Source[]) {
    // If the runtime does not reveal a number's text, the number is refused.
    const text = context?.source ?? ''
    if (typeof value === 'number' && !WHOLE.test(text)) rememberText(this, name, text)
    return value
  })
}

function rememberText(holder: object, name: string, text: string): void {
  const texts = notWrittenWhole.get(holder) ?? new Map<string, string>()
  notWrittenWhole.set(holder, texts.set(name, text))
}

/**
 * Returns a member that is a whole number from 0 to 2^53 - 1 and is written as one; null for anything else. An object that was
 * not read from text is judged by its value.
 */
export function wholeNumberIn(holder: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = holder[name]
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  return isWhole && notWrittenWhole.get(holder)?.has(name) !== true ? value : null
}

/**
 * Returns true if every number in a value, at any depth, is written as canonical JSON writes it. `1.0` and `1` share a value
 * and a signature, but other readers distinguish them.
 * @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.3
 */
export function areNumbersCanonical(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  const texts = notWrittenWhole.get(value)
  return Object.entries(value).every(([name, member]) =>
    typeof member === 'number' ? isCanonical(member, texts?.get(name)) : areNumbersCanonical(member),
  )
}

/** Checks one number. Whole numbers beyond 2^53 - 1 lose digits, so two different texts would pass for one. */
function isCanonical(number: number, text: string | undefined): boolean {
  if (text !== undefined) return text === JSON.stringify(number)
  return !Number.isInteger(number) || (Number.isSafeInteger(number) && !Object.is(number, -0))
}
