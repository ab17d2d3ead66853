// Runs a tool that is not ours and keeps what it said for the case that it fails.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type Command = readonly [command: string, ...args: string[]]

const LONGEST_STEP_MS = 300_000
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024

/** Its standard output. Throws where it fails; `whatItSaid` tells why. */
export async function run([command, ...args]: Command, cwd: string, env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: LONGEST_STEP_MS, maxBuffer: MOST_OUTPUT_BYTES }
  const { stdout } = await promisify(execFile)(command, args, options)
  return stdout
}

/** Tools say what is wrong on either of their outputs. */
export function whatItSaid(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const output = ['stdout', 'stderr'].map((name) => String(Object.getOwnPropertyDescriptor(thrown, name)?.value ?? ''))
  return [thrown.message, ...output].join('\n')
}
