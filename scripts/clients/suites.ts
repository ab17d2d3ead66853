// Runs public test suites against the service with emulated providers: each over one model of every provider, in a process of its own.
import { join } from 'node:path'
import * as z from 'zod'
import { catalogueRoutes } from '../../src/providers/model-catalogue.ts'
import { failureOutput, run } from '../external-tools.ts'
import { preparePythonEnvironment } from './drive-python.ts'
import { LANGCHAIN } from './sdk-list.ts'
import type { SuiteSetup } from './suite-setup.ts'

export type Suite = {
  readonly name: string
  /** The file's name in python/, without its ending. */
  readonly module: string
  /** Requirements in pip's form. The first one is the suite. */
  readonly requirements: readonly [string, ...string[]]
}

export const SUITES: readonly Suite[] = [
  { name: 'Open Responses', module: 'open_responses', requirements: ['openresponses-types==2.4.0'] },
  {
    name: 'LangChain standard tests',
    module: 'langchain_standard',
    requirements: ['langchain-tests==1.1.9', ...LANGCHAIN],
  },
]

/** A model that suites run on, by the route that the headers lead to. */
type SuiteModel = {
  readonly id: string
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
}

/** Claude has routes in Europe at Bedrock alone. */
export const SUITE_MODELS: readonly SuiteModel[] = [
  { id: 'gpt-4.1-mini', endpoint: 'openai', headers: {} },
  { id: 'claude-haiku-4-5', endpoint: 'anthropic', headers: {} },
  { id: 'claude-sonnet-5', endpoint: 'bedrock-eu-west-1', headers: { 'x-aqta-data-region': 'eu' } },
  { id: 'gemini-3.8-flash', endpoint: 'google', headers: {} },
  { id: 'sonar', endpoint: 'perplexity', headers: {} },
  { id: 'mistral-medium-3-5', endpoint: 'mistral-eu', headers: {} },
]

const TestsSchema = z.array(z.strictObject({ test: z.string(), why: z.string() }))

/** `expected`: tests that fail because the provider has no such feature. They would fail the run if they passed. */
const ResultSchema = z.strictObject({ passed: z.int(), expected: TestsSchema, failed: TestsSchema })

export type SuiteResult = z.infer<typeof ResultSchema>

/** Returns the suite's interpreter, or why there is none. */
export const prepareSuite = async (
  { requirements }: Suite,
  cache: string,
): Promise<{ python: string } | { missing: string }> =>
  preparePythonEnvironment(cache, requirements).then(
    (python) => ({ python }),
    (error: unknown) => ({ missing: lastLine(failureOutput(error)) }),
  )

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

/** Runs a suite on a model. A process that ends without a result is a failed test. */
export async function runSuite(
  { module }: Suite,
  model: SuiteModel,
  python: string,
  { url, key }: SuiteSetup,
): Promise<SuiteResult> {
  const route = catalogueRoutes().find(({ id, endpoint }) => id === model.id && endpoint === model.endpoint)
  if (route === undefined) throw new Error(`${model.id} has no route at ${model.endpoint}.`)
  const told = {
    base_url: url,
    key,
    model: model.id,
    headers: model.headers,
    capabilities: route.capabilities,
    has_tool_choice: route.wire.dialect !== 'perplexity-agent',
  }
  const env = { SUITE: JSON.stringify(told), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' }
  const folder = join(import.meta.dirname, 'python')
  return run([python, join(folder, `${module}.py`)], folder, env).then(
    (output) => ResultSchema.parse(JSON.parse(output)),
    (error: unknown) => ({ passed: 0, expected: [], failed: [{ test: module, why: lastLine(failureOutput(error)) }] }),
  )
}

/** Returns a cell of the table: passed tests, and expected failures if there are any. */
export const suiteCell = ({ passed, expected, failed }: SuiteResult): string =>
  failed.length > 0 ? `${failed.length} fail` : expected.length === 0 ? `${passed}` : `${passed} / ${expected.length}`

/** Returns the cells of the suite's row in docs/clients.md. @param results in the order of SUITE_MODELS */
export const suiteRow = ({ name, requirements: [pin] }: Suite, results: readonly SuiteResult[]): string[] => [
  name,
  `\`${pin.replace('==', ' ')}\``,
  ...results.map(suiteCell),
]

/** Returns the page with this row instead of the suite's own. */
export const replaceSuiteRow = (page: string, suite: Suite, results: readonly SuiteResult[]): string =>
  page.replace(new RegExp(`^\\| ${suite.name} .*$`, 'm'), () => `| ${suiteRow(suite, results).join(' | ')} |`)
