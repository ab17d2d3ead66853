// Finds the Worker and the operator's token, and calls the operator's routes, for the operator's commands and local setups.
import * as z from 'zod'
import type { InvalidField } from '../../src/platform/errors.ts'
import { isLoopback } from '../../src/platform/config.ts'
import { UsageError } from '../command-line.ts'
import { OTHER_VERSION } from '../migrations.ts'
import { DEV_VARS, readDevVars } from '../local/dev-vars.ts'

export type OperatorMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type OperatorTarget = { url: string; token: string }

/** Says what failed, in words for the operator. */
export class OperatorError extends Error {}

const LOCAL_URL = 'http://127.0.0.1:8787'

/**
 * Returns the Worker to call. Local: `url` or 127.0.0.1:8787, and the token from OPERATOR_TOKEN or .dev.vars. Remote: `url` or
 * COUNTERSIGN_URL, and the token from OPERATOR_TOKEN. Throws UsageError without a URL, and OperatorError without a token.
 */
export function findOperatorTarget({ remote, url }: { remote: boolean; url: string | undefined }): OperatorTarget {
  if (!remote) return { url: url ?? LOCAL_URL, token: firstToken(process.env['OPERATOR_TOKEN'] ?? localToken()) }
  const remoteUrl = url ?? process.env['COUNTERSIGN_URL']
  const token = process.env['OPERATOR_TOKEN']
  if (remoteUrl === undefined)
    throw new UsageError('The deployment’s address is missing. Add --url or set COUNTERSIGN_URL.')
  if (token === undefined) throw new OperatorError('OPERATOR_TOKEN is missing. Set it to the deployment’s token.')
  // SECURITY: the token is not sent unencrypted.
  if (!remoteUrl.startsWith('https://') && !(URL.canParse(remoteUrl) && isLoopback(remoteUrl)))
    throw new UsageError(`${remoteUrl} is not an https address. The operator’s token is sent to no other.`)
  return { url: remoteUrl, token: firstToken(token) }
}

/** OPERATOR_TOKEN may be NEW,OLD while one token replaces the other. */
export const firstToken = (tokens: string): string => tokens.split(',', 1).join('')

function localToken(): string {
  const token = readDevVars(DEV_VARS)['OPERATOR_TOKEN']
  if (token !== undefined) return token
  throw new OperatorError('OPERATOR_TOKEN is missing from .dev.vars. Run npm start once to create it.')
}

/** Calls a route with JSON or a CSV file, and checks the answer against `schema`. Throws OperatorError with the service's message if it refuses. */
export async function callOperator<Schema extends z.ZodType>(
  { url, token }: OperatorTarget,
  schema: Schema,
  method: OperatorMethod,
  path: string,
  body?: object | Uint8Array<ArrayBuffer>,
): Promise<z.infer<Schema>> {
  const isFile = body instanceof Uint8Array
  const request = {
    method,
    redirect: 'error' as const,
    headers: { authorization: `Bearer ${token}`, 'content-type': isFile ? 'text/csv' : 'application/json' },
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
  }
  let response: Response
  try {
    response = await fetch(new URL(`/api/operator${path}`, url), request)
  } catch {
    throw new OperatorError(`Nothing answers at ${url}. Start the service with npm start, or check the address.`)
  }
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new OperatorError(describeFailure(response.status, answer))
  return schema.parse(answer)
}

const HealthSchema = z.object({ parts: z.array(z.string()) })

/** Throws OperatorError if the service says that its tables are not those of its release. */
export async function refuseOtherTables({ url }: OperatorTarget): Promise<void> {
  const answer = await fetch(new URL('/healthz', url))
    .then(async (response): Promise<unknown> => response.json())
    .catch(() => null)
  const { parts = [] } = HealthSchema.safeParse(answer).data ?? {}
  if (!parts.includes('tables')) return
  throw new OperatorError(
    `${url} refuses: ${OTHER_VERSION} Apply the migrations of the release that runs there, and undo an edit of one that was applied.`,
  )
}

const FailureSchema = z.object({
  error: z.object({
    message: z.string(),
    request_id: z.string(),
    fields: z.array(z.object({ path: z.string(), rule: z.string() })).optional(),
  }),
})

function describeFailure(status: number, answer: unknown): string {
  const failure = FailureSchema.safeParse(answer)
  if (!failure.success) return `The service answered ${status} without a reason. Check its logs.`
  const { error } = failure.data
  return `${describeError(error.message, error.fields)} (${status}, request ${error.request_id})`
}

/** Returns the message and a line for each field, in words for the operator. */
export const describeError = (message: string, fields: readonly InvalidField[] = []): string =>
  [message, ...fields.map(({ path, rule }) => (path === '' ? `  ${rule}` : `  ${path}: ${rule}`))].join('\n')
