// Serves a link that signs a person in on this machine, once. The link signs in as a program would and gives the browser the
// session cookie: browsers send a host's cookies to all of its ports.
import { randomBytes } from 'node:crypto'
import { namesThisMachine, serve, type LocalResponse, type RunningServer } from '../../local-http-server.ts'
import { postToAuth, type Credentials, type LocalWorker } from '../sign-up-people.ts'

/** Starts the link's server. `url` is the link, on the host of the service's origin: its cookie belongs to that host. */
export async function startSignInLink(service: LocalWorker, person: Credentials): Promise<RunningServer> {
  const path = `/sign-in/${randomBytes(16).toString('base64url')}`
  let isUsed = false
  const server = await serve(
    async (request) => {
      if (request.method !== 'GET' || !namesThisMachine(request.headers)) return { status: 404 }
      if (request.path !== path || isUsed) return page(410, usedText(service.origin))
      isUsed = true
      return signIn(service, person)
    },
    { maxBytes: 1024 },
  )
  const link = new URL(path, server.url)
  if (namesThisMachine({ host: new URL(service.origin).host })) link.hostname = new URL(service.origin).hostname
  return { ...server, url: link.href }
}

const usedText = (origin: string): string =>
  `This link works once. Sign in at ${origin}/sign-in as a person of npm run demo:keys, or start the service again for a new link.`

async function signIn(service: LocalWorker, { email, password }: Credentials): Promise<LocalResponse> {
  const answer = await postToAuth(service, 'login', { email, password })
  await answer.body?.cancel()
  if (!answer.ok)
    return page(
      502,
      `The password of ${email} was changed here. Sign in with the new one at ${service.origin}/sign-in.`,
    )
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
