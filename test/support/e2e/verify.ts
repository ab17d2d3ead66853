// countersign-verify as a test runs it: on files that it keeps for it, with what is printed and what is reported together.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runVerify } from '../../../scripts/verify/run-verify.ts'

/** The run of the tests removes it with all else of its own. */
const folder = mkdtempSync(join(tmpdir(), 'verify-'))
let files = 0

/** Keeps an object as JSON and a text as it is. The path. */
export function keepFile(content: object | string, extension = typeof content === 'string' ? 'jsonl' : 'json'): string {
  const path = join(folder, `${(files += 1)}.${extension}`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

export async function verify(...args: string[]): Promise<{ status: number; said: string }> {
  let said = ''
  const take = (text: string): void => void (said += `${text}\n`)
  const status = await runVerify(args, { print: take, report: take })
  return { status, said }
}
