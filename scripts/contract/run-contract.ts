// Runs the contract checks one after another against a deployment, and prints the report.
import { accountChecks, documentChecks, keyChecks, pathChecks, rateLimitChecks } from './access.checks.ts'
import { runCommand, type Output } from '../command-line.ts'
import { OPTIONS, readOptions, USAGE, type ContractOptions } from './contract-options.ts'
import type { Check, CheckSource } from './contract-check.ts'
import { connect, type Deployment } from './deployment.ts'
import { everyResponseChecks } from './every-response.checks.ts'
import { fileChecks, recomputedListChecks, waitingListChecks } from './figures.checks.ts'
import { identifierChecks } from './identifiers.checks.ts'
import { actionChecks, bodyChecks, exampleChecks, textChecks } from './read.checks.ts'

type Result = {
  readonly group: string
  readonly name: string
  readonly expected: string
  readonly got: string
  readonly ok: boolean
  readonly differences: readonly string[]
}

type Report = {
  readonly baseUrl: string
  readonly ok: boolean
  readonly checks: number
  readonly differing: number
  readonly calls: number
  readonly waitedSeconds: number
  /** Checks that were skipped, and why. */
  readonly notRun: readonly string[]
  readonly results: readonly Result[]
}

type Surroundings = Output & {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly wait: (ms: number) => Promise<void>
}

const AGREES = 0
const DIFFERS = 1
const NOT_POSSIBLE = 2

/** Returns the exit code: 0 if everything agrees, 1 if something differs, 2 if nothing could be checked. */
export const runContract = (args: readonly string[], { env, wait, ...output }: Surroundings): Promise<number> =>
  runCommand(
    args,
    {
      help: USAGE,
      options: OPTIONS,
      takesArguments: true,
      run: (given) => checkDeployment(readOptions(given, env), wait, output),
    },
    output,
  )

async function checkDeployment(
  options: ContractOptions,
  wait: Surroundings['wait'],
  { print, report }: Output,
): Promise<number> {
  const deployment = connect({ ...options, wait, report })
  if (!(await answers(deployment))) {
    report(`Nothing answers at ${options.baseUrl}. Check the address and that the service runs.`)
    return NOT_POSSIBLE
  }

  const results = await runChecks(deployment, options, options.json ? () => {} : print)
  if (results.length === 0) {
    report(`No group's name contains ${options.only.join(' or ')}. Run without --only to see all groups.`)
    return NOT_POSSIBLE
  }
  const outcome = summarise(deployment, options, results)
  for (const line of options.json ? [JSON.stringify(outcome, null, 2)] : summaryLines(outcome)) print(line)
  return outcome.ok ? AGREES : DIFFERS
}

async function runChecks(
  deployment: Deployment,
  options: ContractOptions,
  print: (line: string) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const printAll = (lines: readonly string[]): void => lines.forEach((line) => print(line))
  print(['        ', fit('check', NAME_WIDTH), fit('expected', EXPECTED_WIDTH), 'got'].join(' '))
  for (const source of sourcesFor(options)) {
    for (const check of await source(deployment)) {
      if (!isAskedFor(check.group, options)) continue
      const result = await runCheck(check, deployment)
      if (results.at(-1)?.group !== check.group) printAll(['', check.group])
      printAll(resultLines(result))
      results.push(result)
    }
  }
  return results
}

function sourcesFor({ limitedKey }: ContractOptions): readonly CheckSource[] {
  return [
    documentChecks,
    keyChecks,
    accountChecks,
    actionChecks,
    identifierChecks,
    textChecks,
    bodyChecks,
    exampleChecks,
    waitingListChecks,
    recomputedListChecks,
    fileChecks,
    pathChecks,
    ...(limitedKey === null ? [] : [rateLimitChecks(limitedKey)]),
    // These come last, because they look at the answers of all others.
    everyResponseChecks,
  ]
}

const isAskedFor = (group: string, { only }: ContractOptions): boolean =>
  only.length === 0 || only.some((part) => group.includes(part))

async function runCheck({ group, name, expected, run }: Check, deployment: Deployment): Promise<Result> {
  try {
    const { got, differences } = await run(deployment)
    return { group, name, expected, got, ok: differences.length === 0, differences }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'the check failed'
    return { group, name, expected, got: 'no answer', ok: false, differences: [reason] }
  }
}

async function answers(deployment: Deployment): Promise<boolean> {
  try {
    await deployment.send({ path: '/healthz', key: null })
    return true
  } catch {
    return false
  }
}

function summarise(
  deployment: Deployment,
  { baseUrl, limitedKey }: ContractOptions,
  results: readonly Result[],
): Report {
  const differing = results.filter(({ ok }) => !ok).length
  return {
    baseUrl,
    ok: differing === 0,
    checks: results.length,
    differing,
    calls: deployment.answers.length,
    waitedSeconds: Math.round(deployment.waitedMs() / 1000),
    notRun: limitedKey === null ? ['rate limit; add --limited-key'] : [],
    results,
  }
}

const NAME_WIDTH = 66
const EXPECTED_WIDTH = 28

function resultLines({ name, expected, got, ok, differences }: Result): readonly string[] {
  const columns = [ok ? '  ok    ' : '  DIFFER', fit(name, NAME_WIDTH), fit(expected, EXPECTED_WIDTH), got]
  return [columns.join(' ').trimEnd(), ...differences.map((difference) => `           - ${difference}`)]
}

function summaryLines({ checks, differing, calls, waitedSeconds, notRun, baseUrl }: Report): readonly string[] {
  const verdict = differing === 0 ? 'agrees with the contract' : `differs from the contract in ${differing} of them`
  return [
    '',
    ...notRun.map((reason) => `not run: ${reason}`),
    `${checks} checks, ${calls} calls, ${waitedSeconds} s of waiting for the rate limit.`,
    `${baseUrl} ${verdict}.`,
  ]
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
}
