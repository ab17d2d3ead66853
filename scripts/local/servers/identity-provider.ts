// A local identity provider for trying sign-in: OpenID Connect, with a page that signs in anybody. It is an emulator: it checks
// neither passwords nor client secrets.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { OAuth2Issuer, OAuth2Service, type MutableRedirectUri, type MutableToken } from 'oauth2-mock-server'
import * as z from 'zod'
import { escapeHtml, listen, type RunningServer } from '../../local-http-server.ts'

/** A running provider. `settings`: make the Worker use it for sign-in. */
export type LocalIdentityProvider = RunningServer & { settings: Record<string, string> }

const PROVIDER = {
  id: 'local',
  label: 'the local identity provider',
  client_id: 'countersign-local',
  email_trust: 'verified',
  second_factor: { by: 'amr', values: ['mfa'] },
}

/** Starts the provider. Rejects if the port is taken; `port` 0 uses any free port. */
export async function startIdentityProvider(port = 0): Promise<LocalIdentityProvider> {
  const issuer = new OAuth2Issuer()
  await issuer.keys.generate('RS256')
  const service = new OAuth2Service(issuer)
  signInAnybody(service)
  const server = createServer((request, response) => answer(service, request, response))
  const listening = await listen(server, { port, host: 'localhost' })
  const { url } = listening
  issuer.url = url
  return {
    ...listening,
    settings: {
      OAUTH_PROVIDERS: JSON.stringify([{ ...PROVIDER, issuer: url }]),
      OAUTH_SECRET_LOCAL: randomBytes(16).toString('hex'),
    },
  }
}

function answer(service: OAuth2Service, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/authorize' && !isOnThisMachine(query.get('redirect_uri'))) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('redirect_uri is not on this machine\n')
  } else if (pathname === '/authorize' && !query.has('login_email')) {
    response.writeHead(200, PAGE_HEADERS).end(signInPage(query))
  } else service.requestHandler(request, response)
}

const isOnThisMachine = (address: string | null): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(address ?? '')?.hostname ?? '')

const MAX_CODES = 1_000

const CodeSchema = z.object({ code: z.string() })

/** Stores the form's values under the authorisation code, and puts them into the token that the code is exchanged for. */
function signInAnybody(service: OAuth2Service): void {
  const claims = new Map<string, object>()

  service.on('beforeAuthorizeRedirect', ({ url }: MutableRedirectUri, request: IncomingMessage) => {
    const { searchParams: form } = new URL(request.url ?? '/', 'http://localhost')
    const [oldest] = claims.keys()
    if (oldest !== undefined && claims.size >= MAX_CODES) claims.delete(oldest)
    const email = form.get('login_email') ?? ''
    claims.set(url.searchParams.get('code') ?? '', {
      sub: subjectOf(email),
      email,
      name: form.get('login_name') ?? '',
      email_verified: form.get('login_verified') === 'true',
      amr: form.get('login_mfa') === 'true' ? ['pwd', 'mfa'] : ['pwd'],
      // Everybody is asked each time. OpenID Connect Core 1.0, 2: required where max_age was asked for.
      ...(form.has('max_age') && { auth_time: Math.floor(Date.now() / 1000) }),
    })
  })

  service.on('beforeTokenSigning', ({ payload }: MutableToken, request: { body: unknown }) => {
    const code = CodeSchema.safeParse(request.body).data?.code
    if (code !== undefined) Object.assign(payload, claims.get(code))
  })
}

/** Returns the same subject for the same e-mail address. */
const subjectOf = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 32)

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; color: #1c2430 }
  .note { border-left: 4px solid #b4540a; padding: .25rem 1rem; background: #fdf3e7 }
  label { display: block; margin: 1rem 0 .25rem }
  input[type=email], input[type=text] { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
  button { font: inherit; margin-top: 1.5rem; padding: .5rem 1rem }
`

/** Returns the sign-in page. @param query the parameters of the service's redirect, which the form sends on */
const signInPage = (query: URLSearchParams): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local identity provider</title>
<style>${STYLE}</style>
<h1>Local identity provider</h1>
<p class="note">This is an emulator on this machine. It asks for no password and signs in anybody, under any address. Nothing
that is deployed trusts it.</p>
<form>
${[...query].map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`).join('\n')}
<label for="email">E-mail address</label>
<input id="email" name="login_email" type="email" required value="ann.example@clinic.example">
<label for="name">Name</label>
<input id="name" name="login_name" type="text" required value="Ann Example">
<label><input name="login_verified" type="checkbox" value="true" checked> The address is verified</label>
<label><input name="login_mfa" type="checkbox" value="true"> With a second factor</label>
<button>Sign in</button>
</form>
`
