import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fileKey, listsKey, POINTER_KEY } from '../../../../src/referral/waiting-lists/stored-version.ts'
import { POINTER_MEMORY_MS } from '../../../../src/referral/waiting-lists/waiting-lists.store.ts'
import { csv, LONG_HEADER, LONG_ROW, longRow, WIDE_HEADER, WIDE_ROW } from './published-file.ts'
import { openIsolate, publishOk, watch } from './test-storage.ts'

const bytes = csv([LONG_HEADER, LONG_ROW, longRow({ specialty: 'Urology', hospital: 'Other Sample Hospital' })])
const cardiology = { specialty: 'Cardiology', ageGroup: 'Adult' } as const

async function publish() {
  const { manifest } = await publishOk(openIsolate().store, { bytes })
  return { version: manifest.version, key: listsKey(manifest.version, 0, 'Adult') }
}

describe('what an isolate remembers', () => {
  it('reads pointer, manifest and lists once, then nothing', async () => {
    await publish()
    const kv = watch(env.DATASETS)
    const { service } = openIsolate({ kv: kv.watched })
    await service.listWaitingLists(cardiology)
    expect(kv.calls).toStrictEqual(['get', 'get', 'get'])
    await service.listWaitingLists(cardiology)
    await service.listSpecialties()
    expect(kv.calls).toHaveLength(3)
  })

  it('reads one value from KV for lists it has not seen', async () => {
    await publish()
    const kv = watch(env.DATASETS)
    const { service } = openIsolate({ kv: kv.watched })
    await service.listWaitingLists(cardiology)
    await service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })
    expect(kv.calls).toHaveLength(4)
  })

  it('looks at the pointer again after 30 seconds and not before', async () => {
    await publish()
    const { clock, service } = openIsolate()
    await service.currentDataset()
    await publishOk(openIsolate().store, { bytes: csv([WIDE_HEADER, WIDE_ROW]) })
    clock.now += POINTER_MEMORY_MS - 1
    expect(await service.currentDataset()).toMatchObject({ specialties: new Set(['Cardiology', 'Urology']) })
    clock.now += 1
    expect(await service.currentDataset()).toMatchObject({ specialties: new Set(['Cardiology']) })
  })

  it('keeps serving the version it knows while KV does not answer', async () => {
    await publish()
    const failing = new Set<PropertyKey>()
    const { clock, service } = openIsolate({ kv: watch(env.DATASETS, failing).watched })
    await service.listWaitingLists(cardiology)
    failing.add('get')
    clock.now += POINTER_MEMORY_MS
    expect(await service.listWaitingLists(cardiology)).toMatchObject({ outcome: 'ok' })
  })
})

describe('a value missing in KV is made from the file in R2', () => {
  it('gives the same answer as KV would', async () => {
    const { key } = await publish()
    const before = await openIsolate().service.listWaitingLists(cardiology)
    await env.DATASETS.delete(key)
    expect(await openIsolate().service.listWaitingLists(cardiology)).toStrictEqual(before)
  })

  it('reads the file once and remembers all its lists', async () => {
    const { version, key } = await publish()
    await env.DATASETS.delete(key)
    await env.DATASETS.delete(listsKey(version, 1, 'Adult'))
    const r2 = watch(env.FILES)
    const { service } = openIsolate({ r2: r2.watched })
    await service.listWaitingLists(cardiology)
    await service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })
    await service.listWaitingLists(cardiology)
    expect(r2.calls).toStrictEqual(['get'])
  })

  it('once, however many requests miss it at the same time', async () => {
    const { key } = await publish()
    const before = await openIsolate().service.listWaitingLists(cardiology)
    await env.DATASETS.delete(key)
    const { keys } = await env.DATASETS.list({ prefix: 'waiting-lists/manifests/' })
    for (const { name } of keys) await env.DATASETS.delete(name)
    const r2 = watch(env.FILES)
    const { service } = openIsolate({ r2: r2.watched })
    const answers = await Promise.all(Array.from({ length: 12 }, () => service.listWaitingLists(cardiology)))
    expect(answers).toStrictEqual(Array(12).fill(before))
    expect(r2.calls).toStrictEqual(['get'])
  })

  it.each([
    ['not JSON', '{'],
    ['another shape', '{"lists": []}'],
    ['of another specialty', '{"specialty":"Urology","ageGroup":"Adult","lists":[]}'],
    [
      'with a negative count',
      '{"specialty":"Cardiology","ageGroup":"Adult","lists":[{"hospital":null,"hospitalGroup":null,"waiting":[],"total":-1}]}',
    ],
  ])('also when the value is %s', async (_what, text) => {
    const { key } = await publish()
    await env.DATASETS.put(key, text)
    expect(await openIsolate().service.listWaitingLists(cardiology)).toMatchObject({
      outcome: 'ok',
      body: { waitingLists: [{ hospital: 'Sample Hospital', total: 12 }] },
    })
  })

  it('also when the manifest is missing', async () => {
    const { version } = await publish()
    const { keys } = await env.DATASETS.list({ prefix: 'waiting-lists/manifests/' })
    for (const { name } of keys) await env.DATASETS.delete(name)
    expect(await openIsolate().service.currentDataset()).toMatchObject({
      outcome: 'ok',
      version,
      specialties: new Set(['Cardiology', 'Urology']),
    })
  })
})

describe('what cannot be given is unavailable, never an empty list', () => {
  const unavailable = { outcome: 'unavailable' }

  it('when neither KV nor R2 has the lists', async () => {
    const { version, key } = await publish()
    await env.DATASETS.delete(key)
    await env.FILES.delete(fileKey(version.hash))
    expect(await openIsolate().service.listWaitingLists(cardiology)).toStrictEqual(unavailable)
  })

  it('when the file in R2 is not the one of that hash', async () => {
    const { version, key } = await publish()
    await env.DATASETS.delete(key)
    await env.FILES.put(fileKey(version.hash), csv([LONG_HEADER, longRow({ total: 999 })]))
    expect(await openIsolate().service.listWaitingLists(cardiology)).toStrictEqual(unavailable)
  })

  it('when R2 does not answer', async () => {
    const { key } = await publish()
    await env.DATASETS.delete(key)
    const r2 = watch(env.FILES, new Set(['get']))
    expect(await openIsolate({ r2: r2.watched }).service.listWaitingLists(cardiology)).toStrictEqual(unavailable)
  })

  it('when KV does not answer and nothing is remembered', async () => {
    await publish()
    const { service } = openIsolate({ kv: watch(env.DATASETS, new Set(['get'])).watched })
    expect(await service.listWaitingLists(cardiology)).toStrictEqual(unavailable)
    expect(await service.listSpecialties()).toStrictEqual(unavailable)
    expect(await service.listDatasets({ limit: 50 })).toStrictEqual(unavailable)
  })

  it.each(['', '{', '{"format":2}'])('when the pointer is %j', async (text) => {
    await publish()
    await env.DATASETS.put(POINTER_KEY, text)
    expect(await openIsolate().service.currentDataset()).toStrictEqual(unavailable)
  })
})
