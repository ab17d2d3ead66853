// How a number was written, which its value forgets: 5, 5.0 and 5e0 are one number, and whoever tells whole numbers from
// others takes only the first for a size or a version. Kept beside the objects, so that what is judged stays plain JSON.

/** By the object or list that has them, and by their names there: the texts of numbers that are not written whole. */
const notWrittenWhole = new WeakMap<object, Map<string, string>>()

const WHOLE = /^-?(?:0|[1-9][0-9]*)$/

/** Where this is not in a text, every number in it is written whole. Where it is, it may be in a string. */
const MAY_BE_OTHER = /[0-9][.eE]/

/** What a reviver is given beside name and value: the text that a value was written as. */
type Source = { readonly source?: string }

/** Whether this runtime can tell of all numbers in a text how they were written. Older browsers cannot. */
export const tellsNumbers = (json: string): boolean => !MAY_BE_OTHER.test(json) || JSON.parse('1', sourceOf) === '1'

const sourceOf = (_name: string, _value: unknown, ...[context]: readonly Source[]): unknown => context?.source

/**
 * The value of a JSON text, of whose objects `wholeNumberIn` knows how their numbers were written. Throws RangeError where it
 * is nested too deep for the runtime.
 *
 * @param parsed what JSON.parse makes of the text; answered itself where there is nothing to note
 */
export function noteNumbers(json: string, parsed: unknown): unknown {
  if (!MAY_BE_OTHER.test(json)) return parsed
  return JSON.parse(json, function (this: object, name: string, value: unknown, ...[context]: readonly Source[]) {
    // A runtime that does not tell how a number was written has it refused rather than believed.
    const text = context?.source ?? ''
    if (typeof value === 'number' && !WHOLE.test(text)) noteOther(this, name, text)
    return value
  })
}

function noteOther(holder: object, name: string, text: string): void {
  const texts = notWrittenWhole.get(holder) ?? new Map<string, string>()
  notWrittenWhole.set(holder, texts.set(name, text))
}

/**
 * A member that is a whole number from 0 to 2^53 - 1 and was written as one; null for anything else. Where an object was
 * not read from text, its value decides.
 */
export function wholeNumberIn(holder: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = holder[name]
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  return isWhole && notWrittenWhole.get(holder)?.has(name) !== true ? value : null
}

/**
 * True if every number in a value, at any depth, is written as canonical JSON writes it: `1.0` and `1` have one value, and so one
 * signature, and other readers take them for two.
 */
export function areNumbersCanonical(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  const texts = notWrittenWhole.get(value)
  return Object.entries(value).every(([name, member]) =>
    typeof member === 'number' ? isCanonical(member, texts?.get(name)) : areNumbersCanonical(member),
  )
}

/** Whole numbers beyond 2^53 - 1 lose digits when they are read, so that two texts would pass for one. */
function isCanonical(number: number, text: string | undefined): boolean {
  if (text !== undefined) return text === JSON.stringify(number)
  return !Number.isInteger(number) || (Number.isSafeInteger(number) && !Object.is(number, -0))
}
