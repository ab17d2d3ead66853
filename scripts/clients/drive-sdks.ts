// Tests SDKs for OpenAI's formats one after the other, prints the result of each feature, and writes the docs' table.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_FOLDER } from '../workerd/build-bundle.ts'
import { isInstalled, preparePythonEnvironment, PYTHON, run as runTool, failureOutput } from './external-tools.ts'
import { driveNodeClient } from './drive-node.ts'
import { drivePython } from './drive-python.ts'
import { FEATURES, type RunName, type Verdict } from './sdk-features.ts'
import { listSdks, type Sdk } from './sdk-list.ts'
import { startSdkTestSetup, type SdkTestSetup } from './sdk-test-setup.ts'
import { tableRows, tableText, verdictText, replaceRows, replaceTable, type JudgedRun } from './compatibility-table.ts'

type DriveOptions = {
  readonly folder: string
  readonly cache: string
  readonly isWritten: boolean
}

const PAGE = join(PROJECT_FOLDER, 'docs/openai-compatibility.md')

/** Tests the SDKs. Returns true if no feature fails. */
export async function driveSdks(clients: readonly Sdk[], options: DriveOptions): Promise<boolean> {
  const isPythonThere = await isInstalled(PYTHON)
  const tested = clients.filter(({ runtime }) => runtime === 'node' || isPythonThere)
  for (const { name } of clients.filter((client) => !tested.includes(client))) {
    console.log(`skipped  ${name}: it needs ${PYTHON.what}, which is not installed here.`)
  }
  const setup = await startSdkTestSetup(options.folder)
  const judged: JudgedRun[] = []
  try {
    for (const client of tested) judged.push(...(await driveSdk(client, setup, options)))
  } finally {
    await setup.close()
  }
  const rows = tableRows(tested, setup.models, judged)
  const text = tableText(tested, rows)
  console.log(`\n${text}`)
  if (options.isWritten) {
    const isWhole = tested.length === listSdks().length
    await writePage((page) => (isWhole ? replaceTable(page, text) : replaceRows(page, rows)))
  }
  return tested.length > 0 && judged.every(({ verdict }) => verdict.kind !== 'fails')
}

async function driveSdk(client: Sdk, setup: SdkTestSetup, options: DriveOptions): Promise<JudgedRun[]> {
  const judged: JudgedRun[] = []
  const total = setup.models.length
  const addVerdict = (run: RunName, verdict: Verdict): void => {
    judged.push({ run, verdict })
    const own = judged.filter((one) => one.run.feature === run.feature)
    if (own.length === total) console.log(`${client.name}, ${run.feature}: ${summary(own)}`)
  }
  if (client.runtime === 'node') await driveNodeClient(client.program, setup, addVerdict)
  else await drivePythonSdk(client, setup, options, addVerdict)
  return judged
}

async function drivePythonSdk(
  client: Sdk & { runtime: 'python' },
  setup: SdkTestSetup,
  { folder, cache }: DriveOptions,
  addVerdict: (run: RunName, verdict: Verdict) => void,
): Promise<void> {
  const { name, program } = client
  try {
    const python = await preparePythonEnvironment(cache, program.requirements)
    const own = join(folder, `${program.module}-${program.api}`)
    await mkdir(own)
    await drivePython({ name, program, python, folder: own }, setup, addVerdict)
  } catch (thrown) {
    console.log(`${name}: ${failureOutput(thrown)}`)
    const verdict: Verdict = { kind: 'fails', why: 'it could not be installed' }
    for (const feature of FEATURES)
      for (const { id: model } of setup.models) addVerdict({ client: name, feature, model }, verdict)
  }
}

function summary(judged: readonly JudgedRun[]): string {
  const texts = new Map<string, number>()
  for (const { verdict } of judged) texts.set(verdictText(verdict), (texts.get(verdictText(verdict)) ?? 0) + 1)
  if (texts.size === 1) return [...texts.keys()].join('')
  return [...texts].map(([text, count]) => `${text} (${count} models)`).join('; ')
}

async function writePage(change: (page: string) => string): Promise<void> {
  await writeFile(PAGE, change(await readFile(PAGE, 'utf8')))
  await runTool([join(PROJECT_FOLDER, 'node_modules/.bin/oxfmt'), PAGE], PROJECT_FOLDER)
  console.log('\nWritten into docs/openai-compatibility.md.')
}
