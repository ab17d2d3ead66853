// How the servers listen that run beside the Worker, on this machine.
import type { Server } from 'node:http'

export type Listening = {
  /** `http://127.0.0.1:8788` */
  url: string
  /** At once: whoever is connected is cut off. */
  close: () => Promise<void>
}

/** `port` 0: any that is free. Rejects where the port is taken. */
export async function listen(server: Server, { port = 0, host = '127.0.0.1' } = {}): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
