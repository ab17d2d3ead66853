// The OpenAPI document, as served: it lints without a warning and says what the contract says.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy, type Deployment } from '../support/e2e/deployment.ts'

type Operation = { operationId: string; summary: string; security?: object[]; responses: Record<string, object> }

let service: Deployment
let document: { openapi: string; info: { description: string }; paths: Record<string, Record<string, Operation>> }

beforeAll(async () => {
  service = await deploy({ sample: false })
  document = (await (await service.fetch('/v1/openapi.json')).json()) as typeof document
})
afterAll(() => service.close())

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  )

describe('the OpenAPI document', () => {
  it('lints without an error or a warning', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-openapi-'))
    try {
      const path = join(folder, 'openapi.json')
      await writeFile(path, JSON.stringify(document))
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      const lint = promisify(execFile)('redocly', ['lint', path, '--config', 'redocly.yaml', '--format', 'json'], {
        env,
      })
      const { stdout } = await lint.catch((failed: { stdout: string }) => failed)
      const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] }
      expect(problems.map(({ message }) => message)).toEqual([])
      expect(totals).toMatchObject({ errors: 0, warnings: 0 })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is OpenAPI 3.1 and says where the text goes and how keys are requested', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.description).toContain('processes it in the United States')
    expect(document.info.description).toContain('requested by e-mail from the operator')
    expect(document.info.description).toContain('Names, addresses and towns are not caught')
  })

  it('gives every operation an id of its own and a summary', () => {
    const ids = operations().map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [name, { summary }] of operations()) expect(summary, name).toBeTruthy()
  })

  it('needs a key or a token everywhere but where the contract says', () => {
    const open = operations().filter(([, { security }]) => security?.length === 0)
    expect(open.map(([name]) => name).toSorted()).toEqual([
      'get /healthz',
      'get /v1/attestation/keys',
      'get /v1/attestation/public-key',
      'get /v1/files/{sha256}',
      'get /v1/openapi.json',
      'get /v1/public/transparency/consistency',
      'get /v1/public/transparency/proof/{attestation_id}',
      'get /v1/public/transparency/sth',
      'get /v1/public/transparency/tile/{level}/{index}',
    ])
  })

  it('declares 401 and 429 for everything that needs a key', () => {
    for (const [name, { security, responses }] of operations()) {
      if (JSON.stringify(security) !== '[{"referralKey":[]}]') continue
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['401', '403', '429', '503']))
    }
  })
})
