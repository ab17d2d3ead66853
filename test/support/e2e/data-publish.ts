// Runs `npm run data:publish` as an operator does.
import { execFile } from 'node:child_process'
import { join } from 'node:path'

interface Finished {
  code: number | string | null | undefined
  out: string
  err: string
}

export async function dataPublish(...args: string[]): Promise<Finished> {
  const command = ['--env-file=.env', 'scripts/data-publish.ts', ...args]
  const cwd = join(import.meta.dirname, '../../..')
  return await new Promise((resolve) => {
    execFile(process.execPath, command, { cwd }, (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err })
    })
  })
}
