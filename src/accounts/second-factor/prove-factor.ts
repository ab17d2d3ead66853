// Checks what a person sent to prove a second factor, and makes the claim that uses it up. Tries are counted, and all wrong ones are
// answered alike: why a passkey was refused is only in the service's own log.
import { runAfterResponse } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { log } from '../../platform/log.ts'
import { decodeBase64url } from '../../evidence/records/base64.ts'
import type { Infer } from '../../platform/once.ts'
import type { PersonId } from '../../platform/ids.ts'
import type { Claim } from '../people/sessions.store.ts'
import { appLockedMail, passkeyRefusedMail, passwordKnownMail } from '../sign-in/account-mails.ts'
import { createChallenges, expectedBy } from './challenges.ts'
import { MOST_FAILURES } from './factors.store.ts'
import { createPersonActs } from './person-acts.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import type { FactorRequest, SecondFactorDeps } from './second-factor-deps.ts'
import type { Purpose, SecondStepSchema } from './second-factor.schema.ts'
import { stepOf } from './totp.ts'
import { createTotpSecrets } from './totp-secrets.ts'
import { verifyAssertion } from './webauthn.ts'

export type SentFactor = Infer<typeof SecondStepSchema>

/** A right factor, until its claim fails. */
type Right = { personId: PersonId; claim: Claim }

/**
 * Why the person of a wrong factor is mailed. `counter`: a passkey may have been copied. `guessing`: five wrong codes in a row, by
 * somebody who knows the password. `locked`: a hundred.
 */
type Told = { personId: PersonId; of: keyof typeof TOLD }

const TOLD = { counter: passkeyRefusedMail, guessing: passwordKnownMail, locked: appLockedMail }

/** The request that proves something. `subject`: what its challenge is bound to. */
type ProofRequest = FactorRequest & { purpose: Purpose; subject: string }

const NO_BYTES = new Uint8Array()

/** The wrong codes in a row after which the person is mailed. */
const MAILED_FAILURES = 5

/**
 * Returns a function that proves a factor, and goes on with its claim. Throws `invalid_credentials` or `rate_limit_exceeded`.
 * @param owner whose factor it has to be; null for the sign-in by a passkey alone, which tells whose it is
 * @param goOn returns null if the claim failed, because the factor was used meanwhile
 */
export function createUseFactor(deps: SecondFactorDeps) {
  const { people, factors, throttle, mailer, clock } = deps
  const [challenges, secrets, acts] = [createChallenges(deps), createTotpSecrets(deps), createPersonActs(deps)]

  /** Mails and records a wrong factor after the response. */
  const tell = ({ personId, of }: Told, { c, caller }: FactorRequest): void =>
    runAfterResponse(c, async () => {
      const person = await people.find(personId)
      if (person !== null) await mailer.send(TOLD[of]({ to: person.email, origin: caller.origin }))
      if (of === 'locked') await acts.record(personId, { act: 'person.factor_locked', requestId: c.get('requestId') })
    })

  async function provePasskey(
    sent: NonNullable<SentFactor['passkey']>,
    owner: PersonId | null,
    { c, caller, purpose, subject }: ProofRequest,
  ): Promise<Right> {
    const wrong = (reason: string): AppError => {
      log({ level: 'info', event: 'passkey_refused', request_id: c.get('requestId'), error_cause: reason })
      return wrongFactor('passkey')
    }
    const challenge = challenges.open(c, purpose, subject)
    if (challenge === null) throw wrong('challenge')
    const credentialId = decodeBase64url(sent.rawId)
    const found = credentialId && (await factors.findPasskey(credentialId))
    if (found === null) throw wrong('unknown')
    const { passkey, handle } = found
    const { personId } = passkey
    const { userHandle } = sent.response
    const isHandle = userHandle === null ? owner !== null : isSameBytes(decodeBase64url(userHandle) ?? NO_BYTES, handle)
    if (!isHandle || (owner !== null && owner !== personId)) throw wrong('owner')
    const verified = await verifyAssertion(sent, expectedBy(caller, challenge), passkey)
    if (verified.outcome === 'verified')
      return { personId, claim: factors.claimPasskey(passkey, challenge, verified, clock()) }
    if (verified.reason === 'counter') tell({ personId, of: 'counter' }, { c, caller })
    throw wrong(verified.reason)
  }

  async function proveTotp(code: string, personId: PersonId, request: ProofRequest): Promise<Right> {
    const app = await factors.findTotp(personId, 'in_force')
    if (app === null || app.failures >= MOST_FAILURES) throw wrongFactor('totp')
    const secret = await secrets.open(app)
    const step = secret && stepOf(secret, code, clock())
    if (secret !== null && step !== null)
      return { personId, claim: factors.claimTotp(app, step, await secrets.seal(app, secret), clock()) }
    const failures = await factors.countFailure(app.id)
    if (failures === MAILED_FAILURES) tell({ personId, of: 'guessing' }, request)
    if (failures === MOST_FAILURES) tell({ personId, of: 'locked' }, request)
    throw wrongFactor('totp')
  }

  async function prove(sent: SentFactor, owner: PersonId | null, request: ProofRequest): Promise<Right> {
    const { passkey, totp, recovery_code: code = '' } = sent
    if (passkey !== undefined) return provePasskey(passkey, owner, request)
    if (owner === null) throw new TypeError('only a passkey tells whose it is')
    if (totp !== undefined) return proveTotp(totp, owner, request)
    return { personId: owner, claim: factors.claimRecoveryCode(owner, hashRecoveryCode(code), clock()) }
  }

  return async function use<T>(
    sent: SentFactor,
    owner: PersonId | null,
    request: ProofRequest,
    goOn: (right: Right) => Promise<T | null>,
  ): Promise<T> {
    const { passkey, totp } = sent
    const act = owner === null ? 'passkey_sign_in' : totp === undefined ? 'factor' : 'totp'
    const tried = await throttle.countTry({ act, account: owner ?? '', network: request.caller.network })
    const result = await goOn(await prove(sent, owner, request))
    if (result === null) throw wrongFactor(passkey ? 'passkey' : totp ? 'totp' : 'recovery_code')
    await throttle.uncountTry(tried)
    return result
  }
}

const WRONG: Readonly<Record<string, string>> = {
  passkey: 'This passkey was not taken. Ask for options again (POST /api/auth/passkeys/options), or use another way.',
  totp: 'This code is wrong, too old or used. Wait for the next one, or use another way.',
  recovery_code: 'This recovery code is wrong or used. Type another one.',
  password: 'The password is wrong. Type it again.',
}

export const wrongFactor = (param: string): AppError =>
  new AppError('invalid_credentials', WRONG[param] ?? '', { param })
