// Decides which account a sign-in by an identity provider leads to. The facts are the provider's claims, the trust in its e-mail
// addresses, and the existing accounts. Pure.
import { removeInvisible } from '../../platform/names.schema.ts'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { PersonId } from '../../platform/ids.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import type { VouchedFactor } from '../access/session-proof.policy.ts'
import type { EmailTrust, IdentityProvider } from '../../platform/sign-in-config.ts'

/** Claims of an id_token whose signature, issuer, audience, expiry and nonce are checked (OpenID Connect Core 1.0, 2 and 5.1). */
export const ClaimsSchema = once(() =>
  z.object({
    iss: z.string(),
    // "It MUST NOT exceed 255 ASCII characters in length."
    sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
    email: z.unknown().optional(),
    email_verified: z.unknown().optional(),
    name: z.unknown().optional(),
    hd: z.unknown().optional(),
    xms_edov: z.unknown().optional(),
    amr: z.unknown().optional(),
    acr: z.unknown().optional(),
    auth_time: z.unknown().optional(),
  }),
)

export type Claims = Infer<typeof ClaimsSchema>

// Only ASCII addresses, so that two addresses that look alike are never two people's.
const EmailSchema = once(() => z.email().max(254))

// Entra writes `xms_edov` as true or as '1'. Claims that begin with xms_ are Entra's own: no policy of a tenant sets one.
const ENTRAS_TRUE = '1'

const MAX_NAME_CHARACTERS = 100

/** Returns the address if the issuer is trusted to have proven it; else null. */
export function trustedEmail(claims: Claims, trust: EmailTrust): string | null {
  const email = EmailSchema().safeParse(claims.email)
  return email.success && isProven(claims, email.data, trust) ? email.data : null
}

/** SECURITY: `email_verified` counts only as `true`. An issuer that writes it in another way may let its users set it. */
function isProven({ email_verified: isVerified, hd, xms_edov: isOfOwner }: Claims, email: string, trust: EmailTrust) {
  switch (trust) {
    case 'verified':
      return isVerified === true
    case 'google':
      return isVerified === true && (isHosted(hd) || /@gmail\.com$/i.test(email))
    case 'entra':
      return isOfOwner === true || isOfOwner === ENTRAS_TRUE
    case 'issuer':
      return isVerified === undefined || isVerified === true
  }
}

const isHosted = (hd: unknown): boolean => typeof hd === 'string' && hd !== ''

/** The clocks of two servers may differ by so many milliseconds. */
const SKEW_MS = MINUTE_MS
/** The age of a proof at a provider that is trusted with the second factor. An older one is made anew there. */
export const MOST_PROOF_SECONDS = 300
/** An older proof counts for nothing: a provider may not heed what it was asked. The person may take ten minutes on the way. */
const MOST_AGE_MS = MOST_PROOF_SECONDS * 1000 + 10 * MINUTE_MS + SKEW_MS

/**
 * Returns when the person proved to the provider who they are, in milliseconds; null if it does not say, or long ago.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
export function provedThereAt({ auth_time: seconds }: Pick<Claims, 'auth_time'>, now: number): number | null {
  if (typeof seconds !== 'number') return null
  const at = Math.floor(seconds) * 1000
  return at <= now + SKEW_MS && now - at <= MOST_AGE_MS ? Math.min(at, now) : null
}

/** Phishing-resistant. @see https://openid.net/specs/openid-connect-eap-acr-values-1_0-final.html */
const PHISHING_RESISTANT: ReadonlySet<unknown> = new Set(['phr', 'phrh'])

/**
 * Returns the second factor of who comes from the provider; null if it says so in no way that the operator trusts. The least is
 * assumed: a value of another spelling, or no time, is no factor.
 */
export function vouchedFactor(
  claims: Pick<Claims, 'amr' | 'acr' | 'auth_time'>,
  trust: IdentityProvider['secondFactor'],
  now: number,
): VouchedFactor | null {
  const at = provedThereAt(claims, now)
  if (trust === undefined || at === null) return null
  const { amr, acr } = claims
  const told: unknown[] = trust.by === 'acr' ? [acr] : Array.isArray(amr) ? amr : []
  if (!told.some((value) => trust.values.some((one) => one === value))) return null
  return { at, acr: trust.by === 'acr' && PHISHING_RESISTANT.has(acr) ? 'phr' : 'aal2' }
}

/** Returns a new person's name: the issuer's, or the part of the address before the @. */
export function newPersonName({ name }: Claims, email: string): string {
  const given = typeof name === 'string' ? inOneLine(name) : ''
  return /[\p{L}\p{N}]/u.test(given) ? given : email.slice(0, email.indexOf('@'))
}

/** Removes line breaks, characters that change text direction and invisible ones, because other people read names. */
const inOneLine = (text: string): string =>
  Array.from(
    removeInvisible(text.toWellFormed())
      .replaceAll(/[\p{Cc}\p{Z}\uFFF9-\uFFFB]+/gu, ' ')
      .trim(),
  )
    .slice(0, MAX_NAME_CHARACTERS)
    .join('')
    .trim()

export type IdentityFacts = {
  linkedTo: PersonId | null
  /** The address, if it is trusted. */
  email: string | null
  /** The person with that address. `isProven`: they have proven it. */
  holder: { id: PersonId; isProven: boolean } | null
  /** True if a new person may sign up: sign-up is open, or the address has an invitation. */
  isWelcome: boolean
}

export type IdentityDecision =
  | { outcome: 'sign_in'; personId: PersonId }
  | { outcome: 'join'; personId: PersonId; email: string }
  | { outcome: 'create'; email: string }
  | { outcome: 'refuse'; error: 'refused' | 'email_not_verified' }

export function decideIdentity({ linkedTo, email, holder, isWelcome }: IdentityFacts): IdentityDecision {
  if (linkedTo !== null) return { outcome: 'sign_in', personId: linkedTo }
  if (email === null) return { outcome: 'refuse', error: 'email_not_verified' }
  if (holder !== null) {
    // SECURITY: an unproven address may be somebody else's, so its account gets no identity.
    return holder.isProven
      ? { outcome: 'join', personId: holder.id, email }
      : { outcome: 'refuse', error: 'email_not_verified' }
  }
  return isWelcome ? { outcome: 'create', email } : { outcome: 'refuse', error: 'refused' }
}
