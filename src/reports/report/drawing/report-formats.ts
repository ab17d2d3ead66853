// Formats numbers, dates and periods for a report. Also defines the words, signs and colours of controls' states.
import type { ControlState } from '../../controls/control.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { AMBER, AMBER_GROUND, GREEN, GREEN_GROUND, GREY_GROUND, MUTED, RED, RED_GROUND } from './report-styles.ts'
import type { Colour } from '../../pdf/pdf-file.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

export const monthName = (date: string): string => MONTHS[Number(date.slice(5, 7)) - 1] ?? ''

/** Formats a day, or the day of a moment in UTC. */
export const day = (date: string): string => `${Number(date.slice(8, 10))} ${monthName(date)} ${date.slice(0, 4)}`

export const moment = (at: string): string => `${day(at)}, ${at.slice(11, 16)} UTC`

export const period = ({ start, end }: Pick<ComplianceReport, 'start' | 'end'>): string =>
  start === end ? day(start) : `${day(start)} to ${day(end)}`

export const count = (value: number): string => grouped(String(value))

/** Rounds to the cent. An amount between 0 and one cent is shown as less than a cent. */
export function euro(value: number): string {
  // Rounds to millionths first, the unit of cost: half a cent as a float may be a little less.
  const cents = Math.round(Math.round(value * 1e6) / 1e4)
  if (value > 0 && cents === 0) return '< €0.01'
  return `€${grouped(String(Math.floor(cents / 100)))}.${String(cents % 100).padStart(2, '0')}`
}

/** Formats a part of one, in percent, to a tenth. Only exact 0 and 1 are shown as 0% and 100%. */
export function percent(part: number): string {
  if (part > 0 && part < 0.0005) return '< 0.1%'
  if (part < 1 && part > 0.9995) return '> 99.9%'
  return `${(part * 100).toFixed(1)}%`
}

/** Formats the cost of one call, in euro to a hundredth of a cent. */
export const callCost = (value: number): string => (value > 0 && value < 5e-5 ? '< €0.0001' : `€${value.toFixed(4)}`)

export const share = (part: number, whole: number): string => (whole === 0 ? '–' : percent(part / whole))

/** Formats a number to three digits, for values that are neither money nor counts. */
export function threeDigits(value: number): string {
  const size = Math.abs(value)
  if (size > 0 && size < 1e-6) return 'nearly 0'
  const shown = Number.isInteger(size) ? grouped(String(size)) : String(Number(size.toPrecision(3)))
  return value < 0 ? `−${shown}` : shown
}

export const plural = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

type StateWords = { word: string; many: string; one: string; sign: string; ink: Colour; ground: Colour }

/** `sign`: printed next to a control's id if there is no space for the word. */
export const CONTROL_STATE_STYLES: Readonly<Record<ControlState, StateWords>> = {
  pass: { word: 'passes', many: 'pass', one: 'passes', sign: '✓', ink: GREEN, ground: GREEN_GROUND },
  fail: { word: 'fails', many: 'fail', one: 'fails', sign: '✗', ink: RED, ground: RED_GROUND },
  stated: {
    word: 'explained',
    many: 'explained',
    one: 'explained',
    sign: '!',
    ink: AMBER,
    ground: AMBER_GROUND,
  },
  not_applicable: {
    word: 'does not apply',
    many: 'do not apply',
    one: 'does not apply',
    sign: '–',
    ink: MUTED,
    ground: GREY_GROUND,
  },
  needs_a_person: {
    word: 'needs a person',
    many: 'need a person',
    one: 'needs a person',
    sign: '•',
    ink: AMBER,
    ground: AMBER_GROUND,
  },
}
