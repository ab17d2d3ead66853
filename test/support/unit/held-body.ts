// A request body that comes only when it is released.

/** `isRead`: resolves once the service has begun to read. */
export type HeldBody = { body: ReadableStream; isRead: Promise<void>; release: () => void }

export function holdBody(content: object): HeldBody {
  const reading = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const body = new ReadableStream(
    {
      type: 'bytes',
      async pull(controller) {
        reading.resolve()
        await released.promise
        controller.enqueue(new TextEncoder().encode(JSON.stringify(content)))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { body, isRead: reading.promise, release: released.resolve }
}
