// Asks a deployment for its readiness, with the operator's token.
import * as z from 'zod'
import { isLoopback } from '../../src/platform/config.ts'
import { ReadinessCheckSchema, unknown } from '../../src/readiness.schema.ts'
import type { DoctorCheck } from './doctor-check.ts'

const LIMIT_MS = 10_000

const AnswerSchema = z.object({ checks: z.array(ReadinessCheckSchema()) })

/** Returns the checks of /readyz, or one that says why there are none. */
export async function askReadiness(address: string, token: string | undefined): Promise<DoctorCheck[]> {
  if (token === undefined)
    return none('nobody gave the operator’s token', 'Add --secrets FILE, or set OPERATOR_TOKEN and COUNTERSIGN_URL.')
  const url = new URL('/readyz', address)
  // SECURITY: the token is not sent unencrypted.
  if (url.protocol !== 'https:' && !isLoopback(address))
    return none(`${address} is http, so the operator’s token was not sent`, 'Give the https address with --url.')
  const signal = AbortSignal.timeout(LIMIT_MS)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'error', signal }).catch(
    () => null,
  )
  if (answer === null) return none(`nothing answers at ${address}`, 'Deploy first, or give the address with --url.')
  const { status } = answer
  const body: unknown = await answer.json().catch(() => null)
  const read = AnswerSchema.safeParse(body)
  if (read.success) return read.data.checks.map((check) => Object.assign({ part: 'service' as const }, check))
  if (status === 401) return none('401: the service has another operator’s token', 'Give the token that was deployed.')
  if (status === 404)
    return none('404: OPERATOR_TOKEN is missing or malformed there, or the release is older', 'npm run deploy')
  return none(`${status} without checks`, 'Look at what answers there, and at the log.')
}

const none = (seen: string, remedy: string): DoctorCheck[] => [
  { part: 'service', id: 'readyz', ...unknown(seen, remedy) },
]
