// Runs other people's tools, such as linters and Python.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type Command = readonly [command: string, ...args: string[]]

const LONGEST_STEP_MS = 300_000
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024

/** Runs a command and returns its standard output. Throws if it fails; `failureOutput` returns the reason. */
export async function run([command, ...args]: Command, cwd: string, env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: LONGEST_STEP_MS, maxBuffer: MOST_OUTPUT_BYTES }
  const { stdout } = await promisify(execFile)(command, args, options)
  return stdout
}

/** Returns what a failed tool printed. Tools print errors on either output. */
export function failureOutput(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const output = ['stdout', 'stderr'].map((name) => String(Object.getOwnPropertyDescriptor(thrown, name)?.value ?? ''))
  return [thrown.message, ...output].join('\n')
}
