// Tests requests to an identity provider, and which answers are believed: metadata, keys, tenants, sizes and times.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createOpenIdClient, type SignInBinding } from '../../../../src/accounts/oauth/openid.client.ts'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import type { EmailTrust } from '../../../../src/platform/sign-in-config.ts'

const ENTRA = 'https://login.example'
const TEMPLATE = `${ENTRA}/{tenantid}/v2.0`
const TENANT = '11111111-2222-4333-8444-555555555555'
const OTHER = '99999999-2222-4333-8444-555555555555'
const of = (tenant: string) => `${ENTRA}/${tenant}/v2.0`

const bounds: SignInBinding = { redirectUri: 'https://x.example/cb', state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
const answer = new URLSearchParams({ code: 'c', state: 's' })

let keys: CryptoKeyPair
let now = Date.now()

beforeAll(async () => {
  keys = await newPair()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function newPair(): Promise<CryptoKeyPair> {
  const made = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  if (!('publicKey' in made)) throw new Error('no pair')
  return made
}

const provider = (issuer = `${ENTRA}/organizations/v2.0`, emailTrust: EmailTrust = 'entra') => ({
  id: 'microsoft',
  label: 'Microsoft',
  issuer,
  clientId: 'client',
  clientSecret: 'secret',
  emailTrust,
})

const client = (allowsPlainHttp = false) => createOpenIdClient({ clock: () => now, allowsPlainHttp })

const metadata = (more: object = {}) => ({
  issuer: TEMPLATE,
  authorization_endpoint: `${ENTRA}/authorize`,
  token_endpoint: `${ENTRA}/token`,
  jwks_uri: `${ENTRA}/keys`,
  id_token_signing_alg_values_supported: ['ES256'],
  ...more,
})

const part = (value: object) => encodeBase64url(new TextEncoder().encode(JSON.stringify(value)))

const timesOf = () => ({ iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 60 })

/** Returns the part of a token that is signed: its header and its claims. */
const unsigned = (header: object, claims: object) =>
  `${part(header)}.${part({ aud: 'client', sub: 'a', nonce: 'n', ...timesOf(), ...claims })}`

async function tokenOf(claims: object, { kid = 'k', pair = keys } = {}): Promise<string> {
  const signed = unsigned({ alg: 'ES256', kid }, claims)
  const bytes = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    pair.privateKey,
    new TextEncoder().encode(signed),
  )
  return `${signed}.${encodeBase64url(new Uint8Array(bytes))}`
}

const json = (value: object) => () => Response.json(value)

/** @param documents what answers at each address */
function serve(documents: Record<string, () => Response | Promise<Response>>): { asked: string[] } {
  const asked: string[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const url = input instanceof Request ? input.url : String(input)
    asked.push(url)
    return documents[url]?.() ?? new Response('nothing', { status: 404 })
  })
  return { asked }
}

type Tenancy = {
  claims?: object
  keyIssuer?: string
  meta?: object
  from?: string
  signing?: { kid: string; pair: CryptoKeyPair }
  token?: string
}

async function serveTenants(tenancy: Tenancy = {}) {
  const { claims = {}, keyIssuer, meta = {}, from = 'organizations', token } = tenancy
  const { kid, pair } = tenancy.signing ?? { kid: 'k', pair: keys }
  const exported = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const jwk = Object.assign(exported, { kid, issuer: keyIssuer ?? TEMPLATE })
  return serve({
    [`${ENTRA}/${from}/v2.0/.well-known/openid-configuration`]: json(metadata(meta)),
    [`${ENTRA}/keys`]: json({ keys: [jwk] }),
    [`${ENTRA}/token`]: json({
      access_token: 'a',
      token_type: 'Bearer',
      id_token: token ?? (await tokenOf({ iss: of(TENANT), tid: TENANT, ...claims }, { kid, pair })),
    }),
  })
}

describe('an issuer of many tenants', () => {
  it.each(['organizations', 'common'])('vouches as the tenant that its token names (%s)', async (from) => {
    await serveTenants({ from })
    const identified = await client().identify(provider(`${ENTRA}/${from}/v2.0`), answer, bounds)
    expect(identified).toMatchObject({ outcome: 'identified', claims: { iss: of(TENANT), sub: 'a' } })
  })

  it.each<[string, Tenancy]>([
    ['of another tenant than it names', { claims: { iss: of(OTHER) } }],
    ['that names no tenant', { claims: { tid: undefined } }],
    ['that names a tenant in another form', { claims: { tid: 'x', iss: of('x') } }],
    ['whose issuer is the placeholder', { claims: { iss: TEMPLATE, tid: undefined } }],
    ['of another host', { claims: { iss: `https://evil.example/${TENANT}/v2.0` } }],
    ['signed with a key of another tenant', { keyIssuer: of(OTHER) }],
    ['where the metadata is of another host', { meta: { issuer: 'https://evil.example/{tenantid}/v2.0' } }],
  ])('is not believed a token %s', async (_, tenancy) => {
    await serveTenants(tenancy)
    expect(await client().identify(provider(), answer, bounds)).toMatchObject({ outcome: 'failed' })
  })

  it('is one only where its addresses are trusted by xms_edov', async () => {
    await serveTenants()
    const vouched = provider(`${ENTRA}/organizations/v2.0`, 'issuer')
    expect(await client().authorizationUrl(vouched, bounds)).toMatchObject({ outcome: 'failed' })
  })
})

describe('metadata', () => {
  const address = `${ENTRA}/organizations/v2.0/.well-known/openid-configuration`

  it('is read once an hour', async () => {
    const { asked } = await serveTenants()
    const one = client()
    await one.authorizationUrl(provider(), bounds)
    await one.authorizationUrl(provider(), bounds)
    expect(asked).toEqual([address])
    now += 60 * 60_000
    await one.authorizationUrl(provider(), bounds)
    expect(asked).toEqual([address, address])
  })

  it('is told how old a proof may be to confirm a session, or if it is trusted with the second factor', async () => {
    await serveTenants()
    const asked = async (secondFactor?: { by: 'amr' | 'acr'; values: string[] }, isConfirming = false) => {
      const trusted = { ...provider(), ...(secondFactor && { secondFactor }) }
      const ready = await client().authorizationUrl(trusted, bounds, isConfirming)
      if (ready.outcome === 'failed') throw new Error(ready.cause)
      const { searchParams } = new URL(ready.url)
      return [searchParams.get('max_age'), searchParams.get('acr_values')]
    }
    expect(await asked()).toEqual([null, null])
    expect(await asked(undefined, true)).toEqual(['300', null])
    expect(await asked({ by: 'amr', values: ['mfa'] })).toEqual(['300', null])
    expect(await asked({ by: 'acr', values: ['phr', 'phrh'] })).toEqual(['300', 'phr phrh'])
  })

  it('is asked for anew after it could not be read', async () => {
    const one = client()
    serve({})
    expect(await one.authorizationUrl(provider(), bounds)).toMatchObject({ outcome: 'failed' })
    await serveTenants()
    expect(await one.authorizationUrl(provider(), bounds)).toMatchObject({ outcome: 'ready' })
  })

  it.each<[string, object]>([
    ['a script for an endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a plain address', { token_endpoint: 'http://login.example/token' }],
    ['no keys', { jwks_uri: undefined }],
    ['another issuer', { issuer: 'https://evil.example' }],
  ])('with %s is not used', async (_, meta) => {
    await serveTenants({ meta })
    expect(await client().authorizationUrl(provider(), bounds)).toMatchObject({ outcome: 'failed' })
  })

  it.each<[string, () => Response]>([
    ['over 512 KiB', () => Response.json({ ...metadata(), more: 'a'.repeat(512 * 1024) })],
    ['a redirect', () => Response.redirect('https://evil.example', 302)],
    ['no JSON', () => new Response('<html>', { headers: { 'content-type': 'application/json' } })],
    ['a list', () => Response.json([])],
  ])('that is %s is not used', async (_, respond) => {
    serve({ [address]: respond })
    expect(await client().authorizationUrl(provider(), bounds)).toMatchObject({ outcome: 'failed' })
  })

  it('is not asked for over plain http, but on this machine while developing', async () => {
    const issuer = 'http://localhost:1'
    const { asked } = serve({
      [`${issuer}/.well-known/openid-configuration`]: json(metadata({ issuer, authorization_endpoint: `${issuer}/a` })),
    })
    expect(await client().authorizationUrl(provider(issuer), bounds)).toMatchObject({ outcome: 'failed' })
    expect(asked).toEqual([])
    expect(await client(true).authorizationUrl(provider(issuer), bounds)).toMatchObject({ outcome: 'ready' })
  })
})

describe('keys', () => {
  it('are read once for several people, and anew with the metadata', async () => {
    const { asked } = await serveTenants()
    const one = client()
    for (let n = 0; n < 3; n += 1) {
      expect(await one.identify(provider(), answer, bounds)).toMatchObject({ outcome: 'identified' })
    }
    expect(asked.filter((url) => url.endsWith('/keys'))).toHaveLength(1)
  })

  it('are read anew for a token that was signed with a new one, and the old one signs no more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const one = client()
    await serveTenants()
    expect(await one.identify(provider(), answer, bounds)).toMatchObject({ outcome: 'identified' })
    vi.advanceTimersByTime(61_000)
    const pair = await newPair()
    const old = await tokenOf({ iss: of(TENANT), tid: TENANT })
    await serveTenants({ signing: { kid: 'new', pair } })
    expect(await one.identify(provider(), answer, bounds)).toMatchObject({ outcome: 'identified' })
    await serveTenants({ signing: { kid: 'new', pair }, token: old })
    const cause = 'OAUTH_KEY_SELECTION_FAILED'
    expect(await one.identify(provider(), answer, bounds)).toEqual({ outcome: 'failed', cause })
  })

  it('are public ones: what is signed with the client’s secret is not, even where the metadata allows it', async () => {
    const secret = new TextEncoder().encode('secret')
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const signed = unsigned({ alg: 'HS256', kid: 'k' }, { iss: of(TENANT), tid: TENANT })
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(signed)))
    const meta = { id_token_signing_alg_values_supported: ['HS256', 'none'] }
    const refused = { outcome: 'failed', cause: 'OAUTH_UNSUPPORTED_OPERATION' }
    await serveTenants({ meta, token: `${signed}.${encodeBase64url(signature)}` })
    expect(await client().identify(provider(), answer, bounds)).toEqual(refused)
    await serveTenants({ meta, token: `${unsigned({ alg: 'none' }, { iss: of(TENANT), tid: TENANT })}.` })
    expect(await client().identify(provider(), answer, bounds)).toEqual(refused)
  })
})

describe('what is logged of a failure', () => {
  const failingWith = async (respond: () => Response | Promise<Response>) => {
    await serveTenants()
    const one = client()
    await one.authorizationUrl(provider(), bounds)
    serve({ [`${ENTRA}/token`]: respond })
    return one.identify(provider(), answer, bounds)
  }

  it('is the standard’s word for it, and never the provider’s', async () => {
    const error = (code: string) => () => Response.json({ error: code, error_description: 'MARKED' }, { status: 400 })
    expect(await failingWith(error('invalid_client'))).toEqual({ outcome: 'failed', cause: 'invalid_client' })
    expect(await failingWith(error('MARKED'))).toEqual({ outcome: 'failed', cause: 'unknown_error' })
  })

  it('is the standard’s word too where the provider asks for a secret that it knows', async () => {
    const challenge = () => new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="MARKED"' } })
    expect(await failingWith(challenge)).toEqual({ outcome: 'failed', cause: 'invalid_client' })
  })

  it('is that the provider has a fault of its own, whatever it answers with that', async () => {
    const fault = () => new Response('MARKED', { status: 502 })
    expect(await failingWith(fault)).toEqual({ outcome: 'failed', cause: 'server_error' })
  })

  it('is that an answer took too long', async () => {
    const over = new DOMException('MARKED', 'TimeoutError')
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(over))
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      init?.signal?.throwIfAborted()
      return Response.json(metadata())
    })
    expect(await client().authorizationUrl(provider(), bounds)).toEqual({ outcome: 'failed', cause: 'timeout' })
  })

  it('is that an answer was too large', async () => {
    const large = () => Response.json({ more: 'a'.repeat(512 * 1024) })
    expect(await failingWith(large)).toEqual({ outcome: 'failed', cause: 'too_large' })
  })

  it('is that nobody was reached', async () => {
    const cause = await failingWith(() => Promise.reject(new TypeError('MARKED')))
    expect(cause).toEqual({ outcome: 'failed', cause: 'unreachable' })
  })
})
