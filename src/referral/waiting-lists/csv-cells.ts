// Parses single cells of the publisher's files: bands, dates, counts, names, codes. Each function accepts only published forms
// and returns null otherwise. So a spreadsheet's guess is never taken for a figure.
import type { AgeGroup } from './dataset.ts'

/** A band of months waited; `to` is null for the open last band. */
export interface Band {
  label: string
  from: number
  to: number | null
}

const CLOSED_BAND = /^(\d{1,3})\s*-\s*(\d{1,3})\s+months$/i
const OPEN_BAND = /^(\d{1,3})\s*(?:months\s*\+|\+\s*months)$/i

/** Reads ` 0-3 Months`, `18 Months +` and `18+ Months`. The leading blanks only serve the publisher's sorting. */
export function readBand(cell: string): Band | null {
  const label = cell.trim()
  const closed = CLOSED_BAND.exec(label)
  if (closed !== null) {
    const [from, to] = [Number(closed[1]), Number(closed[2])]
    return from < to ? { label, from, to } : null
  }
  const open = OPEN_BAND.exec(label)
  return open === null ? null : { label, from: Number(open[1]), to: null }
}

/** Returns the same key for two spellings of the same months. */
export function bandKey(band: Band): string {
  return `${band.from}-${band.to ?? ''}`
}

const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4})$/
const YEAR_FIRST = /^(\d{4})-(\d{2})-(\d{2})$/
const ANY_DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/

/** Converts `DD/MM/YYYY` and `YYYY-MM-DD` to `YYYY-MM-DD`. Returns null for a day that does not exist. */
export function readArchiveDate(cell: string): string | null {
  const text = cell.trim()
  const dayFirst = DAY_FIRST.exec(text)
  const iso = dayFirst === null ? text : `${dayFirst[3]}-${dayFirst[2]}-${dayFirst[1]}`
  return isCalendarDate(iso) ? iso : null
}

/** Returns true if the text is `YYYY-MM-DD` and a real day. */
export function isCalendarDate(text: string): boolean {
  const match = YEAR_FIRST.exec(text)
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** Returns true if a cell looks like a date in any form. A first cell like this means that the file has no header row. */
export function looksLikeDate(cell: string): boolean {
  return ANY_DATE.test(cell.trim())
}

const COUNT = /^(?:\d{1,9}|\d{1,3}(?:,\d{3}){1,2})$/

/** Reads `1359` and `1,359`: a whole number of people under a thousand million. */
export function readCount(cell: string): number | null {
  const text = cell.trim()
  return COUNT.test(text) ? Number(text.replaceAll(',', '')) : null
}

export function readAgeGroup(cell: string): AgeGroup | null {
  const text = cell.trim()
  return text === 'Adult' || text === 'Child' ? text : null
}

/** Reads a code as text, so that leading zeros stay; null for a cell without one. */
export function readCode(cell: string): string | null {
  const code = cell.trim()
  return code === '' || code === 'NULL' ? null : code
}

const AGE_PROFILES = new Set(['0-15', '16-64', '65+'])

export function isAgeProfile(cell: string): boolean {
  return AGE_PROFILES.has(cell.trim())
}

const MAX_NAME_LENGTH = 120

/** Reads a hospital, group, specialty or case type, spelled as published, inner blanks included. Null if it is no name. */
export function readName(cell: string): string | null {
  const name = cell.trim()
  return name === '' || name.length > MAX_NAME_LENGTH || hasControlCharacter(name) ? null : name
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** Makes a cell safe to show to the operator: short, and harmless to a terminal. */
export function quoteCell(cell: string): string {
  const points = Array.from(cell)
  const quoted = JSON.stringify(points.length > 40 ? `${points.slice(0, 40).join('')}…` : cell)
  return quoted.replaceAll(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Characters that could reverse text, hide in it or move a cursor: control, format, unassigned and private ones. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Returns true for rows in which the publisher collects several specialties: small volumes, and "Other" of 2022 to 2024. */
export function isBucket(specialty: string): boolean {
  return /^(?:small volume special(?:i)?ties|other)$/i.test(specialty)
}
