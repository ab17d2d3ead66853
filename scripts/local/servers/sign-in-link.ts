// Serves a link that signs a person in on this machine, once. The link signs in as a program would and gives the browser the
// session cookie: browsers send a host's cookies to all of its ports.
import { randomBytes } from 'node:crypto'
import { namesThisMachine, serve, type LocalResponse, type RunningServer } from '../../local-http-server.ts'
import { postToAuth, type Credentials, type LocalWorker } from '../sign-up-people.ts'

/** Starts the link's server. `url` is the link. */
export async function startSignInLink(service: LocalWorker, person: Credentials): Promise<RunningServer> {
  let path: string | null = `/sign-in/${randomBytes(16).toString('base64url')}`
  const server = await serve(
    async (request) => {
      if (request.method !== 'GET' || !namesThisMachine(request.headers)) return { status: 404 }
      if (request.path !== path) return page(410, USED.replace('ORIGIN', service.origin))
      path = null
      return signIn(service, person)
    },
    { maxBytes: 1024 },
  )
  return { ...server, url: `${server.url}${path}` }
}

const USED =
  'This link works once. Sign in at ORIGIN/sign-in as a person of `npm run demo:keys`, or start the service again for a new link.'

async function signIn(service: LocalWorker, { email, password }: Credentials): Promise<LocalResponse> {
  const answer = await postToAuth(service, 'login', { email, password })
  if (!answer.ok) return page(502, `The sign-in was refused: ${await answer.text()}`)
  await answer.body?.cancel()
  const [cookie = ''] = answer.headers.getSetCookie()
  return {
    status: 303,
    headers: { location: `${service.origin}/app`, 'set-cookie': cookie, 'cache-control': 'no-store' },
  }
}

const page = (status: number, sentence: string): LocalResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: `${sentence}\n`,
})
