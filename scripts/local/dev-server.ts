// Runs `wrangler dev` as a child: quiet until it is asked to speak, then its log lines as they come.
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

const READY_WITHIN_MS = 60_000
const POLL_MS = 100

export type DevServer = { url: string; stopped: Promise<number>; speak(): void; stop(): void }

/** Rejects with what wrangler printed when it ends before it is ready. `vars` stand above those of wrangler.toml. */
export async function startDevServer(port: number, state: string, vars: Record<string, string>): Promise<DevServer> {
  const url = `http://127.0.0.1:${port}`
  const options = ['--ip', '127.0.0.1', '--port', String(port), '--persist-to', state]
  const settings = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const child = spawn('wrangler', ['dev', ...options, ...settings, '--show-interactive-dev-session=false'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const output = relayOutput(child)
  const stopped = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 0)))
  await Promise.race([
    untilHealthy(url),
    stopped.then(() => Promise.reject(new Error(`The Worker did not start.\n${output.held()}`))),
  ])
  return { url, stopped, speak: () => output.release(), stop: () => child.kill('SIGTERM') }
}

export async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

// Wrangler's own request lines say less than the Worker's, so only the latter are shown.
function relayOutput(child: ChildProcess): { held(): string; release(): void } {
  const heldLines: string[] = []
  let released = false
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      if (!released) heldLines.push(line)
      else if (line.trim() !== '' && !line.startsWith('[wrangler:info]')) console.log(line)
    })
  }
  return { held: () => heldLines.join('\n'), release: () => (released = true) }
}

async function untilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    const isUp = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(`The Worker did not answer within ${READY_WITHIN_MS / 1000} seconds.`)
}
