// A page of somebody else, under another name of this machine or under another port of the same name.
import { createServer, type Server } from 'node:http'
import { listen } from '../../../scripts/local-http-server.ts'

export type ForeignSite = AsyncDisposable & {
  /** URL on another site: the browser sends no cookie of ours along. */
  otherSite: string
  /** URL on the same site with another origin: the browser sends our cookies along. */
  sameSite: string
}

/** @param html what each of its addresses answers with */
export async function foreignSite(html: string): Promise<ForeignSite> {
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
  const { url, close } = await listen(server, { host: '127.0.0.1' })
  const { port } = new URL(url)
  return {
    otherSite: `http://127.0.0.1:${port}/`,
    sameSite: `http://localhost:${port}/`,
    [Symbol.asyncDispose]: close,
  }
}
