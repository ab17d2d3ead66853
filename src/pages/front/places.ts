// Finds identifiers in a letter and their offsets. The guard counts code points; a text field counts UTF-16 units.
import { findIdentifiers } from '../../scanning/identifiers/identifiers.ts'
import type { Identifier } from '../../scanning/identifiers/identifier-shapes.ts'
import type { Problem } from '../api/call.ts'
import { charactersOf, MOST_CHARACTERS } from './letters.ts'

/** Offsets in UTF-16 units; `end` is exclusive. */
export type Place = { name: string; start: number; end: number }

/** Finds identifiers with the service's own guard. Returns none for a text that is too long, because it is refused anyway. */
export const placesIn = (text: string): Place[] =>
  charactersOf(text) > MOST_CHARACTERS ? [] : placesOf(text, findIdentifiers(text))

/** Converts offsets to UTF-16 units. @param identifiers of this text, in code points as the guard and the service give them */
export function placesOf(text: string, identifiers: readonly Identifier[]): Place[] {
  const unitAt = [0]
  for (const character of text) unitAt.push((unitAt.at(-1) ?? 0) + character.length)
  return identifiers.map(({ shape, start, end }) => ({
    name: NAMES[shape],
    start: unitAt[start] ?? text.length,
    end: unitAt[end] ?? text.length,
  }))
}

const NAMES: Readonly<Record<Identifier['shape'], string>> = {
  pps_number: 'PPS number',
  eircode: 'Eircode',
  date: 'date',
  date_of_birth: 'date of birth',
  phone_number: 'telephone number',
  nhs_number: 'NHS number',
  chi_number: 'CHI number',
  health_and_care_number: 'Health and Care number',
  email_address: 'e-mail address',
  uk_postcode: 'UK postcode',
  hospital_record_number: 'hospital record number',
}

/** Returns the identifiers that the service names in a refusal. */
export function identifiersIn({ error }: Problem): Identifier[] {
  const { identifiers } = error
  return Array.isArray(identifiers) ? identifiers.filter(isIdentifier) : []
}

function isIdentifier(value: unknown): value is Identifier {
  if (typeof value !== 'object' || value === null || !('shape' in value && 'start' in value && 'end' in value))
    return false
  return String(value.shape) in NAMES && Number.isInteger(value.start) && Number.isInteger(value.end)
}

/** Cuts the text into pieces: each identifier, and the texts between them with null. */
export function piecesOf(text: string, places: readonly Place[]): { text: string; place: Place | null }[] {
  const pieces: { text: string; place: Place | null }[] = []
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
export function namesOf(places: readonly Place[]): string {
  const names = [...new Set(places.map(({ name }) => name))].map(
    (name) => `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`,
  )
  const last = names.pop() ?? ''
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`
}
