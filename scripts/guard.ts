// npm run guard: shows where your own letters contain identifiers, and how many letters the service would refuse for that.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { findIdentifiers } from '../src/scanning/identifiers/find-identifiers.ts'
import { runCommand, UsageError } from './command-line.ts'
import type { IdentifierFinding } from '../src/scanning/identifiers/identifier-shapes.ts'

const HELP = `Usage: npm run guard -- [FILE|FOLDER …] [options]

Shows where letters contain identifiers that the service refuses, without printing them.

It prints file, line, column and kind of identifier. Nothing leaves this machine. Without a path, or
with -, it reads standard input. In a folder, each file is a letter.

  -q, --quiet   prints only the summary

Examples:
  npm run guard -- letter.txt
  npm run guard -- --quiet letters/

Exit codes: 0 nothing found, 1 something found, 2 wrong command line.`

const PROGRESS_EVERY = 200

type Letter = { name: string; text: string }

async function find(paths: readonly string[], isQuiet: boolean): Promise<0 | 1> {
  const inputs: { isFolder: boolean; files: string[] }[] = []
  for (const path of paths.length === 0 ? ['-'] : paths) {
    const at = await filesAt(path)
    if (at === null) throw new UsageError(`${path} does not exist. Check the path.`)
    inputs.push(at)
  }
  const hasFolder = inputs.some(({ isFolder }) => isFolder)
  return report(
    inputs.flatMap(({ files }) => files),
    hasFolder,
    isQuiet,
  )
}

async function filesAt(path: string): Promise<{ isFolder: boolean; files: string[] } | null> {
  if (path === '-') return { isFolder: false, files: [path] }
  const entry = await stat(path).catch(() => null)
  if (entry === null) return null
  if (!entry.isDirectory()) return { isFolder: false, files: [path] }
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return { isFolder: true, files: files.toSorted() }
}

async function report(files: readonly string[], hasFolder: boolean, isQuiet: boolean): Promise<0 | 1> {
  const showsProgress = process.stderr.isTTY && files.length >= PROGRESS_EVERY
  let refused = 0
  let read = 0
  for (const [index, file] of files.entries()) {
    if (showsProgress && index > 0 && index % PROGRESS_EVERY === 0)
      process.stderr.write(`\r${index} of ${files.length} files`)
    const letter = await readLetter(file)
    if (letter === null) continue
    read += 1
    const identifiers = findIdentifiers(letter.text)
    if (identifiers.length > 0) refused += 1
    if (!isQuiet) printPlaces(letter, identifiers)
  }
  if (showsProgress) process.stderr.write('\n')
  if (hasFolder || files.length > 1 || isQuiet) {
    const share = read === 0 ? 0 : (100 * refused) / read
    console.log(`${refused} of ${read} files would be refused (${share.toFixed(1)} %)`)
  } else if (refused === 0 && read > 0) console.log('Nothing would be refused.')
  return refused > 0 ? 1 : 0
}

/** Reads a UTF-8 file. Returns null for a file with a NUL byte, which is not text. */
async function readLetter(file: string): Promise<Letter | null> {
  if (file === '-') return { name: '(standard input)', text: await readAll(process.stdin) }
  const text = await readFile(file, 'utf8')
  return text.includes('\0') ? null : { name: file, text }
}

/** Prints the positions. Lines and columns count from 1; a column is a code point, as in the service's offsets. */
function printPlaces({ name, text }: Letter, identifiers: readonly IdentifierFinding[]): void {
  if (identifiers.length === 0) return
  let line = 1
  let lineStart = 0
  let offset = 0
  let next = 0
  for (const character of text) {
    for (; identifiers[next]?.start === offset; next += 1) {
      console.log(`${name}:${line}:${offset - lineStart + 1}: ${identifiers[next]?.shape}`)
    }
    offset += 1
    if (character === '\n') {
      line += 1
      lineStart = offset
    }
  }
}

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  takesArguments: true,
  options: { quiet: { type: 'boolean', short: 'q', default: false } },
  run: ({ values: { quiet }, positionals }) => find(positionals, quiet),
})
