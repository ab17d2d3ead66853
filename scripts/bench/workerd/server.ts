// Runs workerd on a configuration and stops it.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { PROJECT } from './bundle.ts'
import { configText, type StorageToRun, type WorkerToRun } from './config.ts'

export type Server = { pid: number; port: number; url: string; stop: () => Promise<void> }

const START_TIMEOUT_MS = 15_000
const ListenSchema = z.object({ event: z.literal('listen'), port: z.int() })

/**
 * @param folder where the configuration and the databases of Durable Objects are written
 * @param storage null for a Worker that has no KV, R2 or D1
 */
export async function startServer(folder: string, worker: WorkerToRun, storage: StorageToRun | null): Promise<Server> {
  const path = join(folder, 'config.capnp')
  const objects = join(folder, 'objects')
  await mkdir(objects, { recursive: true })
  await writeFile(path, configText(worker, storage, { config: folder, objects }))
  // Logs are written, as in production, and thrown away.
  const child = spawn(join(PROJECT, 'node_modules/.bin/workerd'), ['serve', '--control-fd=3', path], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  try {
    const port = await listeningPort(child)
    return { pid: child.pid ?? 0, port, url: `http://127.0.0.1:${port}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function listeningPort(child: ChildProcess): Promise<number> {
  const control = child.stdio[3]
  if (!(control instanceof Readable)) throw new TypeError('workerd was started without its control pipe')
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  try {
    for await (const line of createInterface({ input: control })) return ListenSchema.parse(JSON.parse(line)).port
    throw new Error('workerd ended before it listened; what it said stands above.')
  } finally {
    clearTimeout(timer)
  }
}
