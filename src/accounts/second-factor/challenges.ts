// Makes and opens the challenges of passkeys. A challenge is the SHA-256 of a signed cookie, so that asking for one, which anybody
// can, stores nothing. A right answer uses it up (factors.store.ts).
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { sha256 } from '../../platform/sha256.ts'
import { MINUTE_MS, type Clock } from '../../platform/time.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { hostCookie } from '../access/session-cookie.ts'
import type { Caller } from '../sign-in/read-caller.ts'
import type { Challenge } from './factors.store.ts'
import { PURPOSES, type Purpose } from './second-factor.schema.ts'
import type { Expected } from './webauthn.ts'

const CHALLENGE_MINUTES = 5
export const CHALLENGE_MS = CHALLENGE_MINUTES * MINUTE_MS

/** A cookie for each purpose, so that a second tab does not break the first. */
const COOKIES = new Map(
  PURPOSES.map((purpose) => [purpose, hostCookie(`passkey-${purpose.replace('_', '-')}`, CHALLENGE_MINUTES * 60)]),
)

export type Challenges = {
  /** @param subject the pending sign-in or the session that the challenge is for; `-` for a sign-in by the passkey alone */
  issue(c: AppContext, purpose: Purpose, subject: string): Challenge
  /** Returns null unless the browser has the challenge of this purpose and subject, in time. */
  open(c: AppContext, purpose: Purpose, subject: string): Challenge | null
}

/** Returns what a passkey's answer to the challenge must be bound to. */
export const expectedBy = ({ origin }: Caller, { bytes }: Challenge): Expected => ({
  origin,
  rpId: new URL(origin).hostname,
  challenge: bytes,
})

type Deps = { signingPepper: Pepper; peppers: readonly Pepper[]; clock: Clock }

export function createChallenges({ signingPepper, peppers, clock }: Deps): Challenges {
  return {
    issue(c, purpose, subject) {
      const expiresAt = clock() + CHALLENGE_MS
      const random = encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
      const signed = `${purpose}.${subject}.${expiresAt}.${random}`
      const value = `${signed}.${tagOf(signed, signingPepper)}`
      COOKIES.get(purpose)?.set(c, value)
      return { bytes: sha256(value), expiresAt }
    },

    open(c, purpose, subject) {
      const value = COOKIES.get(purpose)?.read(c) ?? null
      const parts = /^((\w+)\.([\w-]+)\.(\d{1,16})\.[\w-]{43})\.([\w-]{43})$/.exec(value ?? '')
      if (value === null || parts === null) return null
      const [, signed = '', forPurpose, forSubject, until, tag = ''] = parts
      const isOurs = peppers.some((pepper) => timingSafeEqual(sha256(tag), sha256(tagOf(signed, pepper))))
      const expiresAt = Number(until)
      if (!isOurs || forPurpose !== purpose || forSubject !== subject || expiresAt <= clock()) return null
      return { bytes: sha256(value), expiresAt }
    },
  }
}

const tagOf = (signed: string, { bytes }: Pepper): string =>
  createHmac('sha256', bytes).update(`challenge-1.${signed}`).digest('base64url')
