// A timestamp authority over HTTP (RFC 3161, section 3.4), on this machine only: for development and tests. Its time is the machine's.
import { createServer, type IncomingMessage } from 'node:http'
import { listen, type Listening } from '../listen.ts'
import { readBody } from '../request-body.ts'
import { issueCertificate, pemOf, TIME_STAMPING, type Issued } from './certificates.ts'
import { makeAnswer, makeToken, readQuery } from './token.ts'

export type Authority = {
  /** What is to be trusted. */
  issuer: Pick<Issued, 'certificate'>
  signer: Issued
}

/** `pem`: the certificate of its issuer. */
export type RunningAuthority = Listening & { pem: string }

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
  const { url, close } = await listen(server, { port })
  return { url: `${url}/`, pem: pemOf(authority.issuer), close }
}

/** Rejects where the body is longer than any question. */
async function answer({ signer }: Authority, request: IncomingMessage, now: number): Promise<Buffer> {
  const body = await readBody(request, MOST_QUERY_BYTES)
  if (body === null) throw new Error('no question is so long')
  const query = readQuery(body)
  if (query === null) return makeAnswer(null)
  const { imprint, nonce, wantsCertificate } = query
  const certificates = wantsCertificate ? [signer.certificate] : []
  return makeAnswer(await makeToken({ imprint, nonce, time: now, signer, certificates }))
}
