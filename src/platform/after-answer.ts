// Work that goes on after the answer. The answer cannot tell whether it fails, so a failure is logged.
import type { AppContext } from './context.ts'
import { logUnexpected } from './log.ts'

/** @param work its failure is in the log, and nowhere else */
export function afterAnswer(c: AppContext, work: () => Promise<unknown>): void {
  const requestId = c.get('requestId')
  c.executionCtx.waitUntil(work().catch((thrown: unknown) => logUnexpected(thrown, requestId)))
}
