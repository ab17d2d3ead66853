// A Python environment for each list of requirements, made once and kept in a folder for the next run.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../run-tool.ts'

export async function hasPython(): Promise<boolean> {
  return run(['python3', '-c', 'import venv, ensurepip'], process.cwd()).then(
    () => true,
    () => false,
  )
}

/** The path of its interpreter. One that was left half made is made anew. */
export async function prepareEnvironment(cache: string, requirements: readonly string[]): Promise<string> {
  const name = createHash('sha256').update(requirements.join('\n')).digest('hex').slice(0, 16)
  const folder = join(cache, `python-${name}`)
  const ready = join(folder, 'requirements.txt')
  const python = join(folder, 'bin/python')
  if (existsSync(ready)) return python
  await rm(folder, { recursive: true, force: true })
  await mkdir(cache, { recursive: true })
  await run(['python3', '-m', 'venv', folder], cache)
  await run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements], cache)
  await writeFile(ready, `${requirements.join('\n')}\n`)
  return python
}
