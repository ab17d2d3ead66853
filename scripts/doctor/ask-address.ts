// Asks a deployment from outside what the address checks judge. Each question has a time limit of its own, and one without an answer
// is null.
import { connect, type ConnectionOptions } from 'node:tls'
import * as z from 'zod'
import { askContract, type ContractAnswer } from './ask-contract.ts'

const LIMIT_MS = 5000

const SILENT = 'no answer in time'

export type AddressFacts = {
  url: URL
  /** What the handshake said of the certificate; `valid` if nothing. Null for http. */
  certificate: string | null
  /** False: refused. Null: not asked, or no answer. */
  acceptsTls12: boolean | null
  /** Where a request by http is sent. Null for a service that is itself on http. */
  redirect: { status: number; location: string | null } | null
  page: Headers | null
  health: { status: number; headers: Headers; parts: readonly string[] } | null
  /** Null if there is no key to check with. */
  contract: ContractAnswer | null
  askedAt: number
}

export async function askAddress(address: string, key: string | undefined): Promise<AddressFacts> {
  const url = new URL(address)
  const isHttps = url.protocol === 'https:'
  const [certificate, acceptsTls12, redirect, page, health] = await Promise.all([
    isHttps ? shakeHands(url, {}) : null,
    isHttps ? shakeHands(url, { maxVersion: 'TLSv1.2', rejectUnauthorized: false }) : null,
    isHttps ? askByHttp(url) : null,
    ask(new URL('/', url)).then((answer) => answer?.headers ?? null),
    askHealth(url),
  ])
  const askedAt = Date.now()
  const contract =
    key === undefined || health === null ? null : await askContract(address, { keys: [key], isQuick: true })
  const isOld = certificate !== 'valid' || acceptsTls12 === SILENT ? null : acceptsTls12 === 'valid'
  return { url, certificate, acceptsTls12: isOld, redirect, page, health, contract, askedAt }
}

/** Returns `valid`, or why the handshake failed. */
function shakeHands({ hostname, port }: URL, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      timeout: LIMIT_MS,
      ...options,
    })
    const end = (said: string): void => {
      socket.destroy()
      resolve(said)
    }
    socket.once('secureConnect', () => end('valid'))
    socket.once('error', (error) => end('code' in error ? String(error.code) : error.message))
    socket.once('timeout', () => end(SILENT))
  })
}

const ask = (url: URL): Promise<Response | null> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => null)

async function askByHttp(url: URL): Promise<AddressFacts['redirect']> {
  const answer = await ask(new URL(`http://${url.hostname}/healthz`))
  return answer && { status: answer.status, location: answer.headers.get('location') }
}

const PartsSchema = z.object({ parts: z.array(z.string()).default([]) })

async function askHealth(url: URL): Promise<AddressFacts['health']> {
  const answer = await ask(new URL('/healthz', url))
  if (answer === null) return null
  const body: unknown = await answer.json().catch(() => null)
  const { parts } = PartsSchema.safeParse(body).data ?? { parts: [] }
  return { status: answer.status, headers: answer.headers, parts }
}
