// Asks V8's inspector of a Worker on workerd.
import { z } from 'zod'

const TargetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }))
const ReplySchema = z.object({
  id: z.int(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})

export type Inspector = {
  /** Throws what the inspector says it cannot do. */
  ask: <Schema extends z.ZodType>(schema: Schema, method: string, parameters?: object) => Promise<z.infer<Schema>>
  /** What it answers, if anything, is not waited for. */
  tell: (method: string) => void
  close: () => void
}

/** @param service the Worker's name in workerd's configuration */
export async function openInspector(port: number, service = 'main'): Promise<Inspector> {
  const targets = TargetsSchema.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json())
  const target = targets.find(({ id }) => id.includes(service))
  if (target === undefined) throw new Error(`The inspector knows no service ${service}.`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error('The inspector cannot be reached.')), { once: true })
  })
  const waiting = new Map<number, (reply: z.infer<typeof ReplySchema>) => void>()
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    const reply = ReplySchema.safeParse(JSON.parse(String(data))).data
    if (reply === undefined) return
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  let asked = 0
  return {
    async ask(schema, method, params = {}) {
      const id = ++asked
      const answered = new Promise<z.infer<typeof ReplySchema>>((resolve) => waiting.set(id, resolve))
      socket.send(JSON.stringify({ id, method, params }))
      const { result, error } = await answered
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return schema.parse(result)
    },
    tell: (method) => socket.send(JSON.stringify({ id: ++asked, method, params: {} })),
    close: () => socket.close(),
  }
}
