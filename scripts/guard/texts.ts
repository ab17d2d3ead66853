// The texts of the guard command: finds their files, reads them, and says where in a text a finding is.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { UsageError } from '../command-line.ts'
import type { IdentifierFinding } from '../../src/scanning/identifiers/find-identifiers.ts'

const PROGRESS_EVERY = 200

export type Text = { name: string; text: string }

/** Returns the files at the paths, those in a folder sorted. Throws UsageError if a path does not exist. */
export async function listFiles(paths: readonly string[]): Promise<{ files: string[]; hasFolder: boolean }> {
  const files: string[] = []
  let hasFolder = false
  for (const path of paths) {
    const entry = path === '-' ? undefined : await stat(path).catch(() => null)
    if (entry === null) throw new UsageError(`${path} does not exist. Check the path.`)
    if (entry?.isDirectory() === true) {
      hasFolder = true
      for (const file of await filesIn(path)) files.push(file)
    } else files.push(path)
  }
  return { files, hasFolder }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return files.toSorted()
}

/**
 * Reads UTF-8 files, or standard input for `-`. A file with a NUL byte is no text and is left out. Progress goes to the terminal,
 * unless the caller prints there between the texts.
 */
export async function* readTexts(files: readonly string[], printsBetween: boolean): AsyncGenerator<Text> {
  const isFree = !(printsBetween && process.stdout.isTTY)
  const showsProgress = process.stderr.isTTY && isFree && files.length >= PROGRESS_EVERY
  for (const [index, file] of files.entries()) {
    if (showsProgress && index > 0 && index % PROGRESS_EVERY === 0)
      process.stderr.write(`\r${index} of ${files.length} files`)
    const text = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8'))
    if (file === '-') yield { name: '(standard input)', text }
    else if (!text.includes('\0')) yield { name: file, text }
  }
  if (showsProgress) process.stderr.write('\n')
}

export function summarise(refused: number, read: number): string {
  const share = read === 0 ? 0 : (100 * refused) / read
  return `${refused} of ${read} files would be refused (${share.toFixed(1)} %)`
}

/** Returns `file:line:column` of each finding. Both count from 1; a column is a code point, as in the service's offsets. */
export function placesOf({ name, text }: Text, findings: readonly IdentifierFinding[]): string[] {
  const places: string[] = []
  if (findings.length === 0) return places
  let line = 1
  let lineStart = 0
  let offset = 0
  for (const character of text) {
    while (findings[places.length]?.start === offset) places.push(`${name}:${line}:${offset - lineStart + 1}`)
    offset += 1
    if (character === '\n') {
      line += 1
      lineStart = offset
    }
  }
  return places
}
