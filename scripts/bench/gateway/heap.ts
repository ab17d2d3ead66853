// The memory of the isolate in which the gateway runs, asked of V8: what its objects take, and the bytes behind its buffers.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { openInspector } from '../workerd/inspector.ts'
import type { Server } from '../workerd/server.ts'

const UsageSchema = z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) })
const POLL_MS = 20

export type Heap = {
  /** Bytes in use once everything that nobody needs is collected. */
  settled: () => Promise<number>
  /** The highest of all looks taken while `work` goes on, garbage included; a look waits until the isolate is not busy. */
  highestDuring: (work: () => Promise<unknown>) => Promise<number>
  close: () => void
}

export async function openHeap({ inspectorPort }: Server): Promise<Heap> {
  const inspector = await openInspector(inspectorPort ?? 0)
  const look = async (): Promise<number> => {
    const { usedSize, backingStorageSize } = await inspector.ask(UsageSchema, 'Runtime.getHeapUsage')
    return usedSize + backingStorageSize
  }
  return {
    // V8 collects all garbage before it takes a snapshot; workerd ignores the plain request to collect.
    async settled() {
      inspector.tell('HeapProfiler.takeHeapSnapshot')
      return await look()
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
    close: () => inspector.close(),
  }
}
