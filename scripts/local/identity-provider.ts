// An identity provider on this machine, so that signing in by one can be tried: OpenID Connect over a page that signs in
// anybody. An emulator: it checks neither passwords nor client secrets, and the service takes it only where it is local.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { OAuth2Issuer, OAuth2Service, type MutableRedirectUri, type MutableToken } from 'oauth2-mock-server'
import { z } from 'zod'
import { listen, type Listening } from '../listen.ts'
import { signInPage } from './identity-provider/page.ts'

/** `settings`: of the Worker, so that people can sign in by it. */
export type LocalIdentityProvider = Listening & { settings: Record<string, string> }

const PROVIDER = { id: 'local', label: 'the local identity provider', client_id: 'countersign-local' }

/** Who signed in, by the code that the service was given for it. */
type SignedIn = { email: string; name: string; isVerified: boolean }

const MOST_CODES = 1_000

export async function startIdentityProvider(): Promise<LocalIdentityProvider> {
  const issuer = new OAuth2Issuer()
  await issuer.keys.generate('RS256')
  const service = new OAuth2Service(issuer)
  signInWhoeverAsks(service)
  const server = createServer((request, response) => answer(service, request, response))
  const listening = await listen(server, { host: 'localhost' })
  const { url } = listening
  issuer.url = url
  return {
    ...listening,
    settings: {
      OAUTH_PROVIDERS: JSON.stringify([{ ...PROVIDER, issuer: url, email_trust: 'verified' }]),
      OAUTH_SECRET_LOCAL: randomBytes(16).toString('hex'),
    },
  }
}

function answer(service: OAuth2Service, request: IncomingMessage, response: ServerResponse): void {
  const asked = new URL(request.url ?? '/', 'http://localhost')
  if (asked.pathname !== '/authorize') return service.requestHandler(request, response)
  if (!isOnThisMachine(asked.searchParams.get('redirect_uri'))) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('redirect_uri is not on this machine\n')
  } else if (asked.searchParams.has('login_email')) {
    service.requestHandler(request, response)
  } else {
    response.writeHead(200, PAGE_HEADERS).end(signInPage(asked.searchParams))
  }
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

const isOnThisMachine = (address: string | null): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(address ?? '')?.hostname ?? '')

function signInWhoeverAsks(service: OAuth2Service): void {
  const signedIn = new Map<string, SignedIn>()

  service.on('beforeAuthorizeRedirect', ({ url }: MutableRedirectUri, request: IncomingMessage) => {
    const { searchParams: form } = new URL(request.url ?? '/', 'http://localhost')
    const [oldest] = signedIn.keys()
    if (oldest !== undefined && signedIn.size >= MOST_CODES) signedIn.delete(oldest)
    signedIn.set(url.searchParams.get('code') ?? '', {
      email: form.get('login_email') ?? '',
      name: form.get('login_name') ?? '',
      isVerified: form.get('login_verified') === 'true',
    })
  })

  service.on('beforeTokenSigning', ({ payload }: MutableToken, request: { body: unknown }) => {
    const code = CodeSchema.safeParse(request.body).data?.code
    const who = code === undefined ? undefined : signedIn.get(code)
    if (who === undefined) return
    const { email, name, isVerified } = who
    Object.assign(payload, { sub: subjectOf(email), email, name, email_verified: isVerified })
  })
}

const CodeSchema = z.object({ code: z.string() })

/** The same for the same address. */
const subjectOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 32)
