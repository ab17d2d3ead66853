// Runs the code blocks of a document as a reader pastes them, one after the other in one shell.
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'

/** `shown`: the block of JSON or text that follows the code at once. */
export type CodeBlock = {
  language: string
  code: string
  shown: { language: string; text: string } | null
}

/** A block of `sh production` is not among them: it needs a deployment, an account or another product. */
const BLOCK = /```(sh|js|python)\n([^]*?)\n```(?:\s*```(json|text)\n([^]*?)\n```)?/g

/** Lines that a test does in another way: it starts the service and sets the variables itself. */
const NOT_RUN = /^(?:npm start|npm test|\. \.wrangler\/state\/env).*\n*/gm

/** Returns the blocks of a document that have something to run, in their order. */
export const codeBlocksOf = (document: string): CodeBlock[] =>
  Array.from(
    readFileSync(document, 'utf8').matchAll(BLOCK),
    ([, language = '', code = '', shownLanguage, text = '']) => ({
      language,
      code: language === 'sh' ? code.replaceAll(NOT_RUN, '') : code,
      shown: shownLanguage === undefined ? null : { language: shownLanguage, text },
    }),
  ).filter(({ code }) => code !== '')

/** The Python interpreter for blocks of Python. `.ci/run` names one that has the package `openai`. */
const PYTHON = process.env['PYTHON'] ?? 'python3'

/** Returns true if that interpreter can import `openai`. */
export function hasPythonPackage(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import openai'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Variables that blocks have set, for the next one. */
const VARIABLES = 'variables'

export type BlockSettings = {
  /** Where blocks of sh leave files. Blocks that read files of the repository, and those of Node and Python, run in the repository. */
  folder: string
  env?: Record<string, string>
  /** Shell code before each block. */
  prelude?: string
}

/** Runs a block and returns its standard output. Throws if a command fails. */
export async function runBlock(
  { language, code }: CodeBlock,
  { folder, env = {}, prelude = '' }: BlockSettings,
): Promise<string> {
  const options = { env: { ...process.env, ...env }, cwd: resolve('.') }
  const run = promisify(execFile)
  if (language === 'python') return (await run(PYTHON, ['-c', code], options)).stdout
  if (language === 'js') return (await run('node', ['--input-type=module', '--eval', code], options)).stdout
  const kept = resolve(folder, VARIABLES)
  const lines = [
    'set -ea',
    prelude,
    `if [ -f '${kept}' ]; then . '${kept}'; fi`,
    inClone(code),
    `export -p > '${kept}'`,
  ]
  const cwd = code.includes('./data/') ? options.cwd : folder
  return (await run('sh', ['-c', lines.join('\n')], { ...options, cwd })).stdout
}

/** Has commands of the repository run from any folder. */
const inClone = (code: string): string =>
  code
    .replaceAll('node countersign-verify.mjs', `node '${resolve('scripts/countersign-verify.ts')}'`)
    .replaceAll(/npm run (?=[\w:-]+ --)/g, `npm run --silent --prefix '${resolve('.')}' `)

/** Expects what the document shows, or else that no answer is an error. */
export function expectShown({ code, shown }: CodeBlock, printed: string): void {
  if (shown?.language === 'json') expect(JSON.parse(printed), code).toMatchObject(JSON.parse(shown.text) as object)
  else expect(printed, code).not.toContain('"error":')
  if (shown?.language !== 'text') return
  for (const line of shown.text.split('\n')) expect(printed, code).toMatch(patternOf(line))
}

/** Returns a pattern in which `…` stands for anything. */
const patternOf = (line: string): RegExp => {
  const parts = line.split('…').map((part) => RegExp.escape(part))
  return new RegExp(parts.join('.*'))
}
