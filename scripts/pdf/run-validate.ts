// Draws reports, and has each judged by both standards.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawReport } from '../../src/reports/report/drawing/draw-report.ts'
import { readCommandLine } from '../command-line.ts'
import { SAMPLE_REPORTS } from './sample-reports.ts'
import { ADDRESS, download, findKept, FLAVOURS, hasJava, validate, VERSION } from './verapdf.ts'

const HELP = `npm run pdf:validate -- [FILE…] [options]

Has veraPDF ${VERSION} judge PDF files by PDF/UA-1 and PDF/A-2a. Without a file, invented reports are drawn and judged: of a year, of
an organisation without a call, and of one with long and foreign names.

  --java COMMAND   the Java to run it with (11 or newer); left out, java
  --jar FILE       veraPDF’s application as one jar, where you have it
  --download       get it: 9 MB from Maven Central, checked against a pinned SHA-256 and kept in the temporary folder
  --keep FOLDER    draw the reports into this folder, and leave them there
  -h, --help       this page

Exit code: 0 all pass, 1 something does not, 2 Java or veraPDF is missing, or the command was not understood.`

const WITHOUT_JAVA = `There is no Java here. pdf:validate needs one, 11 or newer: name it with --java. What needs none, such as marks, tags and
text read back, is checked by npm test.`

const WITHOUT_VERAPDF = `veraPDF is not here. Have it downloaded (9 MB, checked against a pinned hash): npm run pdf:validate -- --download
Or get it yourself and name it with --jar: ${ADDRESS}`

const NOT_PINNED = `What ${ADDRESS} answers is not the file that is pinned. It was not kept.`

export type Output = { print: (text: string) => void; report: (text: string) => void }

const OPTIONS = {
  java: { type: 'string', default: 'java' },
  jar: { type: 'string' },
  download: { type: 'boolean', default: false },
  keep: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export async function runValidate(args: readonly string[], output: Output): Promise<number> {
  const read = readCommandLine(() => parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true }))
  if (typeof read === 'string') {
    output.report(`${read}\n\n${HELP}`)
    return 2
  }
  const { values, positionals } = read
  if (values.help) {
    output.print(HELP)
    return 0
  }
  if (!(await hasJava(values.java))) {
    output.report(WITHOUT_JAVA)
    return 2
  }
  const found = await findJar(values)
  if ('missing' in found) {
    output.report(found.missing)
    return 2
  }
  return withFiles(positionals, values.keep ?? null, async (files) => {
    let code = 0
    for (const file of files) if (!(await judge({ java: values.java, jar: found.jar }, file, output))) code = 1
    return code
  })
}

async function judge(
  program: { java: string; jar: string },
  file: string,
  { print, report }: Output,
): Promise<boolean> {
  let passesAll = true
  for (const flavour of FLAVOURS) {
    const { passes, said } = await validate(program, file, flavour.name)
    print(`${file}: ${passes ? 'passes' : 'does not pass'} ${flavour.title}`)
    if (!passes) report(said)
    passesAll &&= passes
  }
  return passesAll
}

type FoundJar = { jar: string } | { missing: string }

async function findJar({ jar, download: mayDownload }: { jar?: string; download: boolean }): Promise<FoundJar> {
  if (jar !== undefined) return (await isFile(jar)) ? { jar } : { missing: `${jar} is no file.` }
  const kept = await findKept()
  if (kept !== null) return { jar: kept }
  if (!mayDownload) return { missing: WITHOUT_VERAPDF }
  try {
    const downloaded = await download()
    return downloaded === null ? { missing: NOT_PINNED } : { jar: downloaded }
  } catch (error) {
    return { missing: error instanceof Error ? error.message : WITHOUT_VERAPDF }
  }
}

async function withFiles(
  named: readonly string[],
  keep: string | null,
  work: (files: readonly string[]) => Promise<number>,
): Promise<number> {
  if (named.length > 0) return work(named)
  const folder = keep ?? (await mkdtemp(join(tmpdir(), 'reports-')))
  try {
    const files: string[] = []
    for (const [name, make] of Object.entries(SAMPLE_REPORTS)) {
      const file = join(folder, `${name}.pdf`)
      await writeFile(file, drawReport(make()))
      files.push(file)
    }
    return await work(files)
  } finally {
    if (keep === null) await rm(folder, { recursive: true, force: true })
  }
}

const isFile = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
