// Runs npm start as a child with its storage and secrets in a folder of its own, and finds the processes that it leaves.
import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { isPortFree } from '../../../scripts/local/dev-server.ts'
import { until } from '../until.ts'

export type LocalRun = {
  pid: number
  /** Output until it was ready. */
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

/** Takes a port below the range from which the system gives any free port, so nobody else gets it meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  return (await isPortFree(port)) ? port : freePort()
}

export const END_OF_WORKER = /The Worker was ended by something else[^\n]+npm start runs it again/

/** Returns all descendants of a process. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,comm='])
  const all = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const childrenOf = (parent: number): number[] =>
    all.filter(([, ppid, name]) => Number(ppid) === parent && name !== 'ps').map(([own]) => Number(own))
  const below = (parent: number): number[] => [parent, ...childrenOf(parent).flatMap(below)]
  return below(pid).slice(1)
}

export type Running = { pid: number; command: string }

/** Returns the processes that run, in the given order. A defunct process does not. */
export async function running(pids: readonly number[]): Promise<Running[]> {
  if (pids.length === 0) return []
  const listing = promisify(execFile)('ps', ['-o', 'pid=,args=', '-p', pids.join(',')])
  const { stdout } = await listing.catch(() => ({ stdout: '' }))
  const commands = new Map(
    [...stdout.matchAll(/^ *(\d+) (.+)$/gm)].map(([, pid, command = '']): [number, string] => [Number(pid), command]),
  )
  return pids.flatMap((pid) => {
    const command = commands.get(pid)
    return command === undefined || command.includes('<defunct>') ? [] : [{ pid, command }]
  })
}

/** Waits until none of them runs and the port is free. Returns those that run: none. */
export async function leftOf(pids: readonly number[], port: number): Promise<Running[]> {
  const look = async () => ({ left: await running(pids), isFree: await isPortFree(port) })
  const isOver = ({ left, isFree }: Awaited<ReturnType<typeof look>>): boolean => left.length === 0 && isFree
  return (await until(`nothing is left of ${pids.join(', ')} on port ${port}`, look, isOver)).left
}
