// Going back to a version held, and taking a wrong one away.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { rollbackDataset, withdrawDataset } from '../../../../src/referral/waiting-lists/rollback-and-withdraw.ts'
import { fileKey, MANIFEST_PREFIX, POINTER_KEY } from '../../../../src/referral/waiting-lists/stored-version.ts'
import { csv, LONG_HEADER, LONG_ROW, longRow, WIDE_HEADER, WIDE_ROW } from './published-file.ts'
import { openIsolate, publishOk, watch } from './test-storage.ts'

const twoDates = csv([LONG_HEADER, LONG_ROW, longRow({ date: '27/08/2026' })])
const wide = csv([WIDE_HEADER, WIDE_ROW])

async function publishBoth() {
  const { store, clock } = openIsolate()
  const first = await publishOk(store, { bytes: twoDates })
  clock.now += 1000
  const second = await publishOk(store, { bytes: wide })
  return { store, first: first.manifest.version, second: second.manifest.version }
}

describe('rollbackDataset', () => {
  it('serves the version held from before, whole', async () => {
    const { store, first, second } = await publishBoth()
    expect(await rollbackDataset(store, first.hash)).toStrictEqual({
      outcome: 'rolled_back',
      version: first,
      previous: second,
    })
    const { service } = openIsolate()
    expect(await service.currentDataset()).toMatchObject({ version: first })
    expect(await service.listWaitingLists({ specialty: 'Cardiology', ageGroup: 'Adult' })).toMatchObject({
      body: { datasetVersion: first, waitingLists: [{ hospital: 'Sample Hospital' }] },
    })
  })

  it('knows a version by the first characters of its hash, in either case', async () => {
    const { store, first } = await publishBoth()
    expect(await rollbackDataset(store, first.hash.slice(0, 8).toUpperCase())).toMatchObject({ outcome: 'rolled_back' })
  })

  it.each([
    ['unknown', 'f'.repeat(64), undefined],
    ['too short to be sure', '', undefined],
    ['held under another archive date', null, '2026-08-27'],
  ])('refuses a hash that is %s', async (_why, hash, archiveDate) => {
    const { store, first, second } = await publishBoth()
    expect(await rollbackDataset(store, hash ?? first.hash, archiveDate)).toStrictEqual({ outcome: 'not_held' })
    expect(await openIsolate().service.currentDataset()).toMatchObject({ version: second })
  })

  it('asks which archive date is meant when several of the file are held', async () => {
    const { store, first } = await publishBoth()
    const earlier = await publishOk(store, { bytes: twoDates, archiveDate: '2026-08-27' })
    expect(await rollbackDataset(store, first.hash)).toMatchObject({ outcome: 'ambiguous' })
    expect(await rollbackDataset(store, first.hash, '2026-08-27')).toMatchObject({
      outcome: 'rolled_back',
      version: earlier.manifest.version,
    })
  })

  it('refuses a version whose file is gone', async () => {
    const { store, first } = await publishBoth()
    await env.FILES.delete(fileKey(first.hash))
    expect(await rollbackDataset(store, first.hash)).toMatchObject({ outcome: 'file_missing' })
  })

  it('changes nothing but the pointer', async () => {
    const { first } = await publishBoth()
    const kv = watch(env.DATASETS)
    await rollbackDataset(openIsolate({ kv: kv.watched }).store, first.hash)
    expect(kv.calls.filter((name) => name === 'put')).toHaveLength(1)
    expect(await env.DATASETS.get(POINTER_KEY)).toContain(first.hash)
  })

  it('says so when storage does not answer', async () => {
    const { first } = await publishBoth()
    const kv = watch(env.DATASETS, new Set(['list']))
    expect(await rollbackDataset(openIsolate({ kv: kv.watched }).store, first.hash)).toStrictEqual({
      outcome: 'unavailable',
    })
  })
})

describe('withdrawDataset', () => {
  const ALL = { limit: 50 }

  it('neither lists nor serves the version again, and keeps its file', async () => {
    const { store, first, second } = await publishBoth()
    expect(await withdrawDataset(store, first.hash.slice(0, 8))).toStrictEqual({ outcome: 'withdrawn', version: first })
    const { service, store: elsewhere } = openIsolate()
    expect(await service.listDatasets(ALL)).toMatchObject({ body: { datasets: [{ datasetVersion: second }] } })
    expect(await rollbackDataset(elsewhere, first.hash)).toStrictEqual({ outcome: 'not_held' })
    expect(await service.openFile(first.hash)).toMatchObject({ outcome: 'ok', size: twoDates.length })
    expect(await service.currentDataset()).toMatchObject({ version: second })
  })

  it('takes every manifest of the version, corrected publication dates included, and no other archive date', async () => {
    const { store, clock } = openIsolate()
    await publishOk(store, { bytes: twoDates, publishedOn: '2026-10-08' })
    const { manifest } = await publishOk(store, { bytes: twoDates, publishedOn: '2026-10-09' })
    const earlier = await publishOk(store, { bytes: twoDates, archiveDate: '2026-08-27' })
    clock.now += 1000
    await publishOk(store, { bytes: wide })
    expect(await withdrawDataset(store, manifest.version.hash, '2026-09-24')).toMatchObject({ outcome: 'withdrawn' })
    const { keys } = await env.DATASETS.list({ prefix: `${MANIFEST_PREFIX}${manifest.version.hash}/` })
    expect(keys).toHaveLength(1)
    expect(await rollbackDataset(store, manifest.version.hash)).toMatchObject({ version: earlier.manifest.version })
  })

  it('refuses the version being served, changes nothing, and says what could be served instead', async () => {
    const { first, second } = await publishBoth()
    const kv = watch(env.DATASETS)
    expect(await withdrawDataset(openIsolate({ kv: kv.watched }).store, second.hash)).toStrictEqual({
      outcome: 'served',
      version: second,
      others: [first],
    })
    expect(kv.calls).not.toContain('put')
    expect(kv.calls).not.toContain('delete')
    expect(await openIsolate().service.currentDataset()).toMatchObject({ version: second })
  })

  it('refuses the only version there is', async () => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: wide })
    expect(await withdrawDataset(store, manifest.version.hash)).toMatchObject({ outcome: 'served', others: [] })
  })

  it('can be published anew', async () => {
    const { store, first } = await publishBoth()
    await withdrawDataset(store, first.hash)
    expect((await publishOk(store, { bytes: twoDates })).manifest.version).toStrictEqual(first)
    expect(await withdrawDataset(store, first.hash)).toMatchObject({ outcome: 'served' })
  })

  it.each([
    ['unknown', 'f'.repeat(64)],
    ['too short to be sure', 'abc'],
    ['a way into other keys', '../current'],
  ])('refuses a hash that is %s', async (_why, hash) => {
    const { store } = await publishBoth()
    expect(await withdrawDataset(store, hash)).toStrictEqual({ outcome: 'not_held' })
  })

  it('asks which archive date is meant when several of the file are held', async () => {
    const { store, first } = await publishBoth()
    const earlier = await publishOk(store, { bytes: twoDates, archiveDate: '2026-08-27' })
    expect(await withdrawDataset(store, first.hash)).toMatchObject({ outcome: 'ambiguous' })
    expect(await withdrawDataset(store, first.hash, '2026-08-27')).toMatchObject({
      outcome: 'served',
      version: earlier.manifest.version,
    })
  })

  it.each(['get', 'list'])('is unavailable, and takes nothing, when KV does not answer %s', async (call) => {
    const { first } = await publishBoth()
    const kv = watch(env.DATASETS, new Set([call]))
    expect(await withdrawDataset(openIsolate({ kv: kv.watched }).store, first.hash)).toStrictEqual({
      outcome: 'unavailable',
    })
    expect(kv.calls).not.toContain('delete')
  })
})
