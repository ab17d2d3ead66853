// Signs people in by an identity provider: `begin` sends the browser there, `finish` handles its return.
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { log } from '../../platform/log.ts'
import type { IdentityProvider } from '../../platform/sign-in-config.ts'
import { newToken } from '../access/secret-token.ts'
import type { OAuthFlowsStore } from './oauth-flows.store.ts'
import type { OpenIdClient } from './openid.client.ts'
import type { SecondStepService } from '../second-factor/second-step.service.ts'
import { proofBy, type Session } from '../people/sessions.store.ts'
import { type Claims, provedThereAt, vouchedFactor } from './identity.policy.ts'
import { isTemporary } from './openid-fetch.ts'
import {
  createFindOrCreatePerson,
  type ReturningPerson,
  type FindOrCreatePersonDeps,
  type SignInError,
} from './find-or-create-person.ts'
import { returnPath } from './return-path.policy.ts'

const CALLBACK_PATH = '/api/auth/oauth/callback'

type Deps = FindOrCreatePersonDeps & {
  identityProviders: readonly IdentityProvider[]
  openId: OpenIdClient
  flows: OAuthFlowsStore
  secondStep: Pick<SecondStepService, 'begin'>
}

type BeginResult =
  | { outcome: 'begun'; state: string; authorizationUrl: string }
  | { outcome: 'unknown_provider' }
  | { outcome: 'unavailable' }

type ProviderReturn = Pick<ReturningPerson, 'origin' | 'requestId' | 'later'> & {
  /** The query that the browser brought back. */
  answer: URLSearchParams
  state: string
  /** The session token that the browser had before; null if it had none. */
  previousToken: string | null
}

type FinishResult =
  | { outcome: 'second_step'; token: string; personId: PersonId; returnTo: string }
  | { outcome: 'signed_in'; token: string; personId: PersonId; returnTo: string }
  | { outcome: 'confirmed'; token: string; personId: PersonId; returnTo: string; session: Session }
  | { outcome: 'refused'; error: SignInError }

export function createOAuthService(deps: Deps) {
  const { identityProviders, openId, flows, people, identities, secondStep, sessions, clock } = deps
  const findOrCreatePerson = createFindOrCreatePerson(deps)
  const providerOf = (id: string) => identityProviders.find((provider) => provider.id === id)

  /** SECURITY: confirms the session of this browser only, by its person's own identity. */
  async function confirm(of: {
    sessionId: SessionId | null
    returnTo: string
    provider: IdentityProvider
    claims: Claims
    previousToken: string | null
  }): Promise<FinishResult> {
    const { claims, returnTo } = of
    const now = clock()
    const session = of.previousToken === null ? null : await sessions.findByToken(of.previousToken, now)
    const personId = await identities.findPerson({ issuer: claims.iss, subject: claims.sub })
    const provedAt = provedThereAt(claims, now)
    if (session?.id !== of.sessionId || session?.personId !== personId || provedAt === null)
      return { outcome: 'refused', error: 'not_confirmed' }
    const vouched = vouchedFactor(claims, of.provider.secondFactor, now)
    // Less than what the session has would make all of it count as fresh.
    if (vouched === null && session.secondFactor !== null) return { outcome: 'refused', error: 'not_confirmed' }
    const token = await sessions.confirmThere(session, { ...session, ...(vouched && proofBy(vouched)), provedAt })
    return token === null
      ? { outcome: 'refused', error: 'expired' }
      : { outcome: 'confirmed', token, personId: session.personId, returnTo, session }
  }

  return {
    listProviders: () => identityProviders.map(({ id, label }) => ({ id, label })),

    /** @param wanted `confirming`: the session to confirm; null to begin one */
    async begin(wanted: {
      provider: string
      returnTo: string
      confirming: SessionId | null
      origin: string
      requestId: string
    }): Promise<BeginResult> {
      const provider = providerOf(wanted.provider)
      if (provider === undefined) return { outcome: 'unknown_provider' }
      const [state, nonce, verifier] = [newToken(), newToken(), newToken()]
      const redirectUri = wanted.origin + CALLBACK_PATH
      const { confirming: sessionId } = wanted
      const binding = { redirectUri, state, nonce, verifier }
      const ready = await openId.authorizationUrl(provider, binding, sessionId !== null)
      if (ready.outcome === 'failed') {
        logFailure(provider, ready.cause, wanted.requestId)
        return { outcome: 'unavailable' }
      }
      const returnTo = returnPath(wanted.returnTo)
      await flows.begin(state, { provider: provider.id, verifier, nonce, returnTo, sessionId }, clock())
      return { outcome: 'begun', state, authorizationUrl: ready.url }
    },

    async finish({ answer, state, previousToken, ...returning }: ProviderReturn): Promise<FinishResult> {
      const flow = await flows.take(state, clock())
      const provider = flow === null ? undefined : providerOf(flow.provider)
      if (flow === null || provider === undefined) return { outcome: 'refused', error: 'expired' }
      const { nonce, verifier, returnTo } = flow
      const redirectUri = returning.origin + CALLBACK_PATH
      const identified = await openId.identify(provider, answer, { redirectUri, state, nonce, verifier })
      if (identified.outcome === 'failed') {
        logFailure(provider, identified.cause, returning.requestId)
        const error = flow.sessionId === null ? 'refused' : 'not_confirmed'
        return { outcome: 'refused', error: isTemporary(identified.cause) ? 'expired' : error }
      }
      if (flow.sessionId !== null) return confirm({ ...flow, provider, claims: identified.claims, previousToken })
      const recognised = await findOrCreatePerson({ ...returning, provider, claims: identified.claims })
      if (recognised.outcome === 'refused') return recognised
      const { personId } = recognised
      const who = { personId, method: provider.id }
      // SECURITY: a provider vouches for nobody who has a factor here: whoever reads their mail could join an identity to them.
      const person = await people.find(personId)
      const waiting = person && (await secondStep.begin(person, provider.id))
      if (waiting !== null) return { outcome: 'second_step', token: waiting.token, personId, returnTo }
      const vouched = vouchedFactor(identified.claims, provider.secondFactor, clock())
      const begun = await sessions.begin(who, previousToken, clock(), vouched)
      if (begun === null) return { outcome: 'refused', error: 'expired' }
      return { outcome: 'signed_in', token: begun.token, personId, returnTo }
    },
  }
}

const logFailure = ({ id }: IdentityProvider, cause: string, requestId: string): void =>
  log({ level: 'info', event: 'identity_provider_failed', request_id: requestId, provider: id, error_cause: cause })
