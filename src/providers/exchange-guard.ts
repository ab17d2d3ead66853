// Watches over one exchange: the caller's leaving and three deadlines (until the headers, between bytes, for the whole) become
// one signal that remembers which came first. It keeps no body alive.

export type Deadlines = { readonly headersMs: number; readonly silenceMs: number; readonly totalMs: number }

export type Stop = 'no_headers' | 'silence' | 'deadline' | 'caller'

/** The part of the world outside that a guard needs. */
type Timing = {
  readonly now: () => number
  /** Schedules an action and returns what cancels it. */
  readonly after: (delayMs: number, action: () => void) => () => void
}

export type Guard = {
  readonly signal: AbortSignal
  /** The provider is waited for from now on: for its headers, or for more bytes. */
  awaits(what: 'headers' | 'bytes'): void
  /** It is not: it has sent them, and whoever reads them may take as long as the whole lasts. */
  arrived(): void
  stopped(): Stop | null
  /** From now on the whole may take no longer than this. Not once it is released. */
  shorten(ms: number): void
  release(): void
}

export function createGuard(
  { headersMs, silenceMs, totalMs }: Deadlines,
  { signal, runtime }: { signal: AbortSignal; runtime: Timing },
): Guard {
  const controller = new AbortController()
  let leftMs = totalMs
  let reason: Stop | null = null
  let awaited: { lacking: Stop; until: number } | null = null
  let cancelLook = lookIn(Math.min(headersMs, silenceMs, totalMs))

  function stop(why: Stop): void {
    reason ??= why
    controller.abort()
  }

  /**
   * One timer for all deadlines, set no later than any can be over: what is awaited next has `silenceMs` at least. The whole
   * is counted by the timer itself, which a clock that is put forward or back does not move.
   */
  function lookIn(delayMs: number): () => void {
    return runtime.after(delayMs, () => {
      leftMs -= delayMs
      const awaitedMs = awaited === null ? silenceMs : awaited.until - runtime.now()
      if (leftMs <= 0) stop('deadline')
      else if (awaited !== null && awaitedMs <= 0) stop(awaited.lacking)
      else cancelLook = lookIn(Math.min(leftMs, awaitedMs, silenceMs))
    })
  }

  const leave = () => stop('caller')
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  return {
    signal: controller.signal,
    awaits(what) {
      const now = runtime.now()
      awaited =
        what === 'headers'
          ? { lacking: 'no_headers', until: now + headersMs }
          : { lacking: 'silence', until: now + silenceMs }
    },
    arrived() {
      awaited = null
    },
    stopped: () => reason,
    shorten(ms) {
      cancelLook()
      leftMs = Math.min(leftMs, ms)
      cancelLook = lookIn(leftMs)
    },
    release() {
      cancelLook()
      signal.removeEventListener('abort', leave)
    },
  }
}
