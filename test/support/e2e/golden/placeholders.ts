// Replaces what differs between two runs by its kind. A kind has no number, so that an exchange reads the same wherever it is.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** No request names a date within so many days of today, apart from the dates of the sample. */
const NEAR_MS = 40 * DAY_MS

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Base64 of random bytes: letters of both cases, and a digit or many characters. */
const BASE64 =
  /(?<![\w/+-])(?=[\w/+-]*[a-z])(?=[\w/+-]*[A-Z])(?:(?=[\w/+-]*\d)[\w/+-]{32,}|[\w/+-]{40,})={0,2}(?![\w/+-])/g

/** Keys, hashes, nonces and signatures have fixed lengths. Entries of a log and cursors do not. */
const BYTES: Record<number, string> = { 43: '<32 bytes>', 44: '<32 bytes>', 86: '<64 bytes>', 88: '<64 bytes>' }

const ISO_TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z/g

/** @param known texts that have a name of their own, as the address of the service */
export type Known = Readonly<Record<string, string>>

/** A text with kinds in the place of ids, secrets, hashes, times and durations. */
export function withKinds(text: string, known: Known): string {
  return Object.entries(known)
    .reduce((rest, [name, value]) => rest.replaceAll(value, `<${name}>`), text)
    .replaceAll(/\b(vk_test_|vk_live_|aqta_|sk-aqta-)[0-9A-Za-z]{40,}\b/g, '<$1 secret>')
    .replaceAll(new RegExp(`\\b([a-z]{2,5})[_-]${UUID}`, 'g'), '<$1>')
    .replaceAll(new RegExp(UUID, 'g'), '<uuid>')
    .replaceAll(/(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])/g, '<sha256>')
    .replaceAll(/\btr_[0-9a-f]{32}\b/g, '<trace>')
    .replaceAll(/(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])/g, '<hex>')
    .replaceAll(/(?<![0-9A-Za-z])[0-9a-f]{16}(?![0-9A-Za-z])/g, '<hex16>')
    .replaceAll(/\b(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}\b/g, '<recovery code>')
    .replaceAll(/\b[A-Z2-7]{32}\b/g, '<app secret>')
    .replaceAll(/(?<="code":")(?!000000)\d{6}(?=")/g, '<code>')
    .replaceAll(/\.1[78]\d{11}\./g, '.<ms>.')
    .replaceAll(/Max-Age=6047\d\d\b/g, 'Max-Age=<what is left of 604800>')
    .replaceAll(/emulator-?\d{6}/g, '<emulated>')
    .replaceAll(/\bcall_\d{6}\b/g, 'call_<number>')
    .replaceAll(BASE64, (base64) => BYTES[base64.length] ?? '<base64>')
    .replaceAll(ISO_TIME, (time) => (isNear(Date.parse(time), 3000 * DAY_MS) ? '<time>' : time))
    .replaceAll(/\b20\d\d-\d\d-\d\d\b(?!T)/g, (date) => (isNear(Date.parse(date), NEAR_MS) ? '<date>' : date))
    .replaceAll(/\b\d+ (seconds?)\b/g, '<number> $1')
}

const isNear = (ms: number, within: number): boolean => Math.abs(ms - Date.now()) < within

/** How far an expiry is from when it was answered. It holds a lifetime, and not the moment of the run. */
export function distance(time: string, answeredAt: number): string {
  const ms = Date.parse(time)
  const ahead = ms - answeredAt
  if (ms % DAY_MS === 0) {
    const days = ms / DAY_MS - Math.floor(answeredAt / DAY_MS)
    return Math.abs(days) < 3000 ? `<midnight${signed(days, 'd')}>` : '<time>'
  }
  if (Math.abs(ahead) < 4 * MINUTE_MS) return '<now>'
  if (Math.abs(ahead) < 50 * MINUTE_MS) return `<now${signed(Math.round(ahead / (15 * MINUTE_MS)) * 15, 'm')}>`
  if (Math.abs(ahead) < 23 * HOUR_MS) return `<now${signed(Math.round(ahead / HOUR_MS), 'h')}>`
  return `<now${signed(Math.round(ahead / DAY_MS), 'd')}>`
}

const signed = (count: number, unit: string): string => (count === 0 ? '' : `${count < 0 ? '' : '+'}${count}${unit}`)
