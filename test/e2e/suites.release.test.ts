// The public test suite over one model of every provider: what comes out is what docs/clients.md says. It needs Python 3.11 with venv
// and a package index.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSuiteSetup, type SuiteSetup } from '../../scripts/clients/suite-setup.ts'
import {
  prepareSuite,
  runSuite,
  suiteRow,
  SUITE,
  SUITE_MODELS,
  type SuiteResult,
} from '../../scripts/clients/suites.ts'
import { listen } from '../../scripts/local-http-server.ts'
import { PROJECT_FOLDER } from '../../scripts/workerd/build-bundle.ts'

const CACHE = join(PROJECT_FOLDER, 'node_modules/.cache/clients')

const ready = await prepareSuite(CACHE)
const python = 'python' in ready ? ready.python : null
const title = 'python' in ready ? SUITE.name : `${SUITE.name} (skipped: ${ready.missing})`

let folder: string
let setup: SuiteSetup
let page: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-suites-'))
  setup = await startSuiteSetup(folder)
  page = await readFile('docs/clients.md', 'utf8')
})
afterAll(async () => {
  await setup.close()
  await rm(folder, { recursive: true })
})

/** The cells of the row that begins with this name. */
const rowOf = (name: string): string[] | undefined =>
  page
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .find(([first]) => first === name)

/** Asks the service, and takes a member out of its responses and of its events. */
async function forwardChanged(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = '' } = request.headers
  const headers = { authorization, 'content-type': 'application/json' }
  const address = `${setup.url}${request.url?.replace(/^\/v1/, '')}`
  const answer = await fetch(address, { method: 'POST', headers, body: await text(request) })
  const changed = (await answer.text()).replaceAll(/"(?:background":false|sequence_number":\d+),/g, '')
  response.writeHead(answer.status).end(changed)
}

describe.skipIf(python === null)(title, () => {
  const results: SuiteResult[] = []

  it.each(SUITE_MODELS)('passes on $id at $endpoint', async (model) => {
    const result = await runSuite(model, python ?? '', setup)
    results.push(result)
    expect(result.failed).toEqual([])
    expect(result.passed).toBeGreaterThan(0)
  })

  it('passes and fails as often as the page says', () => {
    expect(rowOf(SUITE.name)).toEqual(suiteRow(results))
  })

  it('finds a response without a member, and events without numbers', async () => {
    const server = createServer((request, response) => void forwardChanged(request, response))
    const { url, close } = await listen(server)
    onTestFinished(close)
    const [model] = SUITE_MODELS
    if (model === undefined) throw new Error('no model')
    const { passed, failed } = await runSuite(model, python ?? '', { ...setup, url: `${url}/v1` })
    expect(passed).toBe(0)
    expect(failed).toHaveLength(7)
    const streamed = failed.find(({ test }) => test === 'streamed')?.why
    expect(streamed).toContain('response.output_text.delta: sequence_number: Field required')
    expect(streamed).toContain('background: Field required')
  })
})
