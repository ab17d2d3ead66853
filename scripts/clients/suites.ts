// Runs the public test suite against the service with emulated providers: over one model of every provider, each in a process of its own.
import { join } from 'node:path'
import * as z from 'zod'
import { catalogueRoutes, findModel } from '../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'
import { failureOutput, run } from '../external-tools.ts'
import { preparePythonEnvironment } from './drive-python.ts'
import type { SuiteSetup } from './suite-setup.ts'

const PIN = 'openresponses-types==2.4.0'

export const SUITE = { name: 'Open Responses', module: 'open_responses' } as const

/** A model that the suite runs on, by the route that the headers lead to. */
type SuiteModel = {
  readonly id: string
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
}

/** The first model of each provider. Where it prefers another provider, the region leads it here. */
export const SUITE_MODELS: readonly SuiteModel[] = PROVIDER_IDS.flatMap((provider) => {
  const route = catalogueRoutes().find((one) => one.gateway && one.provider === provider)
  if (route === undefined) return []
  const isPreferred = findModel(route.id)?.provider === provider
  const headers: SuiteModel['headers'] = isPreferred ? {} : { 'x-aqta-data-region': route.dataRegion }
  return [{ id: route.id, endpoint: route.endpoint, headers }]
})

const TestsSchema = z.array(z.strictObject({ test: z.string(), why: z.string() }))

const ResultSchema = z.strictObject({ passed: z.int(), failed: TestsSchema })

export type SuiteResult = z.infer<typeof ResultSchema>

/** Returns the suite's interpreter, or why there is none. */
export const prepareSuite = async (cache: string): Promise<{ python: string } | { missing: string }> =>
  preparePythonEnvironment(cache, [PIN]).then(
    (python) => ({ python }),
    (error: unknown) => ({ missing: lastLine(failureOutput(error)) }),
  )

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

/** Runs the suite on a model. A process that ends without a result is a failed test. */
export async function runSuite(model: SuiteModel, python: string, { url, key }: SuiteSetup): Promise<SuiteResult> {
  const told = { base_url: url, key, model: model.id, headers: model.headers }
  const env = { SUITE: JSON.stringify(told), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' }
  const folder = join(import.meta.dirname, 'python')
  return run([python, join(folder, `${SUITE.module}.py`)], folder, env).then(
    (output) => ResultSchema.parse(JSON.parse(output)),
    (error: unknown) => ({ passed: 0, failed: [{ test: SUITE.module, why: lastLine(failureOutput(error)) }] }),
  )
}

/** Returns a cell of the table: the number of passed tests, or of failures. */
export const suiteCell = ({ passed, failed }: SuiteResult): string =>
  failed.length > 0 ? `${failed.length} fail` : `${passed}`

/** Returns the cells of the suite's row in docs/clients.md. @param results in the order of SUITE_MODELS */
export const suiteRow = (results: readonly SuiteResult[]): string[] => [
  SUITE.name,
  `\`${PIN.replace('==', ' ')}\``,
  ...results.map(suiteCell),
]

/** Returns the page with this row instead of the suite's own. */
export const replaceSuiteRow = (page: string, results: readonly SuiteResult[]): string =>
  page.replace(new RegExp(`^\\| ${SUITE.name} .*$`, 'm'), () => `| ${suiteRow(results).join(' | ')} |`)
