// npm test: the checks of the source beside the everyday tests. npm run test:near: the tests near some files.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { constants } from 'node:os'
import { relative } from 'node:path'
import { runCommand, UsageError } from './command-line.ts'
import { testsNear } from './test/near.ts'

const HELP = `Usage: npm test, or npm run test:near -- PATH …

Checks types, lint and format, and runs the everyday tests; test:near runs only tests near paths.

  PATH   a file or folder; in src: the unit tests of its folder; in scripts: the e2e tests of
         its name; in test: the tests themselves

Examples:
  npm test
  npm run test:near -- src/gateway

Exit codes: 0 all pass, 1 a failure, 2 wrong command line.`

const CHECKS = ['format:check', 'types', 'lint'] as const

type Ended = { isGood: boolean; output: string }

const IS_WINDOWS = process.platform === 'win32'
const running = new Set<ChildProcess>()

/** npm passes no signal on to what it runs, so each script has a process group, which is ended as a whole. */
function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const { pid } of running) if (pid !== undefined) endGroup(pid)
      process.exit(128 + constants.signals[signal])
    })
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(IS_WINDOWS ? pid : -pid, 'SIGTERM')
  } catch {
    // It has just ended.
  }
}

/** Runs a script of package.json. Its output is shown at once, or returned. */
function runScript(name: string, args: readonly string[], output: 'shown' | 'kept'): Promise<Ended> {
  const to = output === 'shown' ? 'inherit' : 'pipe'
  const line = ['run', '--silent', name, '--', ...args]
  const child = spawn('npm', line, {
    // The tests end when this pipe closes: nothing else tells them that this process was killed.
    stdio: ['pipe', to, to],
    env: { ...process.env, ENDS_WITH_STDIN: '1' },
    detached: !IS_WINDOWS,
    shell: IS_WINDOWS,
  })
  running.add(child)
  const parts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => parts.push(part))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      running.delete(child)
      resolve({ isGood: code === 0, output: Buffer.concat(parts).toString() })
    })
  })
}

/** Runs the checks one by one, because the tests run at the same time. Returns the output of failed ones. */
async function runChecks(): Promise<string[]> {
  const failed: string[] = []
  for (const name of CHECKS) {
    const { isGood, output } = await runScript(name, [], 'kept')
    if (!isGood) failed.push(`npm run ${name} failed:\n${output}`)
  }
  return failed
}

async function testEverything(): Promise<number> {
  const checking = runChecks()
  const { isGood } = await runScript('test:run', [], 'shown')
  const failed = await checking
  for (const output of failed) console.error(output)
  console.log(failed.length === 0 ? 'Types, lint and format passed.' : 'Types, lint or format failed. See above.')
  if (!isGood) console.log('Tests failed. See above.')
  return isGood && failed.length === 0 ? 0 : 1
}

async function testNear(paths: readonly string[]): Promise<number> {
  const tests = globSync('test/**/*.test.ts').map((test) => test.replaceAll('\\', '/'))
  const near = paths.map((path) => testsNear(relative('', path), tests))
  const without = paths.filter((_, at) => near[at]?.length === 0)
  if (without.length > 0) throw new UsageError(`No test is near ${without.join(', ')}. Leave it out, or run npm test.`)
  // The service serves files that the build of the pages writes, such as the OpenAPI document.
  const files = [...new Set(near.flat())]
  const needsPages = !files.every((file) => file.startsWith('test/unit/')) || !existsSync('dist/pages')
  if (needsPages && !(await runScript('pages', [], 'shown')).isGood) return 1
  return (await runScript('test:some', files, 'shown')).isGood ? 0 : 1
}

endOnSignals()
process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  takesArguments: true,
  options: { near: { type: 'boolean', default: false } },
  run({ values: { near }, positionals }) {
    if (near && positionals.length > 0) return testNear(positionals)
    if (near) throw new UsageError('A path is missing.')
    if (positionals.length > 0) throw new UsageError('npm test takes no path. Use npm run test:near -- PATH.')
    return testEverything()
  },
})
