// Loaded by the test run and by each process of e2e and browser tests. Kills what the process has started when it ends: after its last
// test, by a signal, or because the run that started it is gone.
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { constants } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/** The run ends its processes by SIGTERM, so that they kill their own children. */
const signalForChildren = process.connected ? 'SIGKILL' : 'SIGTERM'
const children = new Set<ChildProcess>()

if (isMainThread) {
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    children.add(child)
    child.once('exit', () => children.delete(child))
  })
  process.once('exit', () => {
    for (const child of children) child.kill(signalForChildren)
  })
  process.once('disconnect', () => process.exit(1))
  // Set by scripts/test.ts, which may be killed while this run goes on in a process group of its own.
  if (process.env['ENDS_WITH_STDIN'] === '1' && !process.connected) {
    process.stdin.once('close', () => process.exit(1)).resume()
    if ('unref' in process.stdin) process.stdin.unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.prependOnceListener(signal, () => process.exit(128 + constants.signals[signal]))
}
