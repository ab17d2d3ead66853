import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'

export const waitingLists: Script = async ({ stage, send }) => {
  const { id } = await stage.organisation('Lists', [])
  const key = await stage.key(id, { prefix: 'vk_test_' })
  const reader = await stage.key(id, { prefix: 'vk_test_', scopes: ['referral:read'] })
  const anybody = stage.visitor()
  const known = (etag: string | null) => ({ headers: { 'if-none-match': etag ?? '' } })

  const specialties = await send('specialties', key, 'GET', '/v1/specialties')
  await send(
    'specialties that are known',
    key,
    'GET',
    '/v1/specialties',
    undefined,
    known(specialties.headers.get('etag')),
  )
  await send('specialties without the scope', reader, 'GET', '/v1/specialties')
  const path = '/v1/waiting-lists?specialty=Cardiology'
  const lists = await send('lists', key, 'GET', path)
  const [archive, total] = [{ archiveDate: '2026-09-24', publishedOn: '2026-10-09' }, 208]
  expect(lists.json).toMatchObject({ specialty: 'Cardiology', ageGroup: 'Adult', datasetVersion: archive })
  expect(lists.json).toHaveProperty('waitingLists.0', expect.objectContaining({ hospitalCode: '9003', total }))
  expect(lists.json).toHaveProperty('waitingLists.0.waiting.0', { band: '0-3 Months', people: 32 })
  await send('lists that are known', key, 'GET', path, undefined, known(lists.headers.get('etag')))
  await send('lists of children', key, 'GET', `${path}&ageGroup=Child`)
  await send('an unknown age group', key, 'GET', `${path}&ageGroup=Old`)
  await send('no specialty', key, 'GET', '/v1/waiting-lists')
  await send('an unknown specialty', key, 'GET', '/v1/waiting-lists?specialty=Alchemy')
  const datasets = await send('datasets', key, 'GET', '/v1/datasets')
  expect(datasets.json.datasets).toMatchObject([
    { datasetVersion: archive, kind: 'outpatient', current: true, hasHospitals: true, specialties: 47, lists: 109 },
  ])
  await send('a page of datasets', key, 'GET', '/v1/datasets?limit=1')
  await send('a cursor that is none', key, 'GET', '/v1/datasets?cursor=x')
  const file = `/v1/files/${datasets.json.datasets[0]?.datasetVersion.hash}`
  const served = await send('the published file', anybody, 'GET', file, undefined, { omitBody: true })
  await send('the file that is known', anybody, 'GET', file, undefined, known(served.headers.get('etag')))
  await send('a file that does not exist', anybody, 'GET', `/v1/files/${'0'.repeat(64)}`)
  await send('a hash that is none', anybody, 'GET', '/v1/files/abc')
  const examples = await send('examples', key, 'GET', '/v1/examples', undefined, { omitBody: true })
  await send('examples that are known', key, 'GET', '/v1/examples', undefined, known(examples.headers.get('etag')))
}
