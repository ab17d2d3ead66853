// An identity provider of the tests' own, which can be told to answer otherwise than it should.
import { OAuth2Server, type MutableRedirectUri, type MutableResponse, type MutableToken } from 'oauth2-mock-server'

/** How the next sign-in is answered. */
export type Answering = {
  claims?: Record<string, unknown>
  /** Changes the id_token, and all else that the token endpoint answers. */
  response?: (body: Record<string, unknown>) => void
  status?: number
  /** Changes where the browser is sent back to. */
  redirect?: (url: URL) => void
}

export type Issuer = {
  url: string
  /** Holds until it is called again. */
  answer(answering: Answering): void
  /** Requests to the token endpoint, newest last. */
  asked: Record<string, unknown>[]
  close(): Promise<void>
}

export async function startIssuer(): Promise<Issuer> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, 'localhost')
  let answering: Answering = {}
  const asked: Record<string, unknown>[] = []
  server.service.on('beforeAuthorizeRedirect', ({ url }: MutableRedirectUri) => answering.redirect?.(url))
  server.service.on('beforeTokenSigning', ({ payload }: MutableToken) => Object.assign(payload, answering.claims))
  server.service.on('beforeResponse', (response: MutableResponse, { body }: { body: Record<string, unknown> }) => {
    asked.push(body)
    response.statusCode = answering.status ?? 200
    if (response.body !== '') answering.response?.(response.body)
  })
  const url = server.issuer.url
  if (url === undefined) throw new Error('no issuer')
  return {
    url,
    asked,
    answer: (next) => {
      answering = next
    },
    close: () => server.stop(),
  }
}
