// An operation that runs a call. Each has a folder in gateway/operations, and one object of this type there.
import type { DecidingOperation } from '../../organisation/coverage/surface.ts'
import type { ErrorForm } from '../../platform/errors.ts'
import type * as z from 'zod'
import { PROVIDERS } from '../../providers/provider-registry.ts'
import type { ReadCall } from './prepare-call.ts'

export type CallOperation = {
  readonly route: `POST /v1/${string}`
  /** Names the operation in the document, in facts and in stored answers. */
  readonly operationId: DecidingOperation
  readonly summary: string
  readonly description: string
  readonly body: () => z.ZodType
  /** The schema of an answer in one piece. */
  readonly answer: () => z.ZodType
  readonly read: ReadCall
  readonly errors: ErrorForm
  /** Members of the query that clients of the format send. They mean nothing here. */
  readonly query?: () => z.ZodObject
}

export const PROVIDER_NAMES = new Intl.ListFormat('en-GB').format(PROVIDERS.map(({ label }) => label))
