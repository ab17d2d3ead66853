// Runs one Python SDK through all features and models, in a process of its own. After each run the process reports to the
// recording proxy, and starts its next run once the proxy has answered.
import { join } from 'node:path'
import * as z from 'zod'
import { run as runTool, failureOutput } from './external-tools.ts'
import type { OnVerdict } from './drive-node.ts'
import { FEATURES, type Verdict } from './sdk-features.ts'
import { REPORT_PATH } from './recording-proxy.ts'
import type { PythonProgram } from './sdk-list.ts'
import { BAD_KEY, type SdkTestSetup } from './sdk-test-setup.ts'

const DRIVER = join(import.meta.dirname, 'python/driver.py')

const ReportSchema = z.strictObject({
  feature: z.enum(FEATURES),
  model: z.string(),
  problem: z.string().nullable(),
  told: z.array(z.string()),
  /** Why the client does not have this feature. */
  cannot: z.string().nullable(),
})

type PythonRun = {
  readonly name: string
  readonly program: PythonProgram
  readonly python: string
  readonly folder: string
}

export async function drivePython(
  { name, program, python, folder }: PythonRun,
  setup: SdkTestSetup,
  onVerdict: OnVerdict,
): Promise<void> {
  const reportedRuns = new Set<string>()
  setup.listen(async (body) => {
    const { feature, model, cannot, ...outcome } = ReportSchema.parse(JSON.parse(body))
    const run = { client: name, feature, model }
    const verdict: Verdict = cannot === null ? await setup.end(run, outcome) : { kind: 'n/a', why: cannot }
    reportedRuns.add(`${feature} ${model}`)
    onVerdict(run, verdict)
    setup.begin()
  })
  const told = {
    proxy: setup.proxy.url,
    report: `${setup.proxy.url}${REPORT_PATH}`,
    client: name,
    key: setup.key,
    bad_key: BAD_KEY,
    features: FEATURES,
    models: setup.models.map(({ id }) => id),
  }
  setup.begin()
  const env = { DRIVEN: JSON.stringify(told), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' }
  const ended = await runTool([python, DRIVER, program.module, program.api], folder, env).then(
    () => 'the program ended too early',
    failureOutput,
  )
  for (const feature of FEATURES) {
    for (const { id: model } of setup.models) {
      if (reportedRuns.has(`${feature} ${model}`)) continue
      onVerdict({ client: name, feature, model }, { kind: 'fails', why: ended.slice(-160).replaceAll(/\s+/g, ' ') })
    }
  }
}
