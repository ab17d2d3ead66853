// Guards the operator's operations by OPERATOR_TOKEN, compared in constant time. Without a configured token they do not exist.
// Also reads the ids in their paths.
import { timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { AppContext, AppEnv } from '../../platform/context.ts'
import { AppError, type ErrorCode } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { createOperations, type Operations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import { sha256 } from '../../platform/sha256.ts'

const CODES = [
  'invalid_request',
  'invalid_credentials',
  'service_unavailable',
  'internal_error',
] as const satisfies ErrorCode[]

export const operatorOperations = (operatorToken: string | null, api?: Api): Operations<undefined, object> =>
  createOperations(
    {
      codes: () => CODES,
      changeCodes: [],
      admit: (c) => {
        assertOperatorToken(c, operatorToken)
        return Promise.resolve(undefined)
      },
    },
    { tags: ['Operator'], security: [{ operatorToken: [] }] },
    api,
  )

/** Guards all paths below /api/operator, so that a caller without the token does not learn which of them exist. */
export const requireOperator =
  (operatorToken: string | null): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    assertOperatorToken(c, operatorToken)
    await next()
  }

function assertOperatorToken(c: AppContext, operatorToken: string | null): void {
  if (operatorToken === null) throw new AppError('not_found', 'There is nothing at this address. Check the path.')
  const token = /^Bearer +(\S{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
  if (!timingSafeEqual(sha256(token), sha256(operatorToken))) {
    throw new AppError(
      'invalid_credentials',
      'This route is for the operator. Send OPERATOR_TOKEN as Authorization: Bearer TOKEN.',
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  }
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
