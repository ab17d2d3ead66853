// Formats numbers, money, dates and sizes for readers in Ireland. Only this file uses Intl.

const LOCALE = 'en-IE'

const NUMBER = new Intl.NumberFormat(LOCALE)
const TWO_DECIMALS = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })
const EXACT_PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumSignificantDigits: 3 })
const EURO = euroFormat(2, 2)
const SMALL_EURO = euroFormat(2, 6)
const FOUR_DECIMALS = euroFormat(4, 4)
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const DAY = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
const SHORT_DAY = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', day: 'numeric', month: 'short' })
const MONTH = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', month: 'long', year: 'numeric' })
const SHORT_MONTH = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', month: 'short' })
const DAY_OF_WEEK = new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' })
const MINUTE = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

function euroFormat(minimumFractionDigits: number, maximumFractionDigits: number): Intl.NumberFormat {
  const digits = { minimumFractionDigits, maximumFractionDigits }
  return new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'EUR', ...digits })
}

/** The name of this device's zone: “Europe/Dublin”. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Formats in UTC, and in the time of this device. The latter has no zone of its own: a person may travel. */
const UTC = zoneFormats({ timeZone: 'UTC' })
const LOCAL = zoneFormats({})

function zoneFormats(zone: Intl.DateTimeFormatOptions) {
  return {
    moment: new Intl.DateTimeFormat(LOCALE, { ...zone, ...MINUTE, second: '2-digit', timeZoneName: 'short' }),
    minute: new Intl.DateTimeFormat(LOCALE, { ...zone, ...MINUTE }),
    time: new Intl.DateTimeFormat(LOCALE, { ...zone, timeStyle: 'medium', hourCycle: 'h23' }),
    // Swedish dates are YYYY-MM-DD.
    day: new Intl.DateTimeFormat('sv-SE', { ...zone, dateStyle: 'short' }),
  }
}

const formatsOf = (isLocal: boolean) => (isLocal ? LOCAL : UTC)

export const formatNumber = (value: number): string => NUMBER.format(value)

/** Formats a share as a percentage. @param share 0 to 1 */
export const formatPercent = (share: number): string => PERCENT.format(share)

/** Formats a share as a percentage with three significant digits. */
export const formatExactPercent = (share: number): string => EXACT_PERCENT.format(share)

/** Formats euro. An amount below a cent shows up to six decimals. */
export const formatEuro = (eur: number): string => (eur !== 0 && Math.abs(eur) < 0.01 ? SMALL_EURO : EURO).format(eur)

/** Formats euro for a column: an amount below a cent has four decimals. */
export const formatShortEuro = (eur: number): string =>
  eur !== 0 && Math.abs(eur) < 0.01 ? FOUR_DECIMALS.format(eur) : EURO.format(eur)

/** The least that four decimals can say. */
const LEAST_EURO = 0.0001

/** Formats the cost of a call for a column of costs: always four decimals. */
export const formatCallCost = (eur: number): string =>
  eur > 0 && eur < LEAST_EURO ? `< ${FOUR_DECIMALS.format(LEAST_EURO)}` : FOUR_DECIMALS.format(eur)

const CENT = 0.01

/** Returns the format of a column of euro, by its sum: two decimals, or four if all of it is below a cent. */
export const euroColumn = (sum: number): ((eur: number) => string) =>
  sum < CENT ? formatCallCost : (eur) => (eur > 0 && eur < CENT ? `< ${EURO.format(CENT)}` : EURO.format(eur))

/** Formats euro with up to six decimals. Limits use it, because they must not be rounded. */
export const formatExactEuro = (eur: number): string => SMALL_EURO.format(eur)

/** Formats a day given as `YYYY-MM-DD`. */
export const formatDay = (date: string): string => DAY.format(new Date(`${date}T00:00:00Z`))

/** Formats a day with its name, for the head of its rows: “Sunday 22 November”. */
export const formatDayOfWeek = (date: string): string =>
  DAY_OF_WEEK.format(new Date(`${date}T00:00:00Z`)).replace(',', '')

/** Formats the time of a day: “13:46:10”. @param at ISO 8601 @param isLocal in the time of this device */
export const formatTime = (at: string, isLocal: boolean): string => formatsOf(isLocal).time.format(new Date(at))

/** Formats a day with its time to the minute: “29 Nov 2026, 13:46”. @param at ISO 8601 */
export const formatMinute = (at: string, isLocal: boolean): string => formatsOf(isLocal).minute.format(new Date(at))

/** Returns the day of a time as `YYYY-MM-DD`. @param at ISO 8601 */
export const dayOfTime = (at: string, isLocal: boolean): string => formatsOf(isLocal).day.format(new Date(at))

/** “UTC”, or the zone of this device: “GMT+1”. */
export const zoneName = (isLocal: boolean): string =>
  formatsOf(isLocal)
    .moment.formatToParts(new Date())
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'local'

/** Formats a day without its year, for narrow places. */
export const formatShortDay = (date: string): string => SHORT_DAY.format(new Date(`${date}T00:00:00Z`))

/** Formats a day, with its year if that is another than this one. */
export const formatNearDay = (date: string): string =>
  date.slice(0, 4) === new Date().toISOString().slice(0, 4) ? formatShortDay(date) : formatDay(date)

/** Formats a month given as `YYYY-MM`. */
export const formatMonth = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`))

export const formatShortMonth = (month: string): string => SHORT_MONTH.format(new Date(`${month}-01T00:00:00Z`))

/** Formats a duration in milliseconds for a column of seconds: always two decimals. */
export const formatSeconds = (ms: number): string =>
  ms > 0 && ms < 10 ? `< ${TWO_DECIMALS.format(0.01)} s` : `${TWO_DECIMALS.format(ms / 1000)} s`

/** Formats a duration in milliseconds, with up to two decimals of a second. The unit stays on the line of its number. */
export const formatMilliseconds = (ms: number): string =>
  ms < 1000 ? `${formatNumber(Math.round(ms))}\u00A0ms` : `${formatNumber(Math.round(ms / 10) / 100)}\u00A0s`

/** Formats a duration that is an upper bound, so it is never rounded down. */
export const formatBound = (ms: number): string =>
  `≤\u00A0${formatMilliseconds(ms < 1000 ? ms : Math.ceil(ms / 10) * 10)}`

export const formatMoment = (at: Date, isLocal: boolean): string => formatsOf(isLocal).moment.format(at)

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Formats a time as “3 minutes ago” or “in 2 days”. */
export function formatRelative(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit)
  }
  return Math.abs(seconds) < 10 ? 'just now' : RELATIVE.format(seconds, 'second')
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const

export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 ? formatNumber(value) : value.toFixed(1)} ${UNITS[step]}`
}

export const formatElapsed = (ms: number): string =>
  ms < 1_000 ? `${formatNumber(Math.max(1, Math.round(ms)))} ms` : `${(ms / 1_000).toFixed(1)} s`

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** Formats a waiting time in seconds. It is rounded up, so that the wait has ended by then. */
export function formatWait(seconds: number): string {
  if (seconds <= 90) return plural(Math.ceil(seconds), 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 90 ? plural(minutes, 'minute') : plural(Math.ceil(minutes / 60), 'hour')
}

/** Formats a time in milliseconds by its two largest units: “6 d 23 h”, “23 h 5 min”, “4 min 12 s”. */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600), Math.floor(seconds / 60)]
  if (days > 0) return `${formatNumber(days)} d ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
