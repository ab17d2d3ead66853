// Finds identifiers in a letter, reads those that a refusal lists, and names them for people. Converts offsets from the guard's
// code points to the UTF-16 units of a text field.
import type { ReportedFinding } from '../../scanning/identifiers/finding.ts'
import type { Problem } from '../api/send-request.ts'
import { listed } from '../text/reword-text.ts'
import { shapeName } from '../text/shape-names.ts'
import { countLetterCharacters, MOST_LETTER_CHARACTERS } from './letters.ts'

/** Offsets in UTF-16 units; `end` is exclusive. */
export type IdentifierPlace = { name: string; start: number; end: number }

export type Guard = (text: string) => ReportedFinding<string>[]

/** Loads the service's own guard, which is as large as the rest of the page. Returns null if it does not load. */
export const loadGuard = (): Promise<Guard | null> =>
  import('../../scanning/identifiers/find-identifiers.ts').then(
    ({ findIdentifiers }) => findIdentifiers,
    () => null,
  )

/** Finds identifiers. Returns none for a text that is too long, because it is refused anyway. */
export const findIdentifierPlaces = (text: string, guard: Guard): IdentifierPlace[] =>
  countLetterCharacters(text) > MOST_LETTER_CHARACTERS ? [] : toTextFieldPlaces(text, guard(text))

/** Converts offsets to UTF-16 units. @param identifiers of this text, in code points as the guard and the service give them */
export function toTextFieldPlaces(text: string, identifiers: readonly ReportedFinding<string>[]): IdentifierPlace[] {
  const unitAt = [0]
  for (const character of text) unitAt.push((unitAt.at(-1) ?? 0) + character.length)
  return identifiers.map(({ shape, start, end }) => ({
    name: shapeName(shape),
    start: unitAt[start] ?? text.length,
    end: unitAt[end] ?? text.length,
  }))
}

/** Returns the identifiers that the service names in a refusal. */
export function refusedIdentifiers({ error }: Problem): ReportedFinding<string>[] {
  const { identifiers } = error
  return Array.isArray(identifiers) ? identifiers.filter(isIdentifier) : []
}

function isIdentifier(value: unknown): value is ReportedFinding<string> {
  if (typeof value !== 'object' || value === null || !('shape' in value && 'start' in value && 'end' in value))
    return false
  return typeof value.shape === 'string' && Number.isInteger(value.start) && Number.isInteger(value.end)
}

/** Cuts the text into pieces: each identifier, and the texts between them with null. */
export function splitAtIdentifiers(text: string, places: readonly IdentifierPlace[]) {
  const pieces: { text: string; place: IdentifierPlace | null }[] = []
  let at = 0
  for (const place of places) {
    if (place.start > at) pieces.push({ text: text.slice(at, place.start), place: null })
    pieces.push({ text: text.slice(place.start, place.end), place })
    at = place.end
  }
  if (at < text.length) pieces.push({ text: text.slice(at), place: null })
  return pieces
}

/** Names the kinds of identifiers, each once: “a PPS number and a date”. */
export const identifierNames = (places: readonly IdentifierPlace[]): string =>
  listed([...new Set(places.map(({ name }) => `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`))])
