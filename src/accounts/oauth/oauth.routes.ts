// Routes for signing in by an identity provider: list the providers, send the browser to one, and sign the person in when the
// browser returns.
import { runAfterResponse, type AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { publicOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import type { AccessControl } from '../access/access-control.ts'
import { secondsLeft, secondStepCookie, sessionCookie, tokenCookie } from '../access/session-cookie.ts'
import { CallbackQuerySchema, IdentityProvidersSchema, OAuthRedirectSchema, OAuthSignInSchema } from './oauth.schema.ts'
import { createOAuthService } from './oauth.service.ts'
import type { SignInError } from './find-or-create-person.ts'
import { FLOW_MINUTES, OAuthFlowsStore } from './oauth-flows.store.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Clock } from '../../platform/time.ts'
import type { SignInConfig } from '../../platform/sign-in-config.ts'
import { createActDelivery } from '../members/act-delivery.ts'
import { InvitationsStore } from '../members/invitations.store.ts'
import { IdentitiesStore } from '../people/identities.store.ts'
import { PeopleStore } from '../people/people.store.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import type { SecondStepService } from '../second-factor/second-step.service.ts'
import { createOpenIdClient } from './openid.client.ts'

const RETRY_SECONDS = 30

/**
 * Binds a sign-in to the browser that began it: the cookie holds the `state`. It is SameSite=Lax,
 * because the provider sends the browser back from another site.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-10.12
 */
const flowCookie = tokenCookie('oauth', FLOW_MINUTES * 60)

const header = (description: string) => ({ description, required: true, schema: { type: 'string' as const } })

type Deps = {
  db: D1Database
  open: OpenOrganisation
  signIn: SignInConfig
  access: AccessControl
  sessions: SessionsStore
  mailer: Mailer
  secondStep: Pick<SecondStepService, 'begin'>
  /** Throws `rate_limit_exceeded` if the network sends too many requests. */
  assertNotTooOften: (c: AppContext) => Promise<void>
  /** True if providers may be called over plain http, which is for local development only. */
  allowsPlainHttp: boolean
  clock: Clock
}

export function oauthRoutes({ db, open, signIn, access, allowsPlainHttp, assertNotTooOften, ...deps }: Deps): Api {
  const service = createOAuthService({
    ...deps,
    ...signIn,
    delivery: createActDelivery({ db, open, clock: deps.clock }),
    openId: createOpenIdClient({ clock: deps.clock, allowsPlainHttp }),
    flows: new OAuthFlowsStore(db),
    people: new PeopleStore(db),
    identities: new IdentitiesStore(db),
    invitations: new InvitationsStore(db),
  })
  const { publicOrigin } = signIn
  const { api, openapi } = publicOperations({ tags: ['People'], security: [] })
  const originOf = (c: AppContext): string => publicOrigin ?? new URL(c.req.url).origin

  openapi(
    {
      route: 'GET /api/auth/providers',
      operationId: 'listIdentityProviders',
      summary: 'List identity providers',
      description: 'Lists the identity providers that people can sign in by.',
      answers: { 200: [IdentityProvidersSchema, 'All of them; none where none is configured.'] },
      errors: ['invalid_request', 'internal_error'],
    },
    ({ c }) => {
      c.header('cache-control', 'no-store')
      const data = service.listProviders().map(({ id, label }) => ({ id, object: 'identity_provider', label }))
      return c.json({ object: 'list', data, has_more: false, next_cursor: null })
    },
  )

  openapi(
    {
      route: 'POST /api/auth/oauth-signin',
      operationId: 'beginOAuthSignIn',
      summary: 'Start provider sign-in',
      description:
        'Starts to sign a person in by an identity provider. Sets a cookie that the browser has to have when it comes back. OpenID Connect: authorization code with PKCE (S256), state and nonce.',
      body: OAuthSignInSchema,
      answers: { 200: [OAuthRedirectSchema, 'Where to send the browser.'] },
      errors: [
        'invalid_request',
        'session_required',
        'second_factor_required',
        'origin_refused',
        'rate_limit_exceeded',
        'internal_error',
        'service_unavailable',
      ],
    },
    async ({ c, sent }) => {
      c.header('cache-control', 'no-store')
      access.assertOwnOrigin(c)
      await assertNotTooOften(c)
      const { provider, return_to: returnTo, confirm } = await sent.body()
      const confirming = confirm ? await access.requireSession(c) : null
      if (confirming !== null && confirming.factorSince !== null) throw ownFactorNeeded()
      const wanted = {
        provider,
        returnTo,
        confirming: confirming?.id ?? null,
        origin: originOf(c),
        requestId: c.get('requestId'),
      }
      const begun = await c.get('timings').measure('upstream', () => service.begin(wanted))
      if (begun.outcome === 'unknown_provider') throw unknownProvider()
      if (begun.outcome === 'unavailable') throw unavailable()
      flowCookie.set(c, begun.state)
      return c.json({ object: 'oauth_redirect', provider, authorization_url: begun.authorizationUrl })
    },
  )

  openapi(
    {
      route: 'GET /api/auth/oauth/callback',
      operationId: 'finishOAuthSignIn',
      summary: 'Finish provider sign-in',
      description:
        'The identity provider sends the browser back to this address. No program calls this. What the provider adds to the query beyond these members is left unread.',
      query: CallbackQuerySchema,
      answers: {
        303: {
          description:
            'Signed in, to the path that was asked for, with a new session; or to /sign-in?step=second-factor, for who has a second factor. Otherwise to /sign-in?error= and one of `expired` (begin again), `refused` (by the provider, or because sign-up is by invitation) `email_not_verified` (the provider does not prove an address, or an account has it unproven) and `not_confirmed` (the session stays as it was).',
          headers: { location: header('A path of this service.') },
        },
      },
      errors: ['internal_error'],
      takesAnyQuery: true,
    },
    async ({ c }) => {
      c.header('cache-control', 'no-store')
      const answer = new URL(c.req.url).searchParams
      const state = flowCookie.read(c)
      // Another sign-in of this browser may be in progress, so its cookie stays.
      if (state === null || answer.get('state') !== state) return toSignIn(c, 'expired')
      flowCookie.clear(c)
      const previousToken = sessionCookie.read(c)
      const later = (work: Promise<unknown>) => runAfterResponse(c, () => work)
      const back = { answer, state, previousToken, origin: originOf(c), requestId: c.get('requestId'), later }
      const finished = await c.get('timings').measure('upstream', () => service.finish(back))
      if (finished.outcome === 'refused') return toSignIn(c, finished.error)
      c.get('logged').personId = finished.personId
      c.get('logged').outcome = finished.outcome
      if (finished.outcome === 'second_step') {
        secondStepCookie.set(c, finished.token)
        return c.redirect(`/sign-in?step=second-factor&to=${encodeURIComponent(finished.returnTo)}`, 303)
      }
      const left = finished.outcome === 'confirmed' ? secondsLeft(finished.session) : undefined
      sessionCookie.set(c, finished.token, left)
      return c.redirect(finished.returnTo, 303)
    },
  )

  return api
}

function toSignIn(c: AppContext, error: SignInError): Response {
  c.get('logged').outcome = error
  return c.redirect(`/sign-in?error=${error}`, 303)
}

const ownFactorNeeded = (): AppError =>
  new AppError('second_factor_required', 'You have a second factor here. Confirm by it (POST /api/auth/confirm).')

const unknownProvider = (): AppError =>
  new AppError(
    'invalid_request',
    'There is no identity provider with this id here. GET /api/auth/providers lists them.',
    { param: 'provider', fields: [{ path: 'provider', rule: 'an id of GET /api/auth/providers' }] },
  )

const unavailable = (): AppError =>
  new AppError(
    'service_unavailable',
    'The identity provider does not work at the moment. Try again later, or sign in another way.',
    { retryAfterSeconds: RETRY_SECONDS },
  )
