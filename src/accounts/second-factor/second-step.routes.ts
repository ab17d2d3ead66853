// Routes for the second step of a sign-in, for signing in by a passkey alone, and for confirming a session.
import type { AppContext } from '../../platform/context.ts'
import { publicOperations } from '../../platform/operations.ts'
import { type Api, createApi } from '../../platform/router.ts'
import { toWire } from '../../platform/wire.ts'
import { encodeBase64url } from '../../evidence/records/base64.ts'
import { sessionOperations } from '../access/access-operations.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import { secondStepCookie, secondsLeft, sessionCookie } from '../access/session-cookie.ts'
import { answerSignedIn } from '../sign-in/sign-in.routes.ts'
import { SignedInSchema } from '../sign-in/sign-in.schema.ts'
import { CHALLENGE_MS, createChallenges } from './challenges.ts'
import type { Passkey } from './factors.store.ts'
import type { FactorsService } from './factors.service.ts'
import { OPEN_ERRORS } from '../sign-in/sign-in-errors.ts'
import type { SecondFactorDeps } from './second-factor-deps.ts'
import {
  ConfirmedSchema,
  ConfirmSchema,
  PasskeyOptionsRequestSchema,
  PasskeyOptionsSchema,
  PasskeySignInSchema,
  SecondStepSchema,
  type Purpose,
} from './second-factor.schema.ts'
import { NOBODY, subjectOf, type SecondStepService, type SignedIn } from './second-step.service.ts'
import { ALGORITHMS } from './webauthn.ts'

type Deps = SecondFactorDeps & { service: SecondStepService; factorsService: FactorsService }

export function secondStepRoutes({ service, factorsService, ...deps }: Deps): Api {
  const { access, readCaller, factors } = deps
  const challenges = createChallenges(deps)
  const api = createApi()
  const open = publicOperations({ tags: ['People'] }, api)
  const people = sessionOperations(access, { tags: ['People'] }, api)

  open.openapi(
    {
      route: 'POST /api/auth/login/second-factor',
      security: [],
      operationId: 'logInSecondFactor',
      summary: 'Finish signing in',
      description: 'Proves a second factor after the password. Ten tries, within ten minutes.',
      body: SecondStepSchema,
      answers: { 200: [SignedInSchema, 'The session. Its token is in the cookie, and nowhere else.'] },
      errors: [...OPEN_ERRORS, 'invalid_credentials', 'session_required'],
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const factor = await sent.body()
      return answerStep(c, await service.finish(secondStepCookie.read(c), factor, { c, caller }))
    },
  )

  open.openapi(
    {
      route: 'POST /api/auth/passkeys/sign-in',
      security: [],
      operationId: 'logInByPasskey',
      summary: 'Sign in by a passkey',
      description: 'A passkey alone is two factors: the device, and the finger, face or PIN that unlocks it.',
      body: PasskeySignInSchema,
      answers: { 200: [SignedInSchema, 'The session. Its token is in the cookie, and nowhere else.'] },
      errors: [...OPEN_ERRORS, 'invalid_credentials'],
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const { passkey } = await sent.body()
      return answerStep(c, await service.signInByPasskey(passkey, { c, caller }))
    },
  )

  open.openapi(
    {
      route: 'POST /api/auth/passkeys/options',
      security: [],
      operationId: 'getPasskeyOptions',
      summary: 'Get options for a passkey',
      description:
        'Returns what a browser needs to make or use a passkey, and sets a cookie that it has to have with its answer.',
      body: PasskeyOptionsRequestSchema,
      answers: { 200: [PasskeyOptionsSchema, 'For one use, within five minutes.'] },
      errors: [...OPEN_ERRORS, 'session_required', 'fresh_sign_in_required'],
    },
    async ({ c, sent }) => {
      const { origin } = await readCaller(c)
      const { purpose } = await sent.body()
      const { subject, personId } = await findSubject(c, purpose)
      const owner = purpose === 'register' && personId !== null ? await factorsService.describeOwner(personId) : null
      const own = personId === null ? [] : (await factors.listPasskeys(personId)).map(descriptorOf)
      const challenge = challenges.issue(c, purpose, subject)
      const asked = { challenge: encodeBase64url(challenge.bytes), timeout: CHALLENGE_MS }
      const rpId = new URL(origin).hostname
      const options =
        owner === null
          ? { ...asked, rpId, userVerification: 'required', allowCredentials: own }
          : { ...asked, rp: { id: rpId, name: 'Countersign' }, user: owner, excludeCredentials: own, ...REGISTRATION }
      return c.json({
        object: 'passkey_options',
        purpose,
        expires_at: new Date(challenge.expiresAt).toISOString(),
        options,
      })
    },
  )

  people.openapi(
    {
      route: 'POST /api/auth/confirm',
      security: SESSION_SECURITY,
      operationId: 'confirmSession',
      summary: 'Confirm that it is you',
      description:
        'Proves a second factor again, before an act that needs it. The session stays, under a new token. Only who has no second factor confirms by the password alone.',
      body: ConfirmSchema,
      answers: { 200: [ConfirmedSchema, 'The session, confirmed for 15 minutes.'] },
      errors: ['rate_limit_exceeded', 'invalid_credentials', 'second_factor_required'],
    },
    async ({ c, caller: session, sent }) => {
      const caller = await readCaller(c)
      const { token, isFull } = await service.confirm(session, await sent.body(), { c, caller })
      sessionCookie.set(c, token, secondsLeft(session))
      return c.json(toWire(ConfirmedSchema(), { ...session, object: 'session', fresh: true, full: isFull }))
    },
  )

  /** Returns what the challenge is bound to, and whose passkeys it may be answered by; null for anybody's. */
  async function findSubject(c: AppContext, purpose: Purpose) {
    if (purpose === 'sign_in') return { subject: NOBODY, personId: null }
    if (purpose !== 'second_factor') {
      const { id, personId } = await access.requireSession(c, purpose === 'register' ? 'set_up' : undefined)
      return { subject: id, personId }
    }
    const { token, first } = await service.requirePending(secondStepCookie.read(c))
    return { subject: subjectOf(token), personId: first.personId }
  }

  return api
}

/** @see https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson */
const REGISTRATION = {
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  attestation: 'none',
}

const descriptorOf = ({ credentialId, transports }: Passkey) => ({
  type: 'public-key',
  id: encodeBase64url(credentialId),
  transports,
})

function answerStep(c: AppContext, signedIn: SignedIn): Response {
  secondStepCookie.clear(c)
  return answerSignedIn(c, signedIn)
}
