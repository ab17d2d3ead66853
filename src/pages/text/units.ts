// Units of time and size: what the service counts in seconds and bytes, people read in hours and MiB.
import { formatNumber } from './format.ts'

/** The words of a unit, and how many of the service’s own unit it is. The largest comes first. */
export type Unit = readonly [factor: number, one: string, many: string]

const SECONDS: Unit = [1, 'second', 'seconds']
export const TIME_UNITS: readonly Unit[] = [
  [86_400, 'day', 'days'],
  [3_600, 'hour', 'hours'],
  [60, 'minute', 'minutes'],
  SECONDS,
]
export const SIZE_UNITS: readonly Unit[] = [
  [1_048_576, 'MiB', 'MiB'],
  [1_024, 'KiB', 'KiB'],
  [1, 'byte', 'bytes'],
]

/** Returns the largest unit of which the value is a whole number. */
export const unitOf = (value: number, units: readonly Unit[]): Unit =>
  units.find(([factor]) => value !== 0 && value % factor === 0) ?? units.at(-1) ?? SECONDS

/** Formats a value in its largest whole unit: 14400 seconds are “4 hours”. */
export function formatUnits(value: number, units: readonly Unit[]): string {
  const [factor, one, many] = unitOf(value, units)
  const count = value / factor
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
