// Guards the operator's operations by the tokens of OPERATOR_TOKEN, compared in constant time. Without one they do not exist. Also
// reads the ids in their paths.
import { timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { AppContext, AppEnv } from '../../platform/context.ts'
import { AppError, type ErrorCode } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { createOperations, type Operations } from '../../platform/operations.ts'
import { log } from '../../platform/log.ts'
import type { Api } from '../../platform/router.ts'
import { sha256 } from '../../platform/sha256.ts'

const CODES = [
  'invalid_request',
  'invalid_credentials',
  'service_unavailable',
  'internal_error',
] as const satisfies ErrorCode[]

export const operatorOperations = (operatorTokens: readonly string[], api?: Api): Operations<undefined, object> =>
  createOperations(
    {
      codes: () => CODES,
      changeCodes: [],
      admit: (c) => {
        assertOperatorToken(c, operatorTokens)
        return Promise.resolve(undefined)
      },
    },
    { tags: ['Operator'], security: [{ operatorToken: [] }] },
    api,
  )

/** Guards all paths below /api/operator, so that a caller without the token does not learn which of them exist. */
export const requireOperator =
  (operatorTokens: readonly string[]): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    assertOperatorToken(c, operatorTokens)
    await next()
  }

function assertOperatorToken(c: AppContext, operatorTokens: readonly string[]): void {
  if (operatorTokens.length === 0) throw new AppError('not_found', 'There is nothing at this address. Check the path.')
  const sent = sha256(/^Bearer +(\S{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '')
  const place = operatorTokens.map((token) => timingSafeEqual(sent, sha256(token))).indexOf(true)
  if (place === -1) {
    throw new AppError(
      'invalid_credentials',
      'This route is for the operator. Send OPERATOR_TOKEN as Authorization: Bearer TOKEN.',
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  }
  // So that the operator knows when the old one can end.
  if (place > 0) log({ level: 'warn', event: 'old_operator_token', request_id: c.get('requestId') })
  c.header('cache-control', 'no-store')
}

/** Returns the id. Throws `not_found` for a malformed one, because the requested id is written to a ledger. */
export function idParameter(c: AppContext, name: string, prefix: string): string {
  const id = c.req.param(name) ?? ''
  return requireFound(parseId(prefix, id) === null ? null : id)
}

/** Throws `not_found` for null. */
export function requireFound<T>(value: T | null): T {
  if (value === null) throw new AppError('not_found', 'There is nothing with this id. List the existing ones first.')
  return value
}
