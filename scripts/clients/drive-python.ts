// Runs one Python SDK through all features and models, in a process of its own. After each run the process reports to the
// recording proxy, and starts its next run once the proxy has answered.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { run as runTool, failureOutput } from '../external-tools.ts'
import type { OnVerdict } from './drive-node.ts'
import { FEATURES, featuresOf } from './sdk-features.ts'
import { REPORT_PATH } from './recording-proxy.ts'
import type { PythonProgram } from './sdk-list.ts'
import { BAD_KEY, type SdkTestSetup } from './sdk-test-setup.ts'

const DRIVER = join(import.meta.dirname, 'python/driver.py')

const ReportSchema = z.strictObject({
  feature: z.enum(FEATURES),
  model: z.string(),
  problem: z.string().nullable(),
  told: z.array(z.string()),
})

/** Returns true if this machine has Python 3 with venv. */
export const isPythonInstalled = async (): Promise<boolean> =>
  runTool(['python3', '-c', 'import venv, ensurepip'], process.cwd()).then(
    () => true,
    () => false,
  )

/** Judges every run. The runs that the process did not report fail, with the end of its output as the reason. */
export async function drivePython(
  name: string,
  program: PythonProgram,
  cache: string,
  setup: SdkTestSetup,
  onVerdict: OnVerdict,
): Promise<void> {
  const reportedRuns = new Set<string>()
  setup.listen(async (body) => {
    const { feature, model, ...outcome } = ReportSchema.parse(JSON.parse(body))
    const run = { client: name, feature, model }
    const verdict = await setup.end(run, outcome)
    reportedRuns.add(`${feature} ${model}`)
    onVerdict(run, verdict)
    setup.begin()
  })
  setup.begin()
  const ended = await runProgram(name, program, cache, setup).then(() => 'the program ended too early', failureOutput)
  for (const feature of featuresOf(name)) {
    for (const { id: model } of setup.models) {
      if (reportedRuns.has(`${feature} ${model}`)) continue
      onVerdict({ client: name, feature, model }, { kind: 'fails', why: ended.slice(-160).replaceAll(/\s+/g, ' ') })
    }
  }
}

async function runProgram(
  name: string,
  { api, module, requirements }: PythonProgram,
  cache: string,
  { proxy, key, models }: SdkTestSetup,
): Promise<void> {
  const told = {
    proxy: proxy.url,
    report: `${proxy.url}${REPORT_PATH}`,
    client: name,
    key,
    bad_key: BAD_KEY,
    features: featuresOf(name),
    models: models.map(({ id }) => id),
  }
  const python = await preparePythonEnvironment(cache, requirements)
  const env = { DRIVEN: JSON.stringify(told), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' }
  await runTool([python, DRIVER, module, api], cache, env)
}

/** Creates a Python environment for these requirements once, and returns its interpreter. An incomplete one is created again. */
export async function preparePythonEnvironment(cache: string, requirements: readonly string[]): Promise<string> {
  const name = createHash('sha256').update(requirements.join('\n')).digest('hex').slice(0, 16)
  const folder = join(cache, `python-${name}`)
  const readyMarker = join(folder, 'requirements.txt')
  const python = join(folder, 'bin/python')
  if (existsSync(readyMarker)) return python
  await rm(folder, { recursive: true, force: true })
  await mkdir(cache, { recursive: true })
  await runTool(['python3', '-m', 'venv', folder], cache)
  await runTool([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements], cache)
  await writeFile(readyMarker, `${requirements.join('\n')}\n`)
  return python
}
