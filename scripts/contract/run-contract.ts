// Runs the checks one after another against one deployment and reports them.
import { accountChecks } from './accounts.checks.ts'
import { parseArguments, USAGE, type Options } from './arguments.ts'
import { allowedActionChecks, heldActionChecks, unknownActionChecks } from './actions.checks.ts'
import { bodyChecks } from './bodies.checks.ts'
import type { Check, CheckSource } from './check.ts'
import { connect, type Deployment } from './deployment.ts'
import { documentChecks } from './documents.checks.ts'
import { everyResponseChecks } from './every-response.checks.ts'
import { exampleChecks } from './examples.checks.ts'
import { fileChecks } from './files.checks.ts'
import { identifierChecks } from './identifiers.checks.ts'
import { keyChecks } from './keys.checks.ts'
import { pathChecks } from './paths.checks.ts'
import { rateLimitChecks } from './rate-limit.checks.ts'
import { recomputedListChecks } from './recomputed-lists.checks.ts'
import { columnLines, headingLines, resultLines, summaryLines, type Report, type Result } from './report.ts'
import { textChecks } from './text.checks.ts'
import { waitingListChecks } from './waiting-lists.checks.ts'

type Surroundings = {
  /** A line of the result. */
  readonly print: (line: string) => void
  /** A line about the progress, or a problem. */
  readonly report: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly wait: (ms: number) => Promise<void>
}

const AGREES = 0
const DIFFERS = 1
const NOT_POSSIBLE = 2

/** Returns the exit code: 0 when everything agrees, 1 when something differs, 2 when nothing could be checked. */
export async function runContract(
  args: readonly string[],
  { print, report, env, wait }: Surroundings,
): Promise<number> {
  const parsed = parseArguments(args, env)
  if (parsed.kind === 'help') {
    print(USAGE)
    return AGREES
  }
  if (parsed.kind === 'usage') {
    report(`${parsed.problem}\n\n${USAGE}`)
    return NOT_POSSIBLE
  }
  const { options } = parsed
  const deployment = connect({ ...options, wait, report })
  if (!(await answers(deployment))) {
    report(`Nobody answers at ${options.baseUrl}. Check the address, and that the service is running.`)
    return NOT_POSSIBLE
  }

  const results = await runChecks(deployment, options, options.json ? () => {} : print)
  if (results.length === 0) {
    report(`No group's name contains ${options.only.join(' or ')}.`)
    return NOT_POSSIBLE
  }
  const outcome = summarise(deployment, options, results)
  for (const line of options.json ? [JSON.stringify(outcome, null, 2)] : summaryLines(outcome)) print(line)
  return outcome.ok ? AGREES : DIFFERS
}

async function runChecks(deployment: Deployment, options: Options, print: (line: string) => void): Promise<Result[]> {
  const results: Result[] = []
  const printAll = (lines: readonly string[]): void => lines.forEach((line) => print(line))
  printAll(columnLines())
  for (const source of sourcesFor(options)) {
    for (const check of await listChecks(source, deployment)) {
      if (!isAskedFor(check.group, options)) continue
      const result = await runCheck(check, deployment)
      if (results.at(-1)?.group !== check.group) printAll(headingLines(check.group))
      printAll(resultLines(result))
      results.push(result)
    }
  }
  return results
}

function sourcesFor({ limitedKey }: Options): readonly CheckSource[] {
  return [
    documentChecks,
    keyChecks,
    accountChecks,
    heldActionChecks,
    allowedActionChecks,
    unknownActionChecks,
    identifierChecks,
    textChecks,
    bodyChecks,
    exampleChecks,
    waitingListChecks,
    recomputedListChecks,
    fileChecks,
    pathChecks,
    ...(limitedKey === null ? [] : [rateLimitChecks(limitedKey)]),
    // Last, since it looks at the answers of all the others.
    everyResponseChecks,
  ]
}

async function listChecks(source: CheckSource, deployment: Deployment): Promise<readonly Check[]> {
  return source(deployment)
}

const isAskedFor = (group: string, { only }: Options): boolean =>
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

function summarise(deployment: Deployment, { baseUrl, limitedKey }: Options, results: readonly Result[]): Report {
  const differing = results.filter(({ ok }) => !ok).length
  return {
    baseUrl,
    ok: differing === 0,
    checks: results.length,
    differing,
    calls: deployment.answers.length,
    waitedSeconds: Math.round(deployment.waitedMs() / 1000),
    notRun: limitedKey === null ? ['rate limit, which takes --limited-key'] : [],
    results,
  }
}
