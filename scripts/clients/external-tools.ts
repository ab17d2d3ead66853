// Runs other people's tools for the client tests, such as Python, and creates Python environments.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/** A tool that must be on this machine, and the command that shows that it is. */
export type RequiredTool = { readonly what: string; readonly probe: Command }

export const PYTHON: RequiredTool = { what: 'Python 3 with venv', probe: ['python3', '-c', 'import venv, ensurepip'] }

export async function isInstalled({ probe }: RequiredTool): Promise<boolean> {
  return run(probe, process.cwd()).then(
    () => true,
    () => false,
  )
}

/** Creates a Python environment for these requirements once, and returns its interpreter. An incomplete one is created again. */
export async function preparePythonEnvironment(cache: string, requirements: readonly string[]): Promise<string> {
  const name = createHash('sha256').update(requirements.join('\n')).digest('hex').slice(0, 16)
  const folder = join(cache, `python-${name}`)
  const readyMarker = join(folder, 'requirements.txt')
  const python = join(folder, 'bin/python')
  if (existsSync(readyMarker)) return python
  await rm(folder, { recursive: true, force: true })
  await mkdir(cache, { recursive: true })
  await run(['python3', '-m', 'venv', folder], cache)
  await run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements], cache)
  await writeFile(readyMarker, `${requirements.join('\n')}\n`)
  return python
}
