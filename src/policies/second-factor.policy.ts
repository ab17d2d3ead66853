// Decides what an organisation's requirement of a second factor becomes by a change, and when it is in force. Pure.
import { DAY_MS } from '../platform/time.ts'

/** From the weakest. `phishing_resistant`: a passkey. */
export const REQUIREMENTS = ['off', 'any', 'phishing_resistant'] as const

/** `secondFactorFrom`: when it begins, as `2026-11-30T12:00:00.000Z`. Null: nothing is required, or it has always been in force. */
export type Requirement = { secondFactor: (typeof REQUIREMENTS)[number]; secondFactorFrom: string | null }

/**
 * The strongest second factor of a member. `provider`: they have none here and no password, and sign in only by identity providers
 * that the operator trusts with it.
 */
export const MEMBER_FACTORS = ['passkey', 'totp', 'provider', 'none'] as const
export type MemberFactor = (typeof MEMBER_FACTORS)[number]

type RequirementChange = {
  secondFactor?: Requirement['secondFactor'] | undefined
  secondFactorFrom?: string | null | undefined
}

/** The days in which members set one up, if nobody chooses. */
export const GRACE_DAYS = 7
export const MOST_GRACE_DAYS = 30

const begins = ({ secondFactorFrom }: Requirement): number => Date.parse(secondFactorFrom ?? new Date(0).toISOString())

export const isInForce = (requirement: Requirement, now: number): boolean =>
  requirement.secondFactor !== 'off' && begins(requirement) <= now

/**
 * Whole days before the requirement begins at which members without a factor are mailed again. The daily upkeep mails them, so two
 * days are left after the first, and hours after the second.
 */
const REMINDED_BEFORE_DAYS = [3, 1]

/** Returns from when on members are to be mailed again, in milliseconds; null if not yet, or not any more. */
export function reminderDue(requirement: Requirement, now: number): number | null {
  const due = REMINDED_BEFORE_DAYS.map((days) => begins(requirement) - days * DAY_MS).filter((at) => at <= now)
  return requirement.secondFactor === 'off' || begins(requirement) <= now ? null : (due.at(-1) ?? null)
}

/** Returns the requirement after a change; null if it would begin too late. A time in the past is now. */
export function changedRequirement(
  before: Requirement,
  { secondFactor = before.secondFactor, secondFactorFrom: sent }: RequirementChange,
  now: number,
): Requirement | null {
  if (secondFactor === 'off') return { secondFactor, secondFactorFrom: null }
  const isOn = before.secondFactor !== 'off'
  if (isOn && (sent == null || sent === before.secondFactorFrom)) return { ...before, secondFactor }
  const at = sent == null ? now + GRACE_DAYS * DAY_MS : Date.parse(sent)
  if (at > now + MOST_GRACE_DAYS * DAY_MS) return null
  if (at <= now && isInForce(before, now)) return { ...before, secondFactor }
  return { secondFactor, secondFactorFrom: new Date(Math.max(at, now)).toISOString() }
}

export const isSameRequirement = (one: Requirement, other: Requirement): boolean =>
  one.secondFactor === other.secondFactor && one.secondFactorFrom === other.secondFactorFrom

/** Returns true if less is required than before, or later. */
export const isWeaker = (before: Requirement, after: Requirement): boolean =>
  REQUIREMENTS.indexOf(after.secondFactor) < REQUIREMENTS.indexOf(before.secondFactor) ||
  (before.secondFactor !== 'off' && begins(after) > begins(before))
