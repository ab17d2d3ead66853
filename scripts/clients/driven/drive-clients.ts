// Tests SDKs for OpenAI's formats one after the other, prints the result of each feature, and writes the docs' table.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT } from '../../workerd/bundle.ts'
import { isInstalled, prepareEnvironment, PYTHON, run as runTool, whatItSaid } from '../tools.ts'
import { driveNode } from './drive-node.ts'
import { drivePython } from './drive-python.ts'
import { FEATURES, type RunName, type Verdict } from './feature.ts'
import { drivenClients, type DrivenClient } from './roster.ts'
import { openStage, type Stage } from './stage.ts'
import { tableRows, tableText, textOf, withRows, withTable, type Judged } from './table.ts'

type Wanted = {
  readonly folder: string
  readonly cache: string
  readonly isWritten: boolean
}

const PAGE = join(PROJECT, 'docs/openai-compatibility.md')

/** Runs the clients. Returns true if no feature fails. */
export async function driveClients(clients: readonly DrivenClient[], wanted: Wanted): Promise<boolean> {
  const isPythonThere = await isInstalled(PYTHON)
  const driven = clients.filter(({ runtime }) => runtime === 'node' || isPythonThere)
  for (const { name } of clients.filter((client) => !driven.includes(client))) {
    console.log(`skipped  ${name}: it needs ${PYTHON.what}, which is not installed here.`)
  }
  const stage = await openStage(wanted.folder)
  const judged: Judged[] = []
  try {
    for (const client of driven) judged.push(...(await driveOne(client, stage, wanted)))
  } finally {
    await stage.close()
  }
  const rows = tableRows(driven, stage.models, judged)
  const text = tableText(driven, rows)
  console.log(`\n${text}`)
  if (wanted.isWritten) {
    const isWhole = driven.length === drivenClients().length
    await writePage((page) => (isWhole ? withTable(page, text) : withRows(page, rows)))
  }
  return driven.length > 0 && judged.every(({ verdict }) => verdict.kind !== 'fails')
}

async function driveOne(client: DrivenClient, stage: Stage, wanted: Wanted): Promise<Judged[]> {
  const judged: Judged[] = []
  const total = stage.models.length
  const note = (run: RunName, verdict: Verdict): void => {
    judged.push({ run, verdict })
    const own = judged.filter((one) => one.run.feature === run.feature)
    if (own.length === total) console.log(`${client.name}, ${run.feature}: ${summary(own)}`)
  }
  if (client.runtime === 'node') await driveNode(client.program, stage, note)
  else await inPython(client, stage, wanted, note)
  return judged
}

async function inPython(
  client: DrivenClient & { runtime: 'python' },
  stage: Stage,
  { folder, cache }: Wanted,
  note: (run: RunName, verdict: Verdict) => void,
): Promise<void> {
  const { name, program } = client
  try {
    const python = await prepareEnvironment(cache, program.requirements)
    const own = join(folder, `${program.module}-${program.variant}`)
    await mkdir(own)
    await drivePython({ name, program, python, folder: own }, stage, note)
  } catch (thrown) {
    console.log(`${name}: ${whatItSaid(thrown)}`)
    const verdict: Verdict = { kind: 'fails', why: 'it could not be installed' }
    for (const feature of FEATURES)
      for (const { id: model } of stage.models) note({ client: name, feature, model }, verdict)
  }
}

function summary(judged: readonly Judged[]): string {
  const texts = new Map<string, number>()
  for (const { verdict } of judged) texts.set(textOf(verdict), (texts.get(textOf(verdict)) ?? 0) + 1)
  if (texts.size === 1) return [...texts.keys()].join('')
  return [...texts].map(([text, count]) => `${text} (${count} models)`).join('; ')
}

async function writePage(change: (page: string) => string): Promise<void> {
  await writeFile(PAGE, change(await readFile(PAGE, 'utf8')))
  await runTool([join(PROJECT, 'node_modules/.bin/oxfmt'), PAGE], PROJECT)
  console.log('\nWritten into docs/openai-compatibility.md.')
}
