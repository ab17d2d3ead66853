// Reads the gateway's memory during a benchmark, through V8's inspector: objects and the bytes behind its buffers.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Server } from '../../workerd/server.ts'

const TargetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const UsageSchema = z.object({
  id: z.int(),
  result: z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) }),
})
const POLL_MS = 20

export type Heap = {
  /** Bytes in use after a full garbage collection. */
  settled: () => Promise<number>
  /** Returns the highest measurement during `work`, garbage included. A measurement waits until the isolate is idle. */
  highestDuring: (work: () => Promise<unknown>) => Promise<number>
  close: () => void
}

/** Connects to the inspector. @param server started with an inspector */
export async function openHeap({ inspectorPort }: Server): Promise<Heap> {
  const listed = await fetch(`http://127.0.0.1:${inspectorPort}/json`)
  const target = TargetsSchema.parse(await listed.json()).find(({ id }) => id.includes('main'))
  if (target === undefined) throw new Error('The inspector knows no service main.')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached.')), { once: true })
  })
  const waiting = new Map<number, (bytes: number) => void>()
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    const reply = UsageSchema.safeParse(JSON.parse(String(data))).data
    if (reply === undefined) return
    waiting.get(reply.id)?.(reply.result.usedSize + reply.result.backingStorageSize)
    waiting.delete(reply.id)
  })
  let asked = 0
  const tell = (method: string): void => socket.send(JSON.stringify({ id: ++asked, method, params: {} }))
  const look = (): Promise<number> => {
    tell('Runtime.getHeapUsage')
    return new Promise((resolve) => waiting.set(asked, resolve))
  }
  return {
    // V8 collects all garbage before it takes a snapshot. workerd ignores the plain request to collect.
    settled() {
      tell('HeapProfiler.takeHeapSnapshot')
      return look()
    },
    async highestDuring(work) {
      let highest = await look()
      const over = new AbortController()
      const looking = async (): Promise<void> => {
        while (!over.signal.aborted) {
          highest = Math.max(highest, await look())
          await sleep(POLL_MS)
        }
      }
      const looks = looking()
      try {
        await work()
      } finally {
        over.abort()
      }
      await looks
      return highest
    },
    close: () => socket.close(),
  }
}
