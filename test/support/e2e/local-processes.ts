// The processes of an `npm start`, as the system lists them.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isPortFree } from '../../../scripts/local/dev-server.ts'

export const END_OF_WORKER = /The Worker was ended by something else[^\n]+npm start runs it again/

/** The processes below one, as far down as they go. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,comm='])
  const all = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const childrenOf = (parent: number): number[] =>
    all.filter(([, ppid, name]) => Number(ppid) === parent && name !== 'ps').map(([own]) => Number(own))
  const below = (parent: number): number[] => [parent, ...childrenOf(parent).flatMap(below)]
  return below(pid).slice(1)
}

export type Running = { pid: number; command: string }

/** Those of these processes that run, in the order asked for: the dead that nobody has looked at yet are none. */
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

export const pause = (): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, 50)
  })

/** Those of them that still run; none, and the port free, soon after all was told to end. */
export async function leftOf(pids: readonly number[], port: number): Promise<Running[]> {
  for (;;) {
    const left = await running(pids)
    if (left.length === 0 && (await isPortFree(port))) return left
    await pause()
  }
}
