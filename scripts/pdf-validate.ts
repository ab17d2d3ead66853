// npm run pdf:validate: makes sample reports and checks each with veraPDF against PDF/UA-1 and PDF/A-2a.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { drawReport } from '../src/reports/report/drawing/draw-report.ts'
import { runCommand, TERMINAL, type Output } from './command-line.ts'
import { FONT_PROGRAMS } from './pdf/font-programs.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { SAMPLE_REPORTS } from '../test/support/pdf/sample-reports.ts'

const VERSION = '1.28.2'
const SHA256 = '687d4d8bcfec48c9f7e931cf78ed061f1eeccfba55d4cdc000ba9b4d8aa46ce6'
const NAME = `greenfield-apps-${VERSION}.jar`
const ADDRESS = `https://repo1.maven.org/maven2/org/verapdf/apps/greenfield-apps/${VERSION}/${NAME}`
const MAIN = 'org.verapdf.apps.GreenfieldCliWrapper'
const MAX_OUTPUT = 64 * 2 ** 20

/** The downloaded jar, stored for later runs. */
const CACHED_JAR = join(tmpdir(), 'countersign-verapdf', NAME)

const FLAVOURS = [
  { flavour: 'ua1', title: 'PDF/UA-1' },
  { flavour: '2a', title: 'PDF/A-2a' },
] as const

const HELP = `Usage: npm run pdf:validate -- [FILE …] [options]

Checks PDF files, or invented reports, with veraPDF ${VERSION} against PDF/UA-1 and PDF/A-2a.

  --java COMMAND   Java 11 or newer (default java)
  --jar FILE       veraPDF's jar
  --download       downloads veraPDF (9 MB) and keeps it in the temporary folder
  --keep FOLDER    writes the invented reports to this folder

Example:
  npm run pdf:validate -- --download

Exit codes: 0 all pass, 1 a file fails, 2 wrong command line, or no Java or veraPDF.`

const WITHOUT_JAVA = 'There is no Java. Install Java 11 or newer, or name it with --java.'

const WITHOUT_VERAPDF = `veraPDF is missing. Add --download, or name its jar with --jar: ${ADDRESS}`

const NOT_PINNED = `${ADDRESS} sent another file than the pinned one. Name a jar with --jar.`

/** Thrown if a program is missing. The message says which, and how to get it. */
class MissingError extends Error {}

/** Returns the exit code: 0 all pass, 1 one fails, 2 something is missing or was not understood. */
export const runPdfValidate = (args: readonly string[], output: Output): Promise<number> =>
  runCommand(
    args,
    {
      help: HELP,
      takesArguments: true,
      options: {
        java: { type: 'string', default: 'java' },
        jar: { type: 'string' },
        download: { type: 'boolean', default: false },
        keep: { type: 'string' },
      },
      async run({ values: { java, jar, download, keep }, positionals }) {
        try {
          if (!(await hasJava(java))) throw new MissingError(WITHOUT_JAVA)
          const program = { java, jar: await findJar(jar, download) }
          return await judgeAll(program, positionals.length > 0 ? positionals : await drawReports(keep), output)
        } catch (thrown) {
          if (!(thrown instanceof MissingError)) throw thrown
          output.report(thrown.message)
          return 2
        }
      },
    },
    output,
  )

type Program = { java: string; jar: string }

async function judgeAll(program: Program, files: readonly string[], { print, report }: Output): Promise<0 | 1> {
  let code: 0 | 1 = 0
  for (const file of files) {
    for (const { flavour, title } of FLAVOURS) {
      const { passes, said } = await judge(program, file, flavour)
      print(`${file}: ${passes ? 'passes' : 'does not pass'} ${title}`)
      if (passes) continue
      report(said)
      code = 1
    }
  }
  return code
}

/** Writes the sample reports into `keep`, or into a temporary folder. Returns their paths. */
async function drawReports(keep: string | undefined): Promise<string[]> {
  const folder = keep ?? (await makeTemporaryFolder())
  const files: string[] = []
  for (const [name, make] of Object.entries(SAMPLE_REPORTS)) {
    const file = join(folder, `${name}.pdf`)
    await writeFile(file, drawReport(make(), FONT_PROGRAMS))
    files.push(file)
  }
  return files
}

const run = promisify(execFile)

const hasJava = (java: string): Promise<boolean> =>
  run(java, ['--version']).then(
    () => true,
    () => false,
  )

/** Returns the path of veraPDF's jar. Throws MissingError. */
async function findJar(named: string | undefined, mayDownload: boolean): Promise<string> {
  if (named !== undefined) {
    const found = await stat(named).catch(() => null)
    if (found?.isFile() !== true) throw new MissingError(`${named} is not a file. Name veraPDF's jar with --jar.`)
    return named
  }
  const kept = await readFile(CACHED_JAR).catch(() => null)
  if (kept !== null && isPinned(kept)) return CACHED_JAR
  if (!mayDownload) throw new MissingError(WITHOUT_VERAPDF)
  const response = await fetch(ADDRESS).catch((thrown: unknown) => {
    throw new MissingError(thrown instanceof Error ? thrown.message : WITHOUT_VERAPDF)
  })
  if (!response.ok) throw new MissingError(`${ADDRESS} answered ${response.status}. Try again later, or use --jar.`)
  const bytes = await response.bytes()
  if (!isPinned(bytes)) throw new MissingError(NOT_PINNED)
  await mkdir(dirname(CACHED_JAR), { recursive: true })
  await writeFile(CACHED_JAR, bytes)
  return CACHED_JAR
}

const isPinned = (bytes: Uint8Array): boolean => createHash('sha256').update(bytes).digest('hex') === SHA256

async function judge(
  { java, jar }: Program,
  file: string,
  flavour: string,
): Promise<{ passes: boolean; said: string }> {
  const args = ['-cp', jar, MAIN, '--flavour', flavour, '--format', 'text', '-v', file]
  // veraPDF exits with 1 if the file fails, and prints the reason.
  const { stdout, stderr } = await run(java, args, { maxBuffer: MAX_OUTPUT }).catch(outputOf)
  return { passes: stdout.startsWith('PASS '), said: (stdout + stderr).trim() }
}

function outputOf(error: unknown): { stdout: string; stderr: string } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') {
    return { stdout: error.stdout, stderr: 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '' }
  }
  throw error
}

if (process.argv[1] === import.meta.filename) process.exitCode = await runPdfValidate(process.argv.slice(2), TERMINAL)
