// Reads the gateway's memory during a benchmark, through V8's inspector: objects and the bytes behind its buffers.
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { RunningWorkerd } from '../../workerd/start-workerd.ts'

const TargetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const UsageSchema = z.object({
  id: z.int(),
  result: z.object({ usedSize: z.number(), totalSize: z.number(), backingStorageSize: z.number().default(0) }),
})
type Usage = z.infer<typeof UsageSchema>['result']
const POLL_MS = 20

export type HeapInspector = {
  /** Bytes that V8 has taken for objects, whether they are in use or not. */
  bytesTaken: () => Promise<number>
  /** Bytes in use after a full garbage collection. */
  bytesAfterCollection: () => Promise<number>
  /** Returns the highest measurement during `work`, garbage included. A measurement waits until the isolate is idle. */
  highestDuring: (work: () => Promise<unknown>) => Promise<number>
  close: () => void
}

/** Connects to the inspector of one Worker of the server, which must have been started with an inspector. */
export async function openHeapInspector(
  { inspectorPort }: Pick<RunningWorkerd, 'inspectorPort'>,
  worker = 'main',
): Promise<HeapInspector> {
  const listed = await fetch(`http://127.0.0.1:${inspectorPort}/json`)
  const target = TargetsSchema.parse(await listed.json()).find(({ id }) => id.includes(worker))
  if (target === undefined) throw new Error(`The inspector has no service ${worker}.`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached.')), { once: true })
  })
  const pendingReplies = new Map<number, (usage: Usage) => void>()
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    const reply = UsageSchema.safeParse(JSON.parse(String(data))).data
    if (reply === undefined) return
    pendingReplies.get(reply.id)?.(reply.result)
    pendingReplies.delete(reply.id)
  })
  let lastCommandId = 0
  const sendCommand = (method: string): void => socket.send(JSON.stringify({ id: ++lastCommandId, method, params: {} }))
  const askUsage = (): Promise<Usage> => {
    sendCommand('Runtime.getHeapUsage')
    return new Promise((resolve) => pendingReplies.set(lastCommandId, resolve))
  }
  const readUsage = async (): Promise<number> => {
    const { usedSize, backingStorageSize } = await askUsage()
    return usedSize + backingStorageSize
  }
  return {
    bytesTaken: async () => (await askUsage()).totalSize,
    // V8 collects all garbage before it takes a snapshot. workerd ignores the plain request to collect.
    bytesAfterCollection() {
      sendCommand('HeapProfiler.takeHeapSnapshot')
      return readUsage()
    },
    async highestDuring(work) {
      let highest = await readUsage()
      const over = new AbortController()
      const poll = async (): Promise<void> => {
        while (!over.signal.aborted) {
          highest = Math.max(highest, await readUsage())
          await sleep(POLL_MS)
        }
      }
      const polling = poll()
      try {
        await work()
      } finally {
        over.abort()
      }
      await polling
      return highest
    },
    close: () => socket.close(),
  }
}
