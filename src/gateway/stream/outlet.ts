// The caller's end of a stream: takes events without waiting and says when there is room for more. Cancel callbacks are
// not relied on, since the runtime does not always make them: a caller who has stopped reading shows by what stays.

/** Bytes that may wait for a slow caller. */
const MAX_WAITING_BYTES = 1024 * 1024

/** How often a full outlet is looked at. It seldom is full, and a `pull` callback would be paid for with every event. */
const LOOK_MS = 50

export type Outlet = {
  readonly body: ReadableStream<Uint8Array>
  /** Whole events, each in a piece of its own. */
  send(events: readonly Uint8Array[]): void
  /** Waits while too much waits to be read. False once nothing is read any more, or the caller is known to be gone. */
  hasRoom(): boolean | Promise<boolean>
  /**
   * Ends the answer. Whether it is whole must have been said in an event: the runtime ends a stream that errors as
   * properly as one that closes.
   */
  close(): void
}

export function createOutlet(options: {
  /** How long a caller may leave a full outlet unread. */
  stallMs: number
  /** Aborted when the caller leaves. */
  signal: AbortSignal
  after: (delayMs: number, action: () => void) => () => void
}): Outlet {
  let isOpen = true
  let wake: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      cancel() {
        isOpen = false
        wake?.()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  )
  const isFull = (): boolean => isOpen && (controller?.desiredSize ?? 0) <= 0

  /** Until the time is over or the caller has left. */
  async function pause(delayMs: number): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const cancelTimer = options.after(delayMs, wake)
    options.signal.addEventListener('abort', wake, { once: true })
    if (!options.signal.aborted) await woken
    options.signal.removeEventListener('abort', wake)
    cancelTimer()
  }

  async function untilRoom(): Promise<boolean> {
    let unreadMs = 0
    while (isFull()) {
      const room = controller?.desiredSize
      await pause(LOOK_MS)
      unreadMs = controller?.desiredSize === room ? unreadMs + LOOK_MS : 0
      if (options.signal.aborted || unreadMs >= options.stallMs) return false
    }
    return isOpen
  }

  return {
    body,
    send(events) {
      if (isOpen) for (const event of events) controller?.enqueue(event)
    },
    hasRoom: () => (isFull() ? untilRoom() : isOpen),
    close() {
      if (isOpen) controller?.close()
      isOpen = false
    },
  }
}
