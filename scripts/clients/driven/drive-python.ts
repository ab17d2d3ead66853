// Runs the Python SDKs in a process of their own. Each run is reported to the recording proxy and continues after the verdict.
import { join } from 'node:path'
import { z } from 'zod'
import { run as runTool, whatItSaid } from '../tools.ts'
import type { OnVerdict } from './drive-node.ts'
import { FEATURES, type Verdict } from './feature.ts'
import { REPORT_PATH } from './recording-proxy.ts'
import type { PythonProgram } from './roster.ts'
import { BAD_KEY, type Stage } from './stage.ts'

const DRIVER = join(import.meta.dirname, 'python/driver.py')

const ReportSchema = z.strictObject({
  feature: z.enum(FEATURES),
  model: z.string(),
  problem: z.string().nullable(),
  told: z.array(z.string()),
  /** Why the client does not have this feature. */
  cannot: z.string().nullable(),
})

type Driven = {
  readonly name: string
  readonly program: PythonProgram
  readonly python: string
  readonly folder: string
}

export async function drivePython(
  { name, program, python, folder }: Driven,
  stage: Stage,
  onVerdict: OnVerdict,
): Promise<void> {
  const seen = new Set<string>()
  stage.listen(async (body) => {
    const { feature, model, cannot, ...outcome } = ReportSchema.parse(JSON.parse(body))
    const run = { client: name, feature, model }
    const verdict: Verdict = cannot === null ? await stage.end(run, outcome) : { kind: 'n/a', why: cannot }
    seen.add(`${feature} ${model}`)
    onVerdict(run, verdict)
    stage.begin()
  })
  const told = {
    proxy: stage.proxy.url,
    report: `${stage.proxy.url}${REPORT_PATH}`,
    client: name,
    key: stage.key,
    bad_key: BAD_KEY,
    features: FEATURES,
    models: stage.models.map(({ id }) => id),
    folder,
  }
  stage.begin()
  const env = { DRIVEN: JSON.stringify(told), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' }
  const ended = await runTool([python, DRIVER, program.module, program.variant], folder, env).then(
    () => 'the program ended too early',
    whatItSaid,
  )
  for (const feature of FEATURES) {
    for (const { id: model } of stage.models) {
      if (seen.has(`${feature} ${model}`)) continue
      onVerdict({ client: name, feature, model }, { kind: 'fails', why: ended.slice(-160).replaceAll(/\s+/g, ' ') })
    }
  }
}
