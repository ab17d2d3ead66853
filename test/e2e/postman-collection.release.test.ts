// The collection for Bruno and Postman, as Newman runs it against the service. npx fetches Newman.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COLLECTION_PATH } from '../../scripts/document/postman-collection.ts'
import { failureOutput, run } from '../../scripts/external-tools.ts'
import { sharedGateway } from '../support/e2e/gateway.ts'

const NEWMAN = 'newman@6.2.2'

type Report = {
  run: {
    stats: Record<'requests' | 'assertions', { total: number; failed: number }>
    failures: { source: { name: string }; error: { message: string } }[]
  }
}

it('every request of the collection gets its answer, with an address and a key filled in', async () => {
  const { service } = await sharedGateway()
  const { key } = await service.createKey()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-collection-'))
  try {
    const collection = join(folder, 'collection.json')
    const text = await (await fetch(service.url + COLLECTION_PATH)).text()
    await writeFile(collection, text)
    const report = join(folder, 'report.json')
    const values = ['--env-var', `baseUrl=${service.url}`, '--env-var', `referralKey=${key}`]
    const reporter = ['--reporters', 'json', '--reporter-json-export', report]
    await run(['npx', '--yes', NEWMAN, 'run', collection, ...values, ...reporter], folder).catch(failureOutput)
    const { stats, failures } = (JSON.parse(await readFile(report, 'utf8')) as Report).run
    expect(failures.map(({ source, error }) => `${source.name}: ${error.message}`)).toEqual([])
    expect(stats.requests).toMatchObject({ total: text.match(/"request": /g)?.length, failed: 0 })
    expect(stats.assertions.failed).toBe(0)
    expect(stats.assertions.total).toBeGreaterThanOrEqual(stats.requests.total)
  } finally {
    await rm(folder, { recursive: true })
  }
})
