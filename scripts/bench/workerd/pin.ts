// Keeps what is measured on a core of its own, by taskset (util-linux): on two shared cores a server that is moved from one to the
// other as its callers and its provider come and go costs more, and other than in the round before.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

const SERVER_CORE = '0'
const otherCores = (): string => `1-${availableParallelism() - 1}`

/** All its threads, and those that they start. Rejects where there is no taskset, or one core only. */
export const pinServer = (pid: number): Promise<void> => pin(pid, SERVER_CORE)

/** The callers, and the provider. */
export const pinOthers = (pid: number): Promise<void> => pin(pid, otherCores())

const pin = async (pid: number, cores: string): Promise<void> =>
  void (await run('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(pid)]))
