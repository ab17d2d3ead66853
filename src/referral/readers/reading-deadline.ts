// The time limit of one reading, the same for all of its samples: what has not come by then is a time-out. It comes
// sooner where what is still awaited makes no difference.
import type { Runtime } from '../../providers/exchange.ts'

export type ReadingDeadline = {
  /** The whole limit; all samples start together. */
  readonly limitMs: number
  /** Aborts when the limit passes, so that providers are hung up on. */
  readonly signal: AbortSignal
  /** Resolves when the limit passes: nothing that still runs then is waited for. */
  readonly passed: Promise<'passed'>
  readonly elapsedMs: () => number
  /** Lets the limit pass this soon, if it would not before. Only the first call counts. */
  readonly passWithin: (graceMs: number) => void
  /** Call it once everything has come. */
  readonly release: () => void
}

export function startDeadline(limitMs: number, runtime: Pick<Runtime, 'now' | 'after'>): ReadingDeadline {
  const startedAt = runtime.now()
  const controller = new AbortController()
  const { promise: passed, resolve } = Promise.withResolvers<'passed'>()
  const pass = (): void => {
    release()
    resolve('passed')
    controller.abort()
  }
  const cancelLimit = runtime.after(limitMs, pass)
  let cancelGrace: (() => void) | null = null
  const release = (): void => {
    cancelLimit()
    cancelGrace?.()
  }
  return {
    limitMs,
    signal: controller.signal,
    passed,
    elapsedMs: () => Math.round(runtime.now() - startedAt),
    passWithin: (graceMs) => {
      cancelGrace ??= runtime.after(graceMs, pass)
    },
    release,
  }
}
