// Talks OpenID Connect to identity providers: returns the URL to send the browser to, later the person's checked claims. No
// result contains text that a provider wrote, except the claims of a valid id_token. No token is stored.
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  jwksCache,
  type JWKSCacheInput,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { LruCache } from '../../platform/cache.ts'
import { type Clock, MINUTE_MS } from '../../platform/time.ts'
import type { IdentityProvider } from '../../platform/sign-in-config.ts'
import { type Claims, ClaimsSchema, MOST_PROOF_SECONDS } from './identity.policy.ts'
import { withTenantIssuer, issuerInMetadata, maySignFor } from './entra-tenants.policy.ts'
import { openIdFailureCause, fetchBounded, UnusableProvider } from './openid-fetch.ts'

const SCOPE = 'openid email profile'
const METADATA_MS = 60 * MINUTE_MS
const MOST_PROVIDERS = 10

/** The values that bind one sign-in. `redirectUri`: the URL to which the provider sends the browser back. */
export type SignInBinding = { redirectUri: string; state: string; nonce: string; verifier: string }

export type OpenIdFailure = { outcome: 'failed'; /** For the log. */ cause: string }

export type OpenIdClient = {
  /** @param isConfirming true if the provider has to prove anew who it is */
  authorizationUrl(
    provider: IdentityProvider,
    binding: SignInBinding,
    isConfirming?: boolean,
  ): Promise<{ outcome: 'ready'; url: string } | OpenIdFailure>
  /** Returns the person's claims. @param answer the query that the browser brought back */
  identify(
    provider: IdentityProvider,
    answer: URLSearchParams,
    binding: SignInBinding,
  ): Promise<{ outcome: 'identified'; claims: Claims } | OpenIdFailure>
}

/** An isolate's cache of a provider. It contains values only, and each request gets a copy. */
type CachedProvider = { server: AuthorizationServer; readAt: number; keys: JWKSCacheInput }

type Deps = {
  clock: Clock
  /** True if providers may be called over plain http, which is for local development only. */
  allowsPlainHttp: boolean
}

export function createOpenIdClient({ clock, allowsPlainHttp }: Deps): OpenIdClient {
  const providerCache = new LruCache<CachedProvider>(MOST_PROVIDERS)
  const options = { [allowInsecureRequests]: allowsPlainHttp, [customFetch]: fetchBounded }

  /** Returns a copy, because the library attaches the current request's promises to the object. */
  async function loadProvider(provider: IdentityProvider): Promise<CachedProvider> {
    const known = providerCache.get(provider.id)
    if (known !== undefined && clock() - known.readAt < METADATA_MS) return structuredClone(known)
    const read = { server: await discover(provider), readAt: clock(), keys: {} }
    providerCache.set(provider.id, structuredClone(read))
    return read
  }

  /** @see https://openid.net/specs/openid-connect-discovery-1_0.html */
  async function discover({ issuer, emailTrust }: IdentityProvider): Promise<AuthorizationServer> {
    const expected = emailTrust === 'entra' ? issuerInMetadata(issuer) : issuer
    const response = await discoveryRequest(new URL(issuer), options)
    const server = await processDiscoveryResponse(new URL(expected), response)
    const { authorization_endpoint, token_endpoint, jwks_uri } = server
    if (![authorization_endpoint, token_endpoint, jwks_uri].every(isUsable)) throw new UnusableProvider()
    return server
  }

  function isUsable(endpoint: string | undefined): boolean {
    const protocol = endpoint === undefined ? undefined : URL.parse(endpoint)?.protocol
    return protocol === 'https:' || (protocol === 'http:' && allowsPlainHttp)
  }

  /** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth */
  async function readClaims(provider: IdentityProvider, answer: URLSearchParams, binding: SignInBinding) {
    const { server, keys, readAt } = await loadProvider(provider)
    const client: Client = { client_id: provider.clientId }
    const parameters = validateAuthResponse(server, client, answer, binding.state)
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(server, provider.clientSecret),
      parameters,
      binding.redirectUri,
      binding.verifier,
      options,
    )
    const idToken = await peekIdToken(response)
    const tenantServer = withTenantIssuer(server, idToken)
    const checks = { expectedNonce: binding.nonce, requireIdToken: true }
    const tokens = await processAuthorizationCodeResponse(tenantServer ?? server, client, response, checks)
    // SECURITY: the library does not check the signature of a token that came straight from the provider.
    await validateApplicationLevelSignature(server, response, { ...options, [jwksCache]: keys })
    providerCache.set(provider.id, structuredClone({ server, readAt, keys }))
    if (tenantServer === null || !maySignFor(tenantServer, server, idToken, keys)) throw new UnusableProvider()
    return ClaimsSchema().parse(getValidatedIdTokenClaims(tokens))
  }

  return {
    /** @see https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest and, for PKCE, https://www.rfc-editor.org/rfc/rfc7636#section-4.3 */
    async authorizationUrl(provider, { redirectUri, state, nonce, verifier }, isConfirming) {
      try {
        const { server } = await loadProvider(provider)
        const url = new URL(server.authorization_endpoint ?? '')
        const asked = {
          response_type: 'code',
          client_id: provider.clientId,
          redirect_uri: redirectUri,
          scope: SCOPE,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          // A provider says when it proved somebody only if it is asked how old that may be.
          ...((isConfirming === true || provider.secondFactor) && { max_age: String(MOST_PROOF_SECONDS) }),
          ...(provider.secondFactor?.by === 'acr' && { acr_values: provider.secondFactor.values.join(' ') }),
        }
        for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
        return { outcome: 'ready', url: url.href }
      } catch (thrown) {
        return { outcome: 'failed', cause: openIdFailureCause(thrown) }
      }
    },

    async identify(provider, answer, binding) {
      try {
        return { outcome: 'identified', claims: await readClaims(provider, answer, binding) }
      } catch (thrown) {
        return { outcome: 'failed', cause: openIdFailureCause(thrown) }
      }
    },
  }
}

const TokensSchema = once(() => z.object({ id_token: z.unknown().optional() }))

/** Returns the id_token of an unchecked response; undefined if there is none. */
async function peekIdToken(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return TokensSchema().safeParse(body).data?.id_token
}

/** Returns client authentication: in the body if the provider takes that, else in the header (OpenID Discovery 1.0's default). */
function authenticationOf(server: AuthorizationServer, secret: string): ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const takesHeaderOnly = methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
  return takesHeaderOnly ? ClientSecretBasic(secret) : ClientSecretPost(secret)
}
