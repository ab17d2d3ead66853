// Starts workerd with a configuration and stops it, for tests and benchmarks without wrangler.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { PROJECT_FOLDER } from './build-bundle.ts'
import { workerdConfig, type StorageToRun, type WorkerToRun } from './workerd-config.ts'

export type RunningWorkerd = {
  pid: number
  port: number
  url: string
  /** The port of V8's inspector; null unless it was asked for. */
  inspectorPort: number | null
  stop: () => Promise<void>
}

const START_TIMEOUT_MS = 60_000
const ListenSchema = z.object({ event: z.enum(['listen', 'listen-inspector']), port: z.int() })

export type StartOptions = {
  /** The size limit of files in bytes. A write beyond it fails, as on a full disk. Needs a POSIX shell. */
  largestFileBytes?: number
  /** Called with each line that the Worker writes. */
  onLine?: (line: string) => void
  /** Opens V8's inspector on a free port. */
  inspector?: boolean
}

/**
 * Starts workerd and waits until it listens. Rejects if it ends before, or does not listen within a minute.
 * @param folder for the configuration and the databases of Durable Objects
 * @param storage null for a Worker without KV, R2 and D1
 */
export async function startWorkerd(
  folder: string,
  worker: WorkerToRun,
  storage: StorageToRun | null,
  { largestFileBytes, onLine, inspector = false }: StartOptions = {},
): Promise<RunningWorkerd> {
  const path = join(folder, 'config.capnp')
  const objects = join(folder, 'objects')
  await mkdir(objects, { recursive: true })
  await writeFile(path, workerdConfig(worker, storage, { config: folder, objects }))
  // Logs are written, as in production, and discarded if nobody reads them.
  const workerd = join(PROJECT_FOLDER, 'node_modules/.bin/workerd')
  const serving = ['serve', '--control-fd=3', ...(inspector ? ['--inspector-addr=127.0.0.1:0'] : []), path]
  const stdio: StdioOptions = ['ignore', onLine === undefined ? 'ignore' : 'pipe', 'inherit', 'pipe']
  const child =
    largestFileBytes === undefined
      ? spawn(workerd, serving, { stdio })
      : spawn('/bin/sh', ['-c', withLimit(largestFileBytes), workerd, ...serving], { stdio })
  killOnExit(child)
  if (onLine !== undefined && child.stdout !== null) createInterface({ input: child.stdout }).on('line', onLine)
  const stop = () => stopProcess(child)
  try {
    const { port, inspectorPort } = await listeningPorts(child, inspector)
    return { pid: child.pid ?? 0, port, url: `http://127.0.0.1:${port}`, inspectorPort, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Kills the child when this process ends, because a signal to this process does not reach its children. */
export function killOnExit(child: ChildProcess): void {
  const end = (): void => void child.kill('SIGKILL')
  process.prependOnceListener('exit', end)
  child.once('exit', () => process.off('exit', end))
}

/** Returns the shell line that sets the limit. ulimit counts blocks of 512 bytes. A write fails only if its signal is ignored. */
const withLimit = (bytes: number): string => `trap '' XFSZ; ulimit -f ${Math.floor(bytes / 512)}; exec "$0" "$@"`

/** Ends a child and waits for its end. Does nothing if it has ended. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

type Ports = { port: number; inspectorPort: number | null }

/** Waits until workerd has told its port, and that of its inspector if there is one. */
async function listeningPorts(child: ChildProcess, hasInspector: boolean): Promise<Ports> {
  const control = child.stdio[3]
  if (!(control instanceof Readable)) throw new TypeError('workerd was started without its control pipe')
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  let inspectorPort: number | null = null
  let port: number | null = null
  try {
    for await (const line of createInterface({ input: control })) {
      const told = ListenSchema.parse(JSON.parse(line))
      if (told.event === 'listen') port = told.port
      else inspectorPort = told.port
      if (port !== null && hasInspector === (inspectorPort !== null)) return { port, inspectorPort }
    }
    throw new Error('workerd ended before it listened. Its output is above.')
  } finally {
    clearTimeout(timer)
  }
}
