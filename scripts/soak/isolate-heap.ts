// Reads the heap of the Worker's isolate through V8's inspector.
// @see https://chromedevtools.github.io/devtools-protocol/v8/
import { once } from 'node:events'
import * as z from 'zod'

type HeapUsage = { usedBytes: number; totalBytes: number }

export type IsolateHeap = {
  /** Collects all garbage and returns what is left. */
  measure: () => Promise<HeapUsage>
  close: () => void
}

/** Messages without an id are events. */
const MessageSchema = z.object({ id: z.int().optional(), result: z.unknown().optional() })
const UsageSchema = z.object({ usedSize: z.number(), totalSize: z.number() })

const ANSWER_TIMEOUT_MS = 30_000

/**
 * Connects to the inspector of the service's own Worker.
 * @param wake sends the Worker a request, because workerd collects garbage only when one comes
 */
export async function openIsolateHeap(inspectorPort: number, wake: () => Promise<void>): Promise<IsolateHeap> {
  const socket = new WebSocket(`ws://127.0.0.1:${inspectorPort}/main`)
  const answers = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = MessageSchema.parse(JSON.parse(z.string().parse(data)))
    if (id === undefined) return
    answers.get(id)?.(result)
    answers.delete(id)
  })
  await once(socket, 'open', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
  let asked = 0
  const ask = (method: string): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), ANSWER_TIMEOUT_MS)
    asked += 1
    answers.set(asked, (result) => {
      clearTimeout(timer)
      resolve(result)
    })
    socket.send(JSON.stringify({ id: asked, method }))
    return promise
  }
  return {
    async measure() {
      const collected = ask('HeapProfiler.collectGarbage')
      await wake()
      await collected
      const { usedSize, totalSize } = UsageSchema.parse(await ask('Runtime.getHeapUsage'))
      return { usedBytes: usedSize, totalBytes: totalSize }
    },
    close: () => socket.close(),
  }
}
