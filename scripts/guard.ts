// Shows what the identifier guard would refuse in your own letters: node scripts/guard.ts FILE… or a folder, or a pipe.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { findIdentifiers } from '../src/scanning/identifiers/identifiers.ts'
import type { Identifier } from '../src/scanning/identifiers/identifier-shapes.ts'

const HELP = `Usage: node scripts/guard.ts [FILE | FOLDER]…

Prints what the identifier guard would refuse: file, line, column and the shape's name, never the characters.
Without a file, or with -, it reads standard input. A folder is read with its subfolders, one letter a file,
and ends with the share of files that would be refused. Nothing leaves this machine.

  -q, --quiet   the summary only
  -h, --help    this page

Exit code: 0 when nothing would be refused, 1 when something would be, 2 when the command was not understood.`

/** Letters are read as UTF-8. Anything with a NUL byte is no text and is passed over. */
const PROGRESS_EVERY = 200

type Letter = { name: string; text: string }

async function main(): Promise<number> {
  const parsed = readArguments()
  if (parsed === undefined) return 2
  if (parsed.values.help === true) {
    console.log(HELP)
    return 0
  }
  const files: string[] = []
  let hasFolder = false
  for (const path of parsed.positionals) {
    if (path === '-') {
      files.push(path)
      continue
    }
    const found = await filesAt(path)
    if (found === undefined) {
      console.error(`${path}: there is no such file or folder`)
      return 2
    }
    hasFolder ||= found.isFolder
    files.push(...found.files)
  }
  if (parsed.positionals.length === 0) files.push('-')
  return report(files, hasFolder, parsed.values.quiet === true)
}

function readArguments() {
  try {
    const options = {
      help: { type: 'boolean', short: 'h' },
      quiet: { type: 'boolean', short: 'q' },
    } as const
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : 'The command was not understood.'}\n\n${HELP}`)
    return undefined
  }
}

async function filesAt(path: string): Promise<{ isFolder: boolean; files: string[] } | undefined> {
  const entry = await stat(path).catch(() => undefined)
  if (entry === undefined) return undefined
  if (!entry.isDirectory()) return { isFolder: false, files: [path] }
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return { isFolder: true, files: files.toSorted() }
}

async function report(files: readonly string[], hasFolder: boolean, isQuiet: boolean): Promise<number> {
  let refused = 0
  let read = 0
  for (const [index, file] of files.entries()) {
    const letter = await readLetter(file)
    if (letter !== undefined) {
      read += 1
      const identifiers = findIdentifiers(letter.text)
      if (identifiers.length > 0) refused += 1
      if (!isQuiet) printPlaces(letter, identifiers)
    }
    if (process.stderr.isTTY && (index + 1) % PROGRESS_EVERY === 0) {
      process.stderr.write(`\r${index + 1} of ${files.length} files`)
    }
  }
  if (process.stderr.isTTY && files.length >= PROGRESS_EVERY) process.stderr.write('\n')
  if (hasFolder || files.length > 1 || isQuiet) {
    const share = read === 0 ? 0 : (100 * refused) / read
    console.log(`${refused} of ${read} files would be refused (${share.toFixed(1)} %)`)
  } else if (refused === 0 && read > 0) console.log('Nothing would be refused.')
  return refused > 0 ? 1 : 0
}

async function readLetter(file: string): Promise<Letter | undefined> {
  if (file === '-') return { name: '(standard input)', text: await readAll(process.stdin) }
  const text = await readFile(file, 'utf8')
  return text.includes('\0') ? undefined : { name: file, text }
}

/** Lines and columns count from 1; a column is a code point, as in the service's offsets. */
function printPlaces({ name, text }: Letter, identifiers: readonly Identifier[]): void {
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

process.exitCode = await main()
