import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { publishDataset, type PublishProgress } from '../../../../src/referral/waiting-lists/publish-dataset.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { fileKey } from '../../../../src/referral/waiting-lists/stored-version.ts'
import { csv, LONG_HEADER, LONG_ROW, longRow, WIDE_HEADER, WIDE_ROW } from './published-file.ts'
import { EXPLICIT, openIsolate, publishOk, watch } from './test-storage.ts'

const twoDates = csv([LONG_HEADER, LONG_ROW, longRow({ date: '27/08/2026' })])
const wide = csv([WIDE_HEADER, WIDE_ROW])

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
    expect(manifest.version.hash).toBe(sha256Hex(twoDates))
    const object = await env.FILES.get(fileKey(manifest.version.hash))
    expect(new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer())).toStrictEqual(twoDates)
  })

  it('says what was served before', async () => {
    const { store } = openIsolate()
    const first = await publishOk(store, { bytes: twoDates })
    expect(first.served).toBeNull()
    const second = await publishOk(store, { bytes: wide })
    expect(second.served?.version).toStrictEqual(first.manifest.version)
  })

  it('stands back where another publication ended meanwhile, and says what is served', async () => {
    const { store, service } = openIsolate()
    await publishOk(store, { bytes: wide })
    let other: Promise<unknown> | null = null
    const slow = new Proxy(env.FILES, {
      get: (target, name) =>
        name === 'put'
          ? async (...args: Parameters<R2Bucket['put']>) => {
              other ??= publishOk(openIsolate().store, { bytes: twoDates })
              await other
              return target.put(...args)
            }
          : (Reflect.get(target, name) as unknown),
    })
    const bytes = csv([WIDE_HEADER, WIDE_ROW.replace('18', '17')])
    const outcome = await publishDataset(openIsolate({ r2: slow }).store, { ...EXPLICIT, bytes })
    expect(outcome).toMatchObject({ outcome: 'overtaken', served: { hash: sha256Hex(twoDates) } })
    expect(await openIsolate().service.currentDataset()).toMatchObject({ version: { hash: sha256Hex(twoDates) } })
    expect(await publishDataset(store, { ...EXPLICIT, bytes })).toMatchObject({ outcome: 'published' })
    expect(await service.currentDataset()).toMatchObject({ version: { hash: sha256Hex(bytes) } })
  })

  it('refuses a bad file and writes nothing, so the version served stays', async () => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: twoDates })
    const r2 = watch(env.FILES)
    const kv = watch(env.DATASETS)
    const isolate = openIsolate({ kv: kv.watched, r2: r2.watched })
    const bad = csv([LONG_HEADER, longRow({ total: 'x' })])
    const outcome = await publishDataset(isolate.store, { bytes: bad, ...EXPLICIT })
    expect(outcome).toMatchObject({ outcome: 'refused', line: 2 })
    expect([...kv.calls, ...r2.calls]).toStrictEqual([])
    expect(await isolate.service.currentDataset()).toMatchObject({ version: manifest.version })
  })

  it.each(['2026-09-24', 'yesterday'])('refuses the publication date %s and writes nothing', async (publishedOn) => {
    const { store, service } = openIsolate()
    expect(await publishDataset(store, { bytes: twoDates, ...EXPLICIT, publishedOn })).toMatchObject({
      outcome: 'refused',
      line: null,
    })
    expect(await service.currentDataset()).toStrictEqual({ outcome: 'no_dataset' })
  })

  it('refuses an archive date the file does not have', async () => {
    const { store } = openIsolate()
    const publication = { bytes: twoDates, ...EXPLICIT, archiveDate: '2026-07-30' }
    expect(await publishDataset(store, publication)).toMatchObject({ outcome: 'refused' })
  })

  it.each(['lists', 'manifest'] as const)('leaves the old version served when it stops after the %s', async (step) => {
    const { store } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: twoDates })
    const stopped = publishDataset(store, {
      bytes: wide,
      ...EXPLICIT,
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
    await expect(publishDataset(broken.store, { bytes: wide, ...EXPLICIT })).rejects.toThrow('storage is down')
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
    expect(await reader.service.listDatasets({ limit: 50 })).toMatchObject({ body: { datasets: [{ current: true }] } })
  })
})
