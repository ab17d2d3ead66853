// A timestamp authority over HTTP (RFC 3161, section 3.4), on this machine only: for development and tests. Its time is the machine's.
import { createServer, type IncomingMessage } from 'node:http'
import { issueCertificate, pemOf, TIME_STAMPING, type Issued } from './certificates.ts'
import { makeAnswer, makeToken, readQuery } from './token.ts'

export type Authority = {
  /** What is to be trusted. */
  issuer: Pick<Issued, 'certificate'>
  signer: Issued
}

export type RunningAuthority = {
  /** `http://127.0.0.1:8791/` */
  url: string
  /** The certificate of its issuer, as PEM. */
  pem: string
  close(): Promise<void>
}

const MOST_QUERY_BYTES = 4096
const VALID_MS = 365 * 86_400_000

/** An authority of which nobody has heard. @param now milliseconds since the epoch */
export async function makeAuthority(now: number): Promise<Authority> {
  // Clocks differ, and a year is longer than anything that is made here is kept.
  const valid = { validFrom: now - 86_400_000, validUntil: now + VALID_MS }
  const issuer = await issueCertificate({ name: 'Local timestamps', issuer: null, pathLength: 0, ...valid })
  const signer = await issueCertificate({
    name: 'Local timestamp authority',
    issuer,
    purposes: [TIME_STAMPING],
    ...valid,
  })
  return { issuer, signer }
}

/** Rejects where the port is taken. `port` 0: any that is free. */
export async function startAuthority(
  authority: Authority,
  { port = 0, clock = Date.now } = {},
): Promise<RunningAuthority> {
  const server = createServer((request, response) => {
    answer(authority, request, clock()).then(
      (body) => response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(body),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}/`,
    pem: pemOf(authority.issuer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer({ signer }: Authority, request: IncomingMessage, now: number): Promise<Buffer> {
  const query = readQuery(await readBody(request))
  if (query === null) return makeAnswer(null)
  const { imprint, nonce, wantsCertificate } = query
  const certificates = wantsCertificate ? [signer.certificate] : []
  return makeAnswer(await makeToken({ imprint, nonce, time: now, signer, certificates }))
}

/** Rejects where it is longer than any question. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    length += part.length
    if (length > MOST_QUERY_BYTES) throw new Error('no question is so long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
