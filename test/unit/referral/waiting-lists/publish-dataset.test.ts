import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  publishDataset,
  rollbackDataset,
  type PublishProgress,
} from '../../../../src/referral/waiting-lists/publish-dataset.ts'
import { sha256Hex } from '../../../../src/referral/waiting-lists/sha256.ts'
import { fileKey, POINTER_KEY } from '../../../../src/referral/waiting-lists/stored-version.ts'
import { csv, LONG_HEADER, LONG_ROW, longRow, WIDE_HEADER, WIDE_ROW } from './published-file.ts'
import { openIsolate, publishOk, SOURCE, watch } from './test-storage.ts'

const twoDates = csv([LONG_HEADER, LONG_ROW, longRow({ date: '27/08/2026' })])
const wide = csv([WIDE_HEADER, WIDE_ROW])

async function publishBoth() {
  const { store, clock } = openIsolate()
  const first = await publishOk(store, { bytes: twoDates })
  clock.now += 1000
  const second = await publishOk(store, { bytes: wide })
  return { store, first: first.manifest.version, second: second.manifest.version }
}

describe('publishDataset', () => {
  it('writes the file, then the lists, then the manifest, and the pointer last', async () => {
    const kv = watch(env.DATASETS)
    const r2 = watch(env.FILES)
    const progress: PublishProgress[] = []
    const { store } = openIsolate({ kv: kv.watched, r2: r2.watched })
    await publishOk(store, { bytes: twoDates, onProgress: (each) => progress.push(each) })
    expect(progress.map(({ step }) => step)).toStrictEqual(['file', 'lists', 'manifest', 'pointer'])
    expect(progress.at(-1)).toMatchObject({ done: 4, total: 4 })
    expect(r2.calls.filter((name) => name === 'put')).toHaveLength(1)
  })

  it('keeps the raw bytes under their SHA-256', async () => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: twoDates })
    expect(manifest.version.hash).toBe(await sha256Hex(twoDates))
    const object = await env.FILES.get(fileKey(manifest.version.hash))
    expect(new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer())).toStrictEqual(twoDates)
  })

  it('says what was served before', async () => {
    const { store } = openIsolate()
    const first = await publishOk(store, { bytes: twoDates })
    expect(first.previous).toBeNull()
    const second = await publishOk(store, { bytes: wide })
    expect(second.previous).toStrictEqual(first.manifest.version)
  })

  it('refuses a bad file and writes nothing, so the version served stays', async () => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: twoDates })
    const r2 = watch(env.FILES)
    const kv = watch(env.DATASETS)
    const isolate = openIsolate({ kv: kv.watched, r2: r2.watched })
    const bad = csv([LONG_HEADER, longRow({ total: 'x' })])
    const outcome = await publishDataset(isolate.store, { bytes: bad, publishedOn: '2026-10-09', source: SOURCE })
    expect(outcome).toMatchObject({ outcome: 'refused', line: 2 })
    expect([...kv.calls, ...r2.calls]).toStrictEqual([])
    expect(await isolate.service.currentDataset()).toMatchObject({ version: manifest.version })
  })

  it.each(['2026-09-24', 'yesterday'])('refuses the publication date %s and writes nothing', async (publishedOn) => {
    const { store, service } = openIsolate()
    expect(await publishDataset(store, { bytes: twoDates, publishedOn, source: SOURCE })).toMatchObject({
      outcome: 'refused',
      line: null,
    })
    expect(await service.currentDataset()).toStrictEqual({ outcome: 'no_dataset' })
  })

  it('refuses an archive date the file does not have', async () => {
    const { store } = openIsolate()
    const publication = { bytes: twoDates, publishedOn: '2026-10-09', archiveDate: '2026-07-30', source: SOURCE }
    expect(await publishDataset(store, publication)).toMatchObject({ outcome: 'refused' })
  })

  it.each(['lists', 'manifest'] as const)('leaves the old version served when it stops after the %s', async (step) => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: twoDates })
    const stopped = publishDataset(store, {
      bytes: wide,
      publishedOn: '2026-10-09',
      source: SOURCE,
      onProgress: (progress) => {
        if (progress.step === step) throw new Error('the machine stops here')
      },
    })
    await expect(stopped).rejects.toThrow('the machine stops here')
    const { service } = openIsolate()
    expect(await service.currentDataset()).toMatchObject({ version: manifest.version })
    expect(await service.listWaitingLists({ specialty: 'Cardiology', ageGroup: 'Adult' })).toMatchObject({
      outcome: 'ok',
      body: { waitingLists: [{ hospital: 'Sample Hospital' }] },
    })
  })

  it('leaves the old version served when KV fails in the middle', async () => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: twoDates })
    const broken = openIsolate({ kv: watch(env.DATASETS, new Set(['put'])).watched })
    await expect(
      publishDataset(broken.store, { bytes: wide, publishedOn: '2026-10-09', source: SOURCE }),
    ).rejects.toThrow('storage is down')
    expect(await openIsolate().service.currentDataset()).toMatchObject({ version: manifest.version })
  })

  it('takes a corrected publication date for a file published before', async () => {
    const { store } = openIsolate()
    await publishOk(store, { bytes: twoDates, publishedOn: '2026-10-08' })
    const reader = openIsolate()
    await reader.service.currentDataset()
    await publishOk(store, { bytes: twoDates, publishedOn: '2026-10-09' })
    reader.clock.now += 30_000
    expect(await reader.service.currentDataset()).toMatchObject({ version: { publishedOn: '2026-10-09' } })
    expect(await reader.service.listDatasets()).toMatchObject({ body: { datasets: [{ current: true }] } })
  })
})

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
