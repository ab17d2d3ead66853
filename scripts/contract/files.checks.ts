// The published files: the bytes behind an answer can be fetched by anyone, and have the hash the answer names.
import { createHash } from 'node:crypto'
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import type { Deployment } from './deployment.ts'
import { memberOf } from './json.ts'
import { departures } from './shape-differences.ts'
import { DatasetsResponseSchema } from './shapes.ts'

const group = 'datasets and files'

async function servedHash(deployment: Deployment): Promise<string> {
  const hash = memberOf((await deployment.getOnce('/v1/specialties')).json, 'datasetVersion', 'hash')
  if (typeof hash !== 'string') throw new Error('GET /v1/specialties named no file')
  return hash
}

const checks: readonly Check[] = [
  callCheck({
    group,
    name: '/v1/datasets: the version being served comes first',
    expected: 200,
    call: { path: '/v1/datasets' },
    examine: async ({ json }, deployment) => {
      const misshapen = departures(DatasetsResponseSchema, json)
      if (misshapen.length > 0) return misshapen
      const first = DatasetsResponseSchema.parse(json).datasets[0]?.datasetVersion.hash
      return differs('the hash of the first', first, await servedHash(deployment))
    },
  }),
  callCheck({
    group,
    name: '/v1/datasets a page at a time: each version once',
    expected: 200,
    call: { path: '/v1/datasets?limit=1' },
    examine: async ({ json }, deployment) => {
      const misshapen = departures(DatasetsResponseSchema, json)
      if (misshapen.length > 0) return misshapen
      const { datasets, next_cursor: next, has_more: hasMore } = DatasetsResponseSchema.parse(json)
      const [first] = datasets
      const problems = datasets.length === 1 ? [] : [`${datasets.length} versions on a page of one`]
      if (hasMore !== (next !== null)) problems.push('next_cursor does not go with has_more')
      if (next === null) return problems
      const { json: page } = await deployment.send({
        path: `/v1/datasets?${new URLSearchParams({ limit: '1', cursor: next }).toString()}`,
      })
      const second = DatasetsResponseSchema.safeParse(page).data?.datasets[0]?.datasetVersion
      const isOther = second !== undefined && JSON.stringify(second) !== JSON.stringify(first?.datasetVersion)
      return isOther ? problems : [...problems, 'the second page does not go on']
    },
  }),
  callCheck({
    group,
    name: 'the file without a key: its bytes have the hash it is named by',
    expected: 200,
    call: async (deployment) => ({ path: `/v1/files/${await servedHash(deployment)}`, key: null }),
    examine: async ({ bytes, headers }, deployment) => {
      const caching = headers.get('cache-control') ?? ''
      return [
        ...differs('SHA-256', createHash('sha256').update(bytes).digest('hex'), await servedHash(deployment)),
        ...['public', 'immutable']
          .filter((word) => !caching.includes(word))
          .map((word) => `cache-control lacks ${word}`),
      ]
    },
  }),
  callCheck({
    group,
    name: 'a file nobody published',
    expected: 'not_found',
    call: { path: `/v1/files/${'0'.repeat(64)}`, key: null },
  }),
]

export const fileChecks: CheckSource = () => checks
