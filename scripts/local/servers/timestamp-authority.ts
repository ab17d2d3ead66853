// Makes, stores and starts a local timestamp authority over HTTP (RFC 3161, section 3.4), for development and tests. Its time is
// the machine's.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Certificate } from 'pkijs'
import * as z from 'zod'
import { serve, type RunningServer } from '../../local-http-server.ts'
import { derOf, issueCertificate, pemOf, TIME_STAMPING, type IssuedCertificate } from './issue-certificate.ts'
import { makeTimestampResponse, makeTimestampToken, readTimestampRequest } from './timestamp-messages.ts'

export type Authority = {
  /** The certificate that verifiers trust. */
  issuer: Pick<IssuedCertificate, 'certificate'>
  signer: IssuedCertificate
}

const MAX_QUERY_BYTES = 4096
const DAY_MS = 86_400_000

/** Makes the certificates and the key of a new authority. @param now milliseconds since the epoch */
export async function makeAuthority(now: number): Promise<Authority> {
  // Valid from a day ago, because clocks differ.
  const valid = { validFrom: now - DAY_MS, validUntil: now + 365 * DAY_MS }
  const issuer = await issueCertificate({ name: 'Local timestamps', issuer: null, pathLength: 0, ...valid })
  const signer = await issueCertificate({
    name: 'Local timestamp authority',
    issuer,
    purposes: [TIME_STAMPING],
    ...valid,
  })
  return { issuer, signer }
}

/** Starts the authority. Rejects if the port is taken; `port` 0 uses any free port. */
export async function startAuthority(
  { signer }: Authority,
  { port = 0, clock = Date.now } = {},
): Promise<RunningServer> {
  const { url, close } = await serve(
    async ({ body }) => {
      if (body === null) throw new Error('no query is so long')
      const headers = { 'content-type': 'application/timestamp-reply' }
      return { status: 200, headers, body: await answerQuery(body, signer, clock()) }
    },
    { port, maxBytes: MAX_QUERY_BYTES },
  )
  return { url: `${url}/`, close }
}

async function answerQuery(body: Buffer, signer: IssuedCertificate, time: number): Promise<Buffer> {
  const query = readTimestampRequest(body)
  if (query === null) return makeTimestampResponse(null)
  const { imprint, nonce, wantsCertificate } = query
  const certificates = wantsCertificate ? [signer.certificate] : []
  return makeTimestampResponse(await makeTimestampToken({ imprint, nonce, time, signer, certificates }))
}

const StoredSchema = z.strictObject({ issuer: z.base64(), signer: z.base64(), key: z.base64() })

/**
 * Reads the authority that is stored in a folder, or makes one and stores it.
 *
 * `certificateFile`: its issuer's certificate as PEM, the argument of `countersign-verify --authority`.
 */
export async function openAuthority(folder: string): Promise<{ authority: Authority; certificateFile: string }> {
  mkdirSync(folder, { recursive: true })
  const [file, certificateFile] = [join(folder, 'authority.json'), join(folder, 'authority.pem')]
  if (!existsSync(file)) await storeNewAuthority(file)
  const { issuer, signer, key } = StoredSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  const authority = {
    issuer: { certificate: Certificate.fromBER(Buffer.from(issuer, 'base64')) },
    signer: {
      certificate: Certificate.fromBER(Buffer.from(signer, 'base64')),
      key: await crypto.subtle.importKey('pkcs8', Buffer.from(key, 'base64'), KEY, false, ['sign']),
    },
  }
  writeFileSync(certificateFile, pemOf(authority.issuer))
  return { authority, certificateFile }
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' }

async function storeNewAuthority(file: string): Promise<void> {
  const { issuer, signer } = await makeAuthority(Date.now())
  const stored = {
    issuer: derOf(issuer).toString('base64'),
    signer: derOf(signer).toString('base64'),
    key: Buffer.from(await crypto.subtle.exportKey('pkcs8', signer.key)).toString('base64'),
  }
  writeFileSync(`${file}.new`, JSON.stringify(stored), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
