// An operation that runs a call. Each has a folder in gateway/operations, and one object of this type there.
import type * as z from 'zod'
import type { AppError } from '../../platform/errors.ts'
import { PROVIDERS } from '../../providers/provider-registry.ts'
import type { CallInput, ReadContext } from './prepare-call.ts'

export type CallOperation = {
  readonly route: `POST /v1/${string}`
  /** Names the operation in the document, in facts and in stored answers. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly body: () => z.ZodType
  /** The schema of an answer in one piece. */
  readonly answer: () => z.ZodType
  /** Reads and checks the body. */
  readonly read: (headers: Headers, bytes: Uint8Array, context: ReadContext) => CallInput | AppError
}

export const PROVIDER_NAMES = new Intl.ListFormat('en-GB').format(PROVIDERS.map(({ label }) => label))
