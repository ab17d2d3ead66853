// The time limit of one reading, the same for all of its samples: what has not come by then is a time-out.
import type { Runtime } from '../../providers/exchange.ts'

export type ReadingDeadline = {
  /** The whole limit; all samples start together. */
  readonly limitMs: number
  /** Aborts when the limit passes, so that providers are hung up on. */
  readonly signal: AbortSignal
  /** Resolves when the limit passes: nothing that still runs then is waited for. */
  readonly passed: Promise<'passed'>
  elapsedMs(): number
  /** Call it once everything has come. */
  release(): void
}

export function startDeadline(limitMs: number, runtime: Pick<Runtime, 'now' | 'after'>): ReadingDeadline {
  const startedAt = runtime.now()
  const controller = new AbortController()
  const { promise: passed, resolve } = Promise.withResolvers<'passed'>()
  const cancel = runtime.after(limitMs, () => {
    resolve('passed')
    controller.abort()
  })
  return {
    limitMs,
    signal: controller.signal,
    passed,
    elapsedMs: () => Math.round(runtime.now() - startedAt),
    release: cancel,
  }
}
