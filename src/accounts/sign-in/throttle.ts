// Limits tries (sign-in, sign-up …) before anything is hashed or mailed, and equally for accounts that do not exist.
// Nobody can lock another person out: limits per account spare the networks that its person signs in from.
import { createHmac } from 'node:crypto'
import { DAY_MS, MINUTE_MS, type Clock } from '../../platform/time.ts'
import type { Pepper } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import type { AttemptsStore, TryWindow } from './attempts.store.ts'
import { LINK_LIFE_MS } from './mail-links.store.ts'

type Per = 'account_and_network' | 'account' | 'network'

/** `sparesKnown`: the limit does not apply to a network that the account's person signs in from. */
type Limit = TryWindow & { per: Per; sparesKnown?: true }

const QUARTER_MS = 15 * MINUTE_MS
const HOUR_MS = 60 * MINUTE_MS
/** The time for which a network counts as one that the account's person signs in from. */
const KNOWN_MS = 30 * DAY_MS
/** The window of the platform's own limit per network, as wrangler.toml sets it. */
const NETWORK_WINDOW_SECONDS = 60

/** The limits, in the order of counting: a try that one limit refuses does not count for the next. */
const LIMITS = {
  sign_in: [
    { per: 'account_and_network', most: 5, windowMs: QUARTER_MS },
    { per: 'account', most: 100, windowMs: DAY_MS, sparesKnown: true },
  ],
  sign_up: [
    { per: 'account_and_network', most: 5, windowMs: HOUR_MS },
    { per: 'network', most: 30, windowMs: HOUR_MS },
    { per: 'account', most: 20, windowMs: DAY_MS, sparesKnown: true },
  ],
  // The caller has an invitation, so nobody else can use up the limit of its address.
  invited_sign_up: [
    { per: 'account_and_network', most: 5, windowMs: HOUR_MS },
    { per: 'network', most: 30, windowMs: HOUR_MS },
  ],
  // A window lasts as long as a link: a person refused because of others' requests still has a working link.
  password_reset: [
    { per: 'account_and_network', most: 3, windowMs: LINK_LIFE_MS.reset },
    { per: 'network', most: 30, windowMs: HOUR_MS },
    { per: 'account', most: 3, windowMs: LINK_LIFE_MS.reset, sparesKnown: true },
  ],
  // Counted for the person who asks and for the address that gets the mail.
  email_change: [
    { per: 'account', most: 3, windowMs: 30 * MINUTE_MS },
    { per: 'network', most: 60, windowMs: HOUR_MS },
  ],
  mailed_link: [{ per: 'network', most: 60, windowMs: QUARTER_MS }],
  password_change: [{ per: 'account', most: 5, windowMs: QUARTER_MS }],
  // A locked app locks neither passkeys nor recovery codes, which cannot be guessed: so nobody can lock another out.
  totp: [
    { per: 'account_and_network', most: 5, windowMs: QUARTER_MS },
    { per: 'account', most: 10, windowMs: QUARTER_MS },
  ],
  factor: [
    { per: 'account_and_network', most: 10, windowMs: QUARTER_MS },
    { per: 'network', most: 60, windowMs: QUARTER_MS },
  ],
  passkey_sign_in: [{ per: 'network', most: 60, windowMs: QUARTER_MS }],
  factor_set_up: [{ per: 'account', most: 10, windowMs: HOUR_MS }],
  // Counted for the address that gets the link, and for the person that a manager asks for.
  factor_reset: [
    { per: 'network', most: 30, windowMs: HOUR_MS },
    { per: 'account', most: 3, windowMs: DAY_MS, sparesKnown: true },
  ],
  // Each founding creates an object and a log that stay, even if the organisation does not.
  founding: [{ per: 'account', most: 20, windowMs: DAY_MS }],
} as const satisfies Record<string, readonly Limit[]>

export type ThrottledAct = keyof typeof LIMITS

/** `account`: the result of `emailKeyOf`, or a person's id. `network`: the result of `networkOf`. */
export type AccountNetwork = { account: string; network: string }
export type ThrottledTry = AccountNetwork & { act: ThrottledAct }

export type CountedTry = readonly string[]

export type Throttle = {
  /** Applies the platform's own coarse limit per network. Throws `rate_limit_exceeded`. */
  limitNetwork(network: string): Promise<void>
  /** Counts a try. Throws `rate_limit_exceeded`, which says when to come back. */
  countTry(tried: ThrottledTry): Promise<CountedTry>
  /** Uncounts this try, which was not a guess. Tries of others still count. */
  uncountTry(counted: CountedTry): Promise<void>
  /** Remembers for 30 days that the account's person signs in from there. Returns true if they did not in the last ones. */
  rememberNetwork(where: AccountNetwork): Promise<boolean>
  /** Forgets the tries to sign in from this network, because the caller has read the account's mail. */
  forgive(where: AccountNetwork): Promise<void>
}

type Deps = {
  attempts: AttemptsStore
  /** The key of the subjects' HMACs, so that the table names neither accounts nor networks. */
  pepper: Pepper
  /** The platform's limit of requests per network and minute; undefined for no such limit. */
  networkLimit: RateLimit | undefined
  clock: Clock
}

export function createThrottle({ attempts, pepper, networkLimit, clock }: Deps): Throttle {
  const subject = (...parts: readonly string[]): string =>
    createHmac('sha256', pepper.bytes)
      .update(JSON.stringify(['attempts-1', ...parts]))
      .digest('base64url')

  const subjectOf = ({ per }: Limit, { act, account, network }: ThrottledTry): string =>
    subject(act, per, per === 'network' ? '' : account, per === 'account' ? '' : network)

  const known = ({ account, network }: AccountNetwork): string => subject('known', account, network)

  /** Returns true if the try was counted. Returns false if the limit is reached but spares this network; else throws. */
  async function countAgainstLimit(limit: Limit, tried: ThrottledTry): Promise<boolean> {
    const now = clock()
    const counted = await attempts.countTry(subjectOf(limit, tried), limit, now)
    if (counted.isCounted) return true
    const isSpared = limit.sparesKnown === true && (await attempts.isRemembered(known(tried), now))
    if (!isSpared) throw tooOften(tried.act, Math.max(1, Math.ceil((counted.endsAt - now) / 1000)))
    return false
  }

  return {
    async limitNetwork(network) {
      const { success } = (await networkLimit?.limit({ key: subject('sieve', network) })) ?? { success: true }
      if (!success) throw tooManyFromHere()
    },

    async countTry(tried) {
      const counted: string[] = []
      for (const limit of LIMITS[tried.act]) {
        if (await countAgainstLimit(limit, tried)) counted.push(subjectOf(limit, tried))
      }
      return counted
    },

    uncountTry: (counted) => attempts.uncountTries(counted),

    async rememberNetwork(where) {
      const isNew = !(await attempts.isRemembered(known(where), clock()))
      await attempts.remember(known(where), clock() + KNOWN_MS)
      return isNew
    },

    async forgive(where) {
      await attempts.forget(subjectOf(LIMITS.sign_in[0], { ...where, act: 'sign_in' }))
      await attempts.remember(known(where), clock() + KNOWN_MS)
    },
  }
}

const REFUSAL_TEXTS = {
  sign_in: 'Too many attempts to sign in to this account. Set a new password (POST /api/auth/password-reset), or wait',
  sign_up: 'Too many sign-ups with this address or from this network. Wait',
  invited_sign_up: 'Too many sign-ups with this address or from this network. Wait',
  password_reset: 'Too many password resets for this address or from this network. Check your mail for a link, or wait',
  email_change: 'Too many requests for another address, for this one or from this network. Wait',
  mailed_link: 'Too many attempts to open a mailed link from this network. Wait',
  password_change: 'Too many attempts with this password. Wait',
  totp: 'Too many codes of an authenticator app. Use a passkey or a recovery code, or wait',
  factor: 'Too many passkeys or recovery codes were wrong. Wait',
  passkey_sign_in: 'Too many attempts to sign in by a passkey from this network. Wait',
  factor_set_up: 'Too many codes were made for this account. Wait',
  factor_reset: 'Too many resets of second factors, for this account or from this network. Wait',
  founding: 'You have created too many organisations within a day. Wait',
} as const satisfies Record<ThrottledAct, string>

const tooOften = (act: ThrottledAct, retryAfterSeconds: number): AppError =>
  new AppError('rate_limit_exceeded', `${REFUSAL_TEXTS[act]} ${inWords(retryAfterSeconds)}.`, { retryAfterSeconds })

const tooManyFromHere = (): AppError =>
  new AppError('rate_limit_exceeded', 'Too many attempts from this network. Wait a minute.', {
    retryAfterSeconds: NETWORK_WINDOW_SECONDS,
  })

function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}
