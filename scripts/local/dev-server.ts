// Runs the Worker as a child process, and ends all processes of the Worker with that child. Prints no log lines before `showLogs`
// is called. Also tells if a port is free, and when this process must end.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerOptions } from './worker-process.ts'

const READY_WITHIN_MS = 180_000
const STOPS_WITHIN_MS = 2_000
const POLL_MS = 100

/** A running Worker. `ended` resolves when none of its processes is left. */
export type DevServer = { url: string; ended: Promise<void>; showLogs(): void; stop(): void }

/**
 * Runs the Worker until it ends or `leave` is aborted. Rejects with its output if it ends before it is ready.
 * @param preparing the options; its process loads meanwhile. If it rejects, so does this
 * @param isReadyBy decides by the first answer of /healthz if the Worker is ready, or did not start
 */
export async function startDevServer(
  preparing: Promise<WorkerOptions>,
  leave: AbortSignal,
  isReadyBy: (health: Response) => boolean = ({ ok }) => ok,
): Promise<DevServer> {
  const child = fork(join(import.meta.dirname, 'worker-process.ts'), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // The Worker's own log lines say more than wrangler's.
    env: { ...process.env, WRANGLER_LOG: 'warn' },
    // A group of its own: a Ctrl-C reaches only this process, and the group shows which processes are left.
    detached: HAS_GROUPS,
  })
  const output = relayOutput(child)
  const ended = once(child, 'exit').then(() => endGroup(child))
  const stop = (): void => void stopChild(child)
  leave.addEventListener('abort', stop)
  const options = await preparing.catch(async (thrown: unknown) => {
    stop()
    await ended
    throw thrown
  })
  const url = `http://127.0.0.1:${options.port}`
  if (child.connected) child.send(options)
  if (leave.aborted) stop()
  const over = new AbortController()
  void ended.then(() => over.abort())
  const health = await waitForHealth(url, AbortSignal.any([leave, over.signal]))
  const isReady = health !== null && isReadyBy(health)
  if (!isReady) {
    stop()
    await ended
    throw new Error(`The Worker did not start.\n${output.held()}`)
  }
  return { url, ended, showLogs: () => output.release(), stop }
}

export async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

const HAS_GROUPS = process.platform !== 'win32'

/** Stops the child. It ends by itself when its channel closes. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.connected) child.disconnect()
  await sleep(STOPS_WITHIN_MS, undefined, { ref: false })
  child.kill('SIGKILL')
}

/** Ends the runtime that a killed process leaves behind, because it would keep the port. */
async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (!HAS_GROUPS || pid === undefined) return
  while (signalGroup(pid)) await sleep(POLL_MS / 10)
}

function signalGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}

function relayOutput(child: ChildProcess): { held(): string; release(): void } {
  const heldLines: string[] = []
  let released = false
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      if (!released) heldLines.push(line)
      else if (line.trim() !== '') console.log(line)
    })
  }
  return { held: () => heldLines.join('\n'), release: () => (released = true) }
}

/** Waits until the Worker answers. Returns null if it ends, or takes too long. */
async function waitForHealth(url: string, over: AbortSignal): Promise<Response | null> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline && !over.aborted) {
    const signal = AbortSignal.any([over, AbortSignal.timeout(READY_WITHIN_MS)])
    const answer = await fetch(`${url}/healthz`, { signal }).catch(() => null)
    if (answer !== null) return answer
    await sleep(POLL_MS)
  }
  return null
}

const LOOK_MS = 200

/**
 * Returns a signal that is aborted when the process must end: by a signal, by its terminal, or by npm. npm sends a signal only to
 * the shell between them, which ends without passing it on.
 */
export function exitSignal(): AbortSignal {
  const leaving = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leaving.abort())
  const shell = process.ppid
  // Without npm, the shell that started the script may end before it.
  const isOfNpm = process.env['npm_lifecycle_event'] !== undefined
  if (isOfNpm) setInterval(() => process.ppid === shell || leaving.abort(), LOOK_MS).unref()
  return leaving.signal
}
