// veraPDF, which is a Java program: where it is, and what it says of a file.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export const VERSION = '1.28.2'
const SHA256 = '687d4d8bcfec48c9f7e931cf78ed061f1eeccfba55d4cdc000ba9b4d8aa46ce6'
const NAME = `greenfield-apps-${VERSION}.jar`
export const ADDRESS = `https://repo1.maven.org/maven2/org/verapdf/apps/greenfield-apps/${VERSION}/${NAME}`
const MAIN = 'org.verapdf.apps.GreenfieldCliWrapper'
const MOST_OUTPUT = 64 * 2 ** 20

/** `name`: veraPDF's. */
export const FLAVOURS = [
  { name: 'ua1', title: 'PDF/UA-1' },
  { name: '2a', title: 'PDF/A-2a' },
] as const
export type Flavour = (typeof FLAVOURS)[number]['name']

/** Where a downloaded one is kept. */
const KEPT = join(tmpdir(), 'countersign-verapdf', NAME)

const run = promisify(execFile)

export async function hasJava(java: string): Promise<boolean> {
  try {
    await run(java, ['--version'])
    return true
  } catch {
    return false
  }
}

/** The jar that was downloaded before, or null. One with other content than the pinned is none. */
export async function findKept(): Promise<string | null> {
  try {
    return isPinned(await readFile(KEPT)) ? KEPT : null
  } catch {
    return null
  }
}

/** Null where what came is not what is pinned. Throws where nothing came. */
export async function download(): Promise<string | null> {
  const response = await fetch(ADDRESS)
  if (!response.ok) throw new Error(`${ADDRESS} answers ${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (!isPinned(bytes)) return null
  await mkdir(dirname(KEPT), { recursive: true })
  await writeFile(KEPT, bytes)
  return KEPT
}

const isPinned = (bytes: Uint8Array): boolean => createHash('sha256').update(bytes).digest('hex') === SHA256

export type Verdict = { passes: boolean; said: string }

export async function validate(
  { java, jar }: { java: string; jar: string },
  file: string,
  flavour: Flavour,
): Promise<Verdict> {
  const args = ['-cp', jar, MAIN, '--flavour', flavour, '--format', 'text', '-v', file]
  // It ends with 1 where the file does not pass, and says then why.
  const { stdout, stderr } = await run(java, args, { maxBuffer: MOST_OUTPUT }).catch((error: unknown) =>
    outputOf(error),
  )
  return { passes: stdout.startsWith('PASS '), said: (stdout + stderr).trim() }
}

function outputOf(error: unknown): { stdout: string; stderr: string } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') {
    return { stdout: error.stdout, stderr: 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '' }
  }
  throw error
}
