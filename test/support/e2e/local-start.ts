// npm start as a child: its storage and its secrets in a folder of its own.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isPortFree } from '../../../scripts/local/dev-server.ts'

export type LocalRun = {
  pid: number
  /** What it printed until it was ready. */
  printed: string
  /** All that it printed, and its exit code: null where a signal ended it. */
  ended: Promise<{ code: number | null; printed: string }>
  /** SIGTERM; resolves as `ended` does. */
  stop(): LocalRun['ended']
}

const PROJECT = join(import.meta.dirname, '../../..')
const SCRIPT = ['node', `--env-file=${join(PROJECT, '.env')}`, join(PROJECT, 'scripts/start.ts')]

/** `project`: a folder with another wrangler.toml. */
type Wanted = { folder: string; port: number; command?: string[] | undefined; project?: string }

/** Resolves when it is ready; rejects with what it printed when it ends before. */
export function startLocally({ folder, port, command = SCRIPT, project = PROJECT }: Wanted): Promise<LocalRun> {
  const [program = '', ...args] = command
  const options = [
    '--port',
    String(port),
    '--persist-to',
    join(folder, 'state'),
    '--dev-vars',
    join(folder, 'dev.vars'),
  ]
  const child = spawn(program, [...args, ...options], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  const ended = new Promise<{ code: number | null; printed: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, printed }))
  })
  const stop = (): LocalRun['ended'] => {
    child.kill('SIGTERM')
    return ended
  }
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        printed += `${line}\n`
        if (line.startsWith('Stop with Ctrl-C')) resolve({ pid: child.pid ?? 0, printed, ended, stop })
      })
    }
    void ended.then(({ code }) => reject(new Error(`npm start ended with ${code}:\n${printed}`)))
  })
}

/** Below those that the system gives to whoever asks for any: nobody else gets it meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  return (await isPortFree(port)) ? port : freePort()
}
