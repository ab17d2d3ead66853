// Ends the local runtimes of a command, however the command ends. A runtime does not notice that its parent was killed. The guard, a
// process of its own, does: its input ends then.
import { ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const CreatedSchema = z.object({ process: z.instanceof(ChildProcess) })

const ENDED = 'The local storage ended. Another process may have it open: end that one, then run the command again.'

type Guard = {
  /** Rejects when a runtime ends by itself, since nothing that was asked of it is answered then. */
  ended: Promise<never>
  release: () => void
}

/** Call it before a runtime is started. */
export function guardRuntimes(): Guard {
  const guard = spawn(process.execPath, [import.meta.filename], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => undefined)
  function watch(message: unknown): void {
    const { process: child } = CreatedSchema.parse(message)
    // Its file is not known before it is spawned.
    child.once('spawn', () => {
      if (!basename(child.spawnfile).startsWith('workerd')) return
      guard.stdin.write(`${child.pid}\n`)
      child.once('exit', () => {
        if (!child.killed) reject(new Error(ENDED))
      })
    })
  }
  subscribe('child_process', watch)
  return {
    ended,
    release: () => {
      unsubscribe('child_process', watch)
      guard.stdin.end()
    },
  }
}

/** Throws nothing where the process is gone already. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    return
  }
}

if (process.argv[1] === import.meta.filename) {
  const started: number[] = []
  for await (const line of createInterface({ input: process.stdin })) started.push(Number(line))
  for (const pid of started) end(pid)
}
