import { expect } from 'vitest'
import type { Script } from '../../../support/e2e/golden/stage.ts'
import { until } from '../../../support/until.ts'

const body = (text: string) => ({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: text }] })

/** Models, signed records, and the two logs that have them. This chapter has the public log for itself: it is the first. */
export const attestations: Script = async ({ stage, send }) => {
  const { id, owner } = await stage.organisation('Attestations', ['owner'], { tier: 'healthcare' })
  const key = await stage.key(id)
  const stranger = await stage.key((await stage.organisation('Strangers', [])).id)
  const anybody = stage.visitor()
  const models = await send('models', key, 'GET', '/v1/models')
  expect(models.json.data).toHaveLength(13)
  await send('one model', key, 'GET', '/v1/models/gpt-4.1-mini')
  await send('an unknown model', key, 'GET', '/v1/models/gpt-0')
  await send('the signing key', anybody, 'GET', '/v1/attestation/public-key')
  await send('all signing keys', anybody, 'GET', '/v1/attestation/keys')
  const empty = await send('the head of an empty log', key, 'GET', '/v1/transparency/sth')
  expect(empty.json).toMatchObject({ tree_size: 4, algorithm: 'Ed25519' })

  const ids: string[] = []
  for (const text of ['One', 'Two', 'Three']) {
    const answer = await send(`call ${text}`, key, 'POST', '/v1/chat/completions', body(text))
    ids.push(answer.headers.get('x-aqta-attestation-id') ?? '')
    await stage.settled(owner)
  }
  const [first = ''] = ids
  const record = await send('a record', key, 'GET', `/v1/attestations/${first}`)
  expect(record.json).toMatchObject({ attestation_id: first, org_id: id, outcome: 'ALLOWED', cost_prevented_eur: 0 })
  await send('a record by its trace', key, 'GET', `/v1/attestations/${first.replaceAll('-', '')}`)
  const bundle = await send('a bundle', key, 'GET', `/v1/attestations/${first}?bundle=true`)
  expect(bundle.json).toMatchObject({
    format: 'countersign-evidence-v3',
    record: record.json,
    settlement: { content: { cost_microeur: 29, ended: 'completed', estimated: false, finish_reason: 'stop' } },
  })
  await send('a record of somebody else', stranger, 'GET', `/v1/attestations/${first}`)
  await send('a record that does not exist', key, 'GET', '/v1/attestations/00000000-0000-4000-8000-000000000000')
  const head = await send('the head', key, 'GET', '/v1/transparency/sth')
  expect(head.json).toMatchObject({ tree_size: 11 })
  const proof = await send('a proof', key, 'GET', `/v1/transparency/proof/${first}`)
  expect(proof.json).toMatchObject({ leaf_index: 5, tree_size: 11 })
  await send('a proof at a size', key, 'GET', `/v1/transparency/proof/${first}?tree_size=12`)
  await send('a proof at a size that is too large', key, 'GET', `/v1/transparency/proof/${first}?tree_size=999`)
  await send('a proof of nothing', key, 'GET', '/v1/transparency/proof/00000000-0000-4000-8000-000000000000')
  await send('consistency', key, 'GET', '/v1/transparency/consistency?old_size=1&new_size=3')
  await send('consistency the wrong way round', key, 'GET', '/v1/transparency/consistency?old_size=3&new_size=1')
  await send('consistency without a size', key, 'GET', '/v1/transparency/consistency')

  for (const known of ids)
    await until(
      'the record is in the public log',
      () => fetch(`${stage.service.url}/v1/public/transparency/proof/${known}`).then(({ status }) => status),
      (status) => status === 200,
    )
  const shared = await send('the public head', anybody, 'GET', '/v1/public/transparency/sth')
  expect(shared.json).toMatchObject({ log: 'public', tree_size: 3 })
  await send('the heads of days', anybody, 'GET', '/v1/public/transparency/heads?days=1')
  await send('heads of too many days', anybody, 'GET', '/v1/public/transparency/heads?days=91')
  const publicProof = await send('a public proof', anybody, 'GET', `/v1/public/transparency/proof/${first}`)
  expect(publicProof.json).toMatchObject({ leaf_index: 0, tree_size: 3 })
  await send('a public proof at a size', anybody, 'GET', `/v1/public/transparency/proof/${first}?tree_size=1`)
  await send(
    'a public proof of nothing',
    anybody,
    'GET',
    '/v1/public/transparency/proof/00000000-0000-4000-8000-000000000000',
  )
  await send('a public proof of no id', anybody, 'GET', '/v1/public/transparency/proof/abc')
  await send('public consistency', anybody, 'GET', '/v1/public/transparency/consistency?old_size=1&new_size=3')
  await send(
    'public consistency beyond the head',
    anybody,
    'GET',
    '/v1/public/transparency/consistency?old_size=1&new_size=999',
  )
  await send('the public checkpoint', anybody, 'GET', '/v1/public/transparency/checkpoint')
  await send('a public tile', anybody, 'GET', '/v1/public/transparency/tile/0/000.p/3', undefined, { omitBody: true })
  await send('a public tile that is not full', anybody, 'GET', '/v1/public/transparency/tile/0/000')
  await send('a public tile that is none', anybody, 'GET', '/v1/public/transparency/tile/9/000')
  await send('a bundle with the public log', key, 'GET', `/v1/attestations/${first}?bundle=true`)
  await send('tiles of the public log', stage.operator, 'GET', '/api/operator/public-log/tiles')
  await send('tiles of an organisation', stage.operator, 'GET', `/api/operator/organisations/${id}/tiles`)
}
