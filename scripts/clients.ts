// npm run clients: tests SDKs for OpenAI's formats against the service, prints the result of each feature, and writes the docs' table.
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
import { runCommand, UsageError } from './command-line.ts'
import { run } from './external-tools.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { PROJECT_FOLDER } from './workerd/build-bundle.ts'

const CACHE = join(PROJECT_FOLDER, 'node_modules/.cache/clients')
const PAGE = join(PROJECT_FOLDER, 'docs/clients.md')

const HELP = `Usage: npm run clients -- [options]

Tests pinned versions of OpenAI-compatible SDKs against a local service with emulated providers.

It installs the Python SDKs with pip, and skips them if Python 3 with venv is missing.

  --only NAME      SDKs whose name contains NAME; repeatable (default all)
  --write          writes the results into docs/clients.md
  --cache FOLDER   Python environments (default node_modules/.cache/clients)

SDKs:
${listSdks()
  .map(({ name }) => `  ${name}`)
  .join('\n')}

Example:
  npm run clients -- --only openai-node

Exit codes: 0 all pass, 1 a failure or no client could run, 2 wrong command line.`

type Options = { readonly cache: string; readonly isWritten: boolean }

/** Tests the SDKs. Returns true if no feature fails. */
async function driveSdks(sdks: readonly Sdk[], { cache, isWritten }: Options): Promise<boolean> {
  const isPythonThere = await isPythonInstalled()
  const tested = sdks.filter(({ runtime }) => runtime === 'node' || isPythonThere)
  for (const { name } of sdks.filter((sdk) => !tested.includes(sdk))) {
    console.log(`skipped  ${name}: it needs Python 3 with venv, which is not installed here.`)
  }
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
  return tested.length > 0 && judged.every(({ verdict }) => verdict.kind !== 'fails')
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
    const unknown = only.find((part) => !listSdks().some(({ name }) => name.includes(part)))
    if (unknown !== undefined) throw new UsageError(`There is no client named ${unknown}. --help lists the SDKs.`)
    const sdks = listSdks().filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
    return (await driveSdks(sdks, { cache, isWritten: write })) ? 0 : 1
  },
})
