// Decides how much a session proves about its person, and for how long. Pure.
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import type { MemberFactor, Requirement } from '../../policies/second-factor.policy.ts'

/** The second factors that this service keeps, in the order in which they are offered. */
export const OWN_FACTORS = ['passkey', 'totp', 'recovery_code'] as const
export type OwnFactor = (typeof OWN_FACTORS)[number]

/** `provider`: the identity provider vouches for it. */
export const SECOND_FACTORS = [...OWN_FACTORS, 'provider'] as const
export type SecondFactor = (typeof SECOND_FACTORS)[number]

/** What a person may confirm a session by. */
export const CONFIRMING = ['passkey', 'totp', 'password', 'provider'] as const
export type Confirming = (typeof CONFIRMING)[number]

/** A second factor that an identity provider vouches for. `at`: when it was proved, in milliseconds. */
export type VouchedFactor = { readonly at: number; readonly acr: 'aal2' | 'phr' }

/** What a session was proved by, and when, in milliseconds. */
export type SessionProof = {
  /** `password`, `passkey`, or the id of an identity provider. */
  readonly method: string
  readonly createdAt: number
  /** What proved it besides `method`; null if nothing did. */
  readonly secondFactor: SecondFactor | null
  readonly secondFactorAt: number | null
  /** The last proof of everything that the person has; null if it is `createdAt`. */
  readonly provedAt: number | null
  /** How strong the provider's proof was, as it said itself; null if no provider vouches. */
  readonly vouchedAcr: VouchedFactor['acr'] | null
  /** When its person got a first second factor; null if they have none. */
  readonly factorSince: number | null
}

/** The time within which a proof counts as fresh, in milliseconds. */
const FRESH_MS = 15 * MINUTE_MS

/**
 * The proof that an act asks for, of the last 15 minutes. `fresh`: one second factor, or the sign-in of a person who has none.
 * `full`: everything that the person has. `set_up`: as `full`, and a recovery code is enough, so that who lost a device gets on.
 */
export type Proof = 'fresh' | 'full' | 'set_up'

export function isProved(session: Omit<SessionProof, 'method' | 'vouchedAcr'>, proof: Proof, now: number): boolean {
  const { createdAt, secondFactor, secondFactorAt, provedAt, factorSince } = session
  const hasFactor = factorSince !== null
  if (hasFactor && secondFactor === 'recovery_code' && proof !== 'set_up') return false
  if (hasFactor && secondFactor === null) return false
  const at = hasFactor && proof === 'fresh' ? secondFactorAt : (provedAt ?? createdAt)
  return at !== null && at <= now && now - at < FRESH_MS
}

/** Returns true if the session has the second factor that an organisation requires, of the last 24 hours. */
export function isRequirementMet(
  { secondFactor: required }: Pick<Requirement, 'secondFactor'>,
  session: Omit<SessionProof, 'createdAt' | 'provedAt'>,
  now: number,
): boolean {
  const { secondFactor, secondFactorAt, factorSince } = session
  if (required === 'off') return true
  if (factorSince === null && secondFactor !== 'provider') return false
  if (secondFactorAt === null || secondFactorAt > now || now - secondFactorAt > DAY_MS) return false
  return secondFactor !== null && (required === 'any' || strengthOf(session).acr === 'phr')
}

/** Returns true if what a member has is of a kind that an organisation requires. Only a session says how strong a provider is. */
export const isEnough = (
  factor: MemberFactor,
  { secondFactor: required }: Pick<Requirement, 'secondFactor'>,
): boolean => required === 'off' || (required === 'phishing_resistant' ? factor === 'passkey' : factor !== 'none')

/** What stands behind a session, in the words of RFC 8176 and of OpenID's EAP. */
type Strength = { amr: string[]; acr: 'aal1' | 'aal2' | 'phr' }

/**
 * @see https://www.rfc-editor.org/rfc/rfc8176#section-2
 * @see https://openid.net/specs/openid-connect-eap-acr-values-1_0-final.html
 */
export function strengthOf({
  method,
  secondFactor,
  vouchedAcr,
}: Pick<SessionProof, 'method' | 'secondFactor' | 'vouchedAcr'>): Strength {
  const first = method === 'password' ? ['pwd'] : []
  switch (secondFactor) {
    case null:
      return { amr: first, acr: 'aal1' }
    case 'passkey':
      return { amr: [...first, 'pop', 'user', 'mfa'], acr: 'phr' }
    case 'totp':
      return { amr: [...first, 'otp', 'mfa'], acr: 'aal2' }
    case 'provider':
      return { amr: [...first, 'mfa'], acr: vouchedAcr ?? 'aal2' }
    case 'recovery_code':
      return { amr: [...first, 'mfa'], acr: 'aal2' }
  }
}
