// Checks what a person sent to prove a second factor, and makes the claim that uses it up. Tries are counted, and all wrong ones are
// answered alike: why a passkey was refused is only in the service's own log.
import { isSameBytes } from '../../platform/bytes.ts'
import { log } from '../../platform/log.ts'
import { decodeBase64url } from '../../evidence/records/base64.ts'
import type { Infer } from '../../platform/once.ts'
import type { PersonId } from '../../platform/ids.ts'
import type { Claim } from '../people/sessions.store.ts'
import { createChallenges, expectedBy } from './challenges.ts'
import { MOST_FAILURES } from './factors.store.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import type { FactorRequest, SecondFactorDeps } from './second-factor-deps.ts'
import type { Purpose, SecondStepSchema } from './second-factor.schema.ts'
import { stepOf } from './totp.ts'
import { createTotpSecrets } from './totp-secrets.ts'
import { verifyAssertion } from './webauthn.ts'

export type SentFactor = Infer<typeof SecondStepSchema>

/** A right factor, until its claim fails. */
type Right = { outcome: 'right'; personId: PersonId; claim: Claim }

/**
 * `param`: what was wrong. `told`: why its person is mailed. `counter`: a passkey may have been copied. `guessing`: five wrong codes
 * in a row, by somebody who knows the password. `locked`: a hundred.
 */
export type Wrong = {
  outcome: 'wrong'
  param: keyof SentFactor
  told?: { personId: PersonId; of: 'counter' | 'guessing' | 'locked' }
}

/** The request that proves something. `subject`: what its challenge is bound to. */
export type ProofRequest = FactorRequest & { purpose: Purpose; subject: string }

const NO_BYTES = new Uint8Array()

/** The wrong codes in a row after which the person is mailed. */
const MAILED_FAILURES = 5

/**
 * Returns a function that proves a factor, and goes on with its claim.
 * @param owner whose factor it has to be; null for the sign-in by a passkey alone, which tells whose it is
 * @param goOn returns null if the claim failed, because the factor was used meanwhile
 */
export function createUseFactor(deps: SecondFactorDeps) {
  const { factors, throttle, clock } = deps
  const [challenges, secrets] = [createChallenges(deps), createTotpSecrets(deps)]

  async function provePasskey(
    sent: NonNullable<SentFactor['passkey']>,
    owner: PersonId | null,
    { c, caller, purpose, subject }: ProofRequest,
  ): Promise<Right | Wrong> {
    const wrong = (reason: string, told?: Wrong['told']): Wrong => {
      log({ level: 'info', event: 'passkey_refused', request_id: c.get('requestId'), error_cause: reason })
      return { outcome: 'wrong', param: 'passkey', ...(told && { told }) }
    }
    const challenge = challenges.open(c, purpose, subject)
    if (challenge === null) return wrong('challenge')
    const credentialId = decodeBase64url(sent.rawId)
    const found = credentialId && (await factors.findPasskey(credentialId))
    if (found === null) return wrong('unknown')
    const { passkey, handle } = found
    const { personId } = passkey
    const { userHandle } = sent.response
    const isHandle = userHandle === null ? owner !== null : isSameBytes(decodeBase64url(userHandle) ?? NO_BYTES, handle)
    if (!isHandle || (owner !== null && owner !== personId)) return wrong('owner')
    const verified = await verifyAssertion(sent, expectedBy(caller, challenge), passkey)
    if (verified.outcome === 'refused')
      return wrong(verified.reason, verified.reason === 'counter' ? { personId, of: 'counter' } : undefined)
    return { outcome: 'right', personId, claim: factors.claimPasskey(passkey, challenge, verified, clock()) }
  }

  async function proveTotp(code: string, personId: PersonId): Promise<Right | Wrong> {
    const app = await factors.findTotp(personId, 'in_force')
    if (app === null || app.failures >= MOST_FAILURES) return { outcome: 'wrong', param: 'totp' }
    const secret = await secrets.open(app)
    const step = secret && stepOf(secret, code, clock())
    if (secret !== null && step !== null) {
      const claim = factors.claimTotp(app, step, await secrets.seal(app, secret), clock())
      return { outcome: 'right', personId, claim }
    }
    const failures = await factors.countFailure(app.id)
    const of = failures === MAILED_FAILURES ? 'guessing' : failures === MOST_FAILURES ? 'locked' : null
    return { outcome: 'wrong', param: 'totp', ...(of && { told: { personId, of } }) }
  }

  async function prove(sent: SentFactor, owner: PersonId | null, request: ProofRequest): Promise<Right | Wrong> {
    const { passkey, totp, recovery_code: code = '' } = sent
    if (passkey !== undefined) return provePasskey(passkey, owner, request)
    if (owner === null) throw new TypeError('only a passkey tells whose it is')
    if (totp !== undefined) return proveTotp(totp, owner)
    const claim = factors.claimRecoveryCode(owner, hashRecoveryCode(code), clock())
    return { outcome: 'right', personId: owner, claim }
  }

  return async function use<T>(
    sent: SentFactor,
    owner: PersonId | null,
    request: ProofRequest,
    goOn: (right: Right) => Promise<T | null>,
  ): Promise<{ outcome: 'used'; result: T } | Wrong> {
    const { passkey, totp } = sent
    const act = owner === null ? 'passkey_sign_in' : totp === undefined ? 'factor' : 'totp'
    const tried = await throttle.countTry({ act, account: owner ?? '', network: request.caller.network })
    const proved = await prove(sent, owner, request)
    if (proved.outcome === 'wrong') return proved
    const result = await goOn(proved)
    if (result === null) return { outcome: 'wrong', param: passkey ? 'passkey' : totp ? 'totp' : 'recovery_code' }
    await throttle.uncountTry(tried)
    return { outcome: 'used', result }
  }
}
