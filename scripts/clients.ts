// npm run clients: tests SDKs of OpenAI and Anthropic against the service, prints the result of each feature, and writes the docs' table.
// Also runs the public test suite.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  replaceRows,
  replaceTable,
  tableRows,
  tableText,
  verdictText,
  type JudgedRun,
} from './clients/compatibility-table.ts'
import { driveNodeClient } from './clients/drive-node.ts'
import { drivePython, isPythonInstalled } from './clients/drive-python.ts'
import type { RunName, Verdict } from './clients/sdk-features.ts'
import { listSdks, type Sdk } from './clients/sdk-list.ts'
import { startSdkTestSetup, type SdkTestSetup } from './clients/sdk-test-setup.ts'
import { startSuiteSetup } from './clients/suite-setup.ts'
import {
  prepareSuite,
  replaceSuiteRow,
  runSuite,
  suiteCell,
  SUITE,
  SUITE_MODELS,
  type SuiteResult,
} from './clients/suites.ts'
import { runCommand, UsageError } from './command-line.ts'
import { run } from './external-tools.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { PROJECT_FOLDER } from './workerd/build-bundle.ts'

const CACHE = join(PROJECT_FOLDER, 'node_modules/.cache/clients')
const PAGE = join(PROJECT_FOLDER, 'docs/clients.md')

const HELP = `Usage: npm run clients -- [options]

Tests pinned versions of the SDKs of OpenAI and Anthropic, and a public test suite, against a local
service with emulated providers.

It installs what is written in Python with pip: that is skipped if Python 3 with venv is missing.

  --only NAME      SDKs and the suite whose name contains NAME; repeatable (default all)
  --write          writes the results into docs/clients.md
  --cache FOLDER   Python environments (default node_modules/.cache/clients)

SDKs:
${listSdks()
  .map(({ name }) => `  ${name}`)
  .join('\n')}

Suite:
  ${SUITE.name}

Example:
  npm run clients -- --only openai-node

Exit codes: 0 all pass, 1 a failure or nothing could run, 2 wrong command line.`

type Options = { readonly cache: string; readonly isWritten: boolean }

/** Runs the suite. Returns true if no test fails; null if its packages cannot be installed. */
async function driveSuite({ cache, isWritten }: Options): Promise<boolean | null> {
  const prepared = await prepareSuite(cache)
  if ('missing' in prepared) {
    console.log(`skipped  ${SUITE.name}: it needs Python 3 with venv and its packages. ${prepared.missing}`)
    return null
  }
  const setup = await startSuiteSetup(await makeTemporaryFolder())
  const results: SuiteResult[] = []
  try {
    for (const model of SUITE_MODELS) {
      const result = await runSuite(model, prepared.python, setup)
      console.log(`${SUITE.name}, ${model.id} at ${model.endpoint}: ${suiteCell(result)}`)
      for (const { test, why } of result.failed) console.log(`  ${test}: ${why}`)
      results.push(result)
    }
  } finally {
    await setup.close()
  }
  if (isWritten) await writePage((page) => replaceSuiteRow(page, results))
  return results.every(({ failed }) => failed.length === 0)
}

/** Tests the SDKs. Returns true if no feature fails; null if none could run. */
async function driveSdks(sdks: readonly Sdk[], { cache, isWritten }: Options): Promise<boolean | null> {
  const isPythonThere = await isPythonInstalled()
  const tested = sdks.filter(({ runtime }) => runtime === 'node' || isPythonThere)
  for (const { name } of sdks.filter((sdk) => !tested.includes(sdk))) {
    console.log(`skipped  ${name}: it needs Python 3 with venv, which is not installed here.`)
  }
  if (tested.length === 0) return null
  const setup = await startSdkTestSetup(await makeTemporaryFolder())
  const judged: JudgedRun[] = []
  try {
    for (const sdk of tested) judged.push(...(await driveSdk(sdk, cache, setup)))
  } finally {
    await setup.close()
  }
  const rows = tableRows(tested, setup.models, judged)
  const text = tableText(tested, rows)
  console.log(`\n${text}`)
  if (isWritten) {
    const isWhole = tested.length === listSdks().length
    await writePage((page) => (isWhole ? replaceTable(page, text) : replaceRows(page, rows)))
  }
  return judged.every(({ verdict }) => verdict.kind !== 'fails')
}

async function driveSdk(sdk: Sdk, cache: string, setup: SdkTestSetup): Promise<JudgedRun[]> {
  const judged: JudgedRun[] = []
  const addVerdict = (name: RunName, verdict: Verdict): void => {
    judged.push({ run: name, verdict })
    const own = judged.filter((one) => one.run.feature === name.feature)
    if (own.length === setup.models.length) console.log(`${sdk.name}, ${name.feature}: ${summary(own)}`)
  }
  if (sdk.runtime === 'node') await driveNodeClient(sdk.program, setup, addVerdict)
  else await drivePython(sdk.name, sdk.program, cache, setup, addVerdict)
  return judged
}

function summary(judged: readonly JudgedRun[]): string {
  const texts = new Map<string, number>()
  for (const { verdict } of judged) texts.set(verdictText(verdict), (texts.get(verdictText(verdict)) ?? 0) + 1)
  if (texts.size === 1) return [...texts.keys()].join('')
  return [...texts].map(([text, count]) => `${text} (${count} models)`).join('; ')
}

async function writePage(change: (page: string) => string): Promise<void> {
  await writeFile(PAGE, change(await readFile(PAGE, 'utf8')))
  await run([join(PROJECT_FOLDER, 'node_modules/.bin/oxfmt'), PAGE], PROJECT_FOLDER)
  console.log('\nWritten into docs/clients.md.')
}

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    cache: { type: 'string', default: CACHE },
  },
  async run({ values: { only, write, cache } }) {
    const named = [...listSdks(), SUITE]
    const unknown = only.find((part) => !named.some(({ name }) => name.includes(part)))
    if (unknown !== undefined) throw new UsageError(`There is no client or suite named ${unknown}. --help lists them.`)
    const isWanted = ({ name }: { name: string }): boolean =>
      only.length === 0 || only.some((part) => name.includes(part))
    const sdks = listSdks().filter(isWanted)
    const options = { cache, isWritten: write }
    const verdicts = [
      sdks.length === 0 ? null : await driveSdks(sdks, options),
      isWanted(SUITE) ? await driveSuite(options) : null,
    ].filter((verdict) => verdict !== null)
    return verdicts.length > 0 && verdicts.every(Boolean) ? 0 : 1
  },
})
