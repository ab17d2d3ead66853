// Kills the local runtimes (workerd) that a command started, when the command ends or is killed. A runtime does not notice its
// parent's death, but this guard process does, because its input ends.
import { ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'

const CreatedSchema = z.object({ process: z.instanceof(ChildProcess) })

const RUNTIME_ENDED = 'The local storage stopped. End other processes that use it, then try again.'

type Guard = {
  /** Rejects when a runtime ends by itself, because its open requests then get no answer. */
  ended: Promise<never>
  release: () => void
}

/** Starts the guard. Call it before starting a runtime. */
export function guardRuntimes(): Guard {
  const guard = spawn(process.execPath, [import.meta.filename], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => undefined)
  function watch(message: unknown): void {
    const { process: child } = CreatedSchema.parse(message)
    // The file's name is known only after the spawn.
    child.once('spawn', () => {
      if (!basename(child.spawnfile).startsWith('workerd')) return
      guard.stdin.write(`${child.pid}\n`)
      child.once('exit', () => {
        if (!child.killed) reject(new Error(RUNTIME_ENDED))
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

/** Kills the process. Does nothing if it has already ended. */
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
