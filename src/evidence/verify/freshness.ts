// Parses --max-age, and judges the age of a head or checkpoint against it, from signed times and the verifier's clock.
import { parseRfc3339 } from '../records/rfc3339.ts'
import type { SignedTree } from '../records/tree-head.ts'
import { faultOf, judged, passed, unproven, type Finding } from './verification-finding.ts'

/** `maxAge` in seconds, `now` in seconds since the epoch. */
export type Freshness = { readonly maxAge: number; readonly now: number }

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Returns the seconds of a text such as `90s`, `15m`, `24h` or `7d`; null for anything else. */
export function parseMaxAge(text: string): number | null {
  const { count = '', unit = '' } = /^(?<count>[1-9]\d{0,5})(?<unit>[smhd])$/.exec(text)?.groups ?? {}
  const seconds = Number(count) * (UNITS[unit] ?? 0)
  return seconds > 0 ? seconds : null
}

export const MAX_AGE_FORM = 'a whole number and s, m, h or d, such as 15m, 24h or 7d'

/** The clocks of two machines may differ by this much. A time further ahead says nothing about age. */
const CLOCKS_APART_SECONDS = 60

export const isFresh = (seconds: number, { maxAge, now }: Freshness): boolean =>
  seconds >= now - maxAge && seconds <= now + CLOCKS_APART_SECONDS

export const AGE_FAULTS = {
  too_old: 'It is older than --max-age allows.',
  dated_ahead: 'Its time is ahead of this clock, so its age is unknown.',
} as const

export const NO_SIGNED_TIME = 'It has no signed time, so its age is unknown.'

/** @param seconds the signed time since the epoch; null if there is none */
export function judgeAge(subject: string, seconds: number | null, freshness: Freshness): Finding {
  if (seconds === null) return judged('age', subject, unproven(NO_SIGNED_TIME))
  if (isFresh(seconds, freshness)) return passed('age', subject)
  const code = seconds > freshness.now ? 'dated_ahead' : 'too_old'
  return judged('age', subject, faultOf(AGE_FAULTS, code))
}

/** Formats a time. A 64-bit time can exceed the range of a date. */
export function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000)
  return Number.isNaN(time.getTime()) ? `second ${seconds}` : time.toISOString().replace('.000Z', 'Z')
}

/** Judges the age of a head. Heads of organisations' logs sign no time. */
export function judgeHeadAge({ timestamp }: SignedTree, freshness: Freshness): Finding {
  const seconds = timestamp === null ? null : parseRfc3339(timestamp)
  return judgeAge(seconds === null ? 'the head' : `the head, of ${timeOf(seconds)}`, seconds, freshness)
}
