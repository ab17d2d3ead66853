// What the isolate of a Worker on workerd keeps, asked of V8's inspector after a full collection.
import { z } from 'zod'

const TargetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const UsageSchema = z.object({ id: z.literal(2), result: z.object({ usedSize: z.number() }) })

/** Bytes of JavaScript that are still in use. @param service the Worker's name in workerd's configuration */
export async function measureIsolateHeap(inspector: string, service: string): Promise<number> {
  const targets = TargetsSchema.parse(await (await fetch(`http://${inspector}/json`)).json())
  const target = targets.find(({ id }) => id.includes(service))
  if (target === undefined) throw new Error(`The inspector knows no service ${service}.`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached.')), { once: true })
    })
    return await usedAfterCollection(socket)
  } finally {
    socket.close()
  }
}

/** V8 collects all garbage before it takes a snapshot, and workerd ignores the plain request to collect. */
function usedAfterCollection(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.addEventListener('message', ({ data }: MessageEvent) => {
      const usage = UsageSchema.safeParse(JSON.parse(String(data)))
      if (usage.success) resolve(usage.data.result.usedSize)
    })
    socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.takeHeapSnapshot' }))
    socket.send(JSON.stringify({ id: 2, method: 'Runtime.getHeapUsage' }))
  })
}
