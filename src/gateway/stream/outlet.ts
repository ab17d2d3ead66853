// The caller's end of a stream: takes events without waiting and says when there is room for more. Cancel callbacks are
// not relied on, since the runtime does not always make them: a caller who has stopped reading shows by what stays.

/** Bytes that may wait for a slow caller. */
const MAX_WAITING_BYTES = 1024 * 1024

export type Outlet = {
  readonly body: ReadableStream<Uint8Array>
  send(events: readonly Uint8Array[]): void
  /** Waits while too much waits to be read. False once nothing is read any more, or the caller is known to be gone. */
  hasRoom(): Promise<boolean>
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
      pull: () => wake?.(),
      cancel() {
        isOpen = false
        wake?.()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  )
  const isFull = (): boolean => isOpen && (controller?.desiredSize ?? 0) <= 0

  /** Until all that waits has been read (the runtime pulls no sooner), the stall limit has passed, or the caller left. */
  async function untilRead(): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const cancelTimer = options.after(options.stallMs, resolve)
    options.signal.addEventListener('abort', wake, { once: true })
    if (!options.signal.aborted) await woken
    options.signal.removeEventListener('abort', wake)
    cancelTimer()
  }

  return {
    body,
    send(events) {
      if (isOpen) for (const event of events) controller?.enqueue(event)
    },
    async hasRoom() {
      while (isFull()) {
        const waiting = controller?.desiredSize
        await untilRead()
        if (options.signal.aborted || controller?.desiredSize === waiting) return false
      }
      return isOpen
    },
    close() {
      if (isOpen) controller?.close()
      isOpen = false
    },
  }
}
