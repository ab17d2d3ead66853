// Checks the operator's token, in constant time. Without a configured token the routes do not exist.
import { timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { sha256 } from '../../platform/sha256.ts'

export function requireOperator(operatorToken: string | null): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (operatorToken === null) throw new AppError('not_found', 'There is nothing at this address.')
    const token = /^Bearer +(\S{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    if (!timingSafeEqual(sha256(token), sha256(operatorToken))) {
      throw new AppError(
        'invalid_credentials',
        'The operator’s routes need OPERATOR_TOKEN, sent as Authorization: Bearer TOKEN.',
        {
          headers: { 'www-authenticate': 'Bearer' },
        },
      )
    }
    c.header('cache-control', 'no-store')
    await next()
  }
}
