import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  cannotEstablishOfAnswer,
  cannotEstablishOfList,
} from '../../../../src/referral/waiting-lists/cannot-establish.ts'
import { rollbackDataset } from '../../../../src/referral/waiting-lists/rollback-and-withdraw.ts'
import { DatasetsResponse, WaitingListsResponse } from '../../../../src/referral/waiting-lists/waiting-lists.schema.ts'
import { csv, LONG_CASE_TYPE_HEADER, LONG_HEADER, longRow, WIDE_HEADER, WIDE_ROW } from './published-file.ts'
import { openIsolate, publishOk, SOURCE, watch } from './test-storage.ts'

const bytes = csv([
  LONG_HEADER,
  longRow({ specialty: 'Urology', hospital: 'Zeta', total: 1 }),
  longRow({ specialty: 'Geriatric Medicine', hospital: 'Alpha', total: 7 }),
  longRow({ specialty: 'Urology', hospital: 'Alpha', total: 900 }),
  longRow({ specialty: 'Urology', hospital: 'Alpha', adultChild: 'Child', total: 3 }),
  longRow({ specialty: 'Small Volume Specialities', total: 2 }),
])

async function published() {
  const isolate = openIsolate()
  const { manifest } = await publishOk(isolate.store, { bytes })
  return { ...isolate, version: manifest.version }
}

describe('with nothing published', () => {
  it('says so, and lists no versions', async () => {
    const { service } = openIsolate()
    const nothing = { outcome: 'no_dataset' }
    expect(await service.currentDataset()).toStrictEqual(nothing)
    expect(await service.listSpecialties()).toStrictEqual(nothing)
    expect(await service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })).toStrictEqual(nothing)
    expect(await service.listDatasets({ limit: 50 })).toStrictEqual({
      outcome: 'ok',
      body: { datasets: [], has_more: false, next_cursor: null },
    })
  })
})

describe('currentDataset', () => {
  it('names what a reading may choose from', async () => {
    const { service, version } = await published()
    expect(await service.currentDataset()).toStrictEqual({
      outcome: 'ok',
      version,
      specialties: new Set(['Urology', 'Geriatric Medicine']),
    })
  })
})

describe('listWaitingLists', () => {
  it('gives every list of the specialty in the order of the file, each with source and dates', async () => {
    const { service, version } = await published()
    const listed = await service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })
    if (listed.outcome !== 'ok') throw new Error(listed.outcome)
    expect(listed.body).toMatchObject({
      specialty: 'Urology',
      ageGroup: 'Adult',
      datasetVersion: version,
      source: SOURCE,
    })
    expect(listed.body.waitingLists.map(({ hospital, total }) => [hospital, total])).toStrictEqual([
      ['Zeta', 1],
      ['Alpha', 900],
    ])
    expect(listed.body.waitingLists[0]).toStrictEqual({
      hospital: 'Zeta',
      hospitalCode: '9001',
      hospitalGroup: 'Invented Group',
      specialty: 'Urology',
      specialtyCode: '0100',
      ageGroup: 'Adult',
      waiting: [{ band: '0-3 Months', people: 1 }],
      total: 1,
      source: SOURCE,
      archiveDate: '2026-09-24',
      publishedOn: '2026-10-09',
      cannotEstablish: cannotEstablishOfList({ kind: 'outpatient', layout: 'long' }),
    })
    expect(WaitingListsResponse().safeParse(listed.body).success).toBe(true)
  })

  it('gives no lists, and the reason, for an age group that the file has none for', async () => {
    const { service } = await published()
    const listed = await service.listWaitingLists({ specialty: 'Geriatric Medicine', ageGroup: 'Child' })
    expect(listed).toMatchObject({
      outcome: 'ok',
      body: {
        ageGroup: 'Child',
        waitingLists: [],
        cannotEstablish: cannotEstablishOfAnswer({
          kind: 'outpatient',
          layout: 'long',
          ageGroup: 'Child',
          hasLists: false,
        }),
      },
    })
  })

  it.each(['urology', 'Urology ', 'Small Volume Specialities', '', '__proto__', 'Urology\n'])(
    'knows no specialty %j',
    async (specialty) => {
      const { service } = await published()
      expect(await service.listWaitingLists({ specialty, ageGroup: 'Adult' })).toStrictEqual({
        outcome: 'specialty_not_published',
      })
    },
  )

  it('says that the source does not tell hospitals, where the file has none', async () => {
    const { service, store } = openIsolate()
    await publishOk(store, { bytes: csv([WIDE_HEADER, WIDE_ROW]) })
    const listed = await service.listWaitingLists({ specialty: 'Cardiology', ageGroup: 'Adult' })
    if (listed.outcome !== 'ok') throw new Error(listed.outcome)
    expect(listed.body.waitingLists).toMatchObject([
      { hospital: null, hospitalCode: null, hospitalGroup: null, specialtyCode: null, total: 18 },
    ])
    expect(listed.body.cannotEstablish[0]).toContain('Which hospitals run this specialty')
    expect(WaitingListsResponse().safeParse(listed.body).success).toBe(true)
  })
})

describe('listDatasets', () => {
  it('lists the versions held, the current one first and then the one published last', async () => {
    const { service, store, clock } = openIsolate()
    const first = await publishOk(store, { bytes, publishedOn: '2026-10-09' })
    clock.now += 1000
    const second = await publishOk(store, { bytes: csv([WIDE_HEADER, WIDE_ROW]) })
    clock.now += 1000
    const third = await publishOk(store, { bytes: csv([WIDE_HEADER, WIDE_ROW.replace('Cardiology', 'Urology')]) })
    const listed = await service.listDatasets({ limit: 50 })
    if (listed.outcome !== 'ok') throw new Error(listed.outcome)
    const order = [third, second, first].map(({ manifest }) => manifest.version)
    expect(listed.body.datasets.map(({ datasetVersion }) => datasetVersion)).toStrictEqual(order)
    expect(listed.body.datasets.map(({ current }) => current)).toStrictEqual([true, false, false])
    expect(listed.body.datasets[2]).toStrictEqual({
      datasetVersion: first.manifest.version,
      kind: 'outpatient',
      current: false,
      hasHospitals: true,
      source: SOURCE,
      specialties: 2,
      lists: 4,
      file: `/v1/files/${first.manifest.version.hash}`,
    })
    expect(DatasetsResponse().safeParse(listed.body).success).toBe(true)
  })
})

describe('listDatasets, a page at a time', () => {
  /** Six versions, published one after the other; the second is served. */
  async function sixVersions() {
    const { store, clock } = openIsolate()
    const versions = []
    for (let index = 0; index < 6; index += 1) {
      clock.now += 1000
      versions.push(
        (await publishOk(store, { bytes: csv([LONG_HEADER, longRow({ total: index + 1 })]) })).manifest.version,
      )
    }
    await rollbackDataset(store, versions[1]?.hash ?? '')
    return versions
  }

  it.each([1, 2, 3, 5, 6, 7])('lists each version once, the current one first, with %i to a page', async (limit) => {
    const versions = await sixVersions()
    const { service } = openIsolate()
    const seen: string[] = []
    let cursor: string | undefined
    for (let pages = 1; pages <= 6; pages += 1) {
      const listed = await service.listDatasets({ limit, cursor })
      if (listed.outcome !== 'ok') throw new Error(listed.outcome)
      const { datasets, has_more: hasMore, next_cursor: next } = listed.body
      expect(datasets.length).toBe(Math.min(limit, 6 - seen.length))
      expect(DatasetsResponse().safeParse(listed.body).success).toBe(true)
      seen.push(...datasets.map(({ datasetVersion }) => datasetVersion.hash))
      expect(hasMore).toBe(seen.length < 6)
      if (next === null) break
      cursor = next
    }
    const [a, b, c, d, e, f] = versions.map(({ hash }) => hash)
    expect(seen).toStrictEqual([b, f, e, d, c, a])
  })

  it('reads only the manifests of the page', async () => {
    await sixVersions()
    const kv = watch(env.DATASETS)
    const { service } = openIsolate({ kv: kv.watched })
    await service.listDatasets({ limit: 2 })
    // The pointer, the manifest served, and one more.
    expect(kv.calls.filter((call) => call === 'get')).toHaveLength(3)
  })

  it.each(['', 'x', `${'0'.repeat(64)}-2026-09-24`, '__proto__'])('knows no page after %j', async (cursor) => {
    await sixVersions()
    expect(await openIsolate().service.listDatasets({ limit: 2, cursor })).toStrictEqual({ outcome: 'unknown_cursor' })
  })
})

describe('the kind of the figures', () => {
  const caseTypes = csv([
    LONG_CASE_TYPE_HEADER,
    '24/09/2026,G,9001,Sample Hospital,0100,Urology,Inpatient,Adult,16-64,  0-3 Months,3',
  ])

  it('is told in the source of every list and answer, in the versions held, and in words', async () => {
    const { service, store } = openIsolate()
    await publishOk(store, { bytes: caseTypes, kind: 'gi_endoscopy' })
    const listed = await service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })
    if (listed.outcome !== 'ok') throw new Error(listed.outcome)
    expect(listed.body.source.kind).toBe('gi_endoscopy')
    expect(listed.body.waitingLists).toMatchObject([{ source: { kind: 'gi_endoscopy' } }])
    expect(listed.body.cannotEstablish.join(' ')).toContain('these endoscopy figures do not count')
    expect(listed.body.waitingLists[0]?.cannotEstablish.join(' ')).toContain('these endoscopy figures do not count')
    expect(await service.listDatasets({ limit: 1 })).toMatchObject({
      body: { datasets: [{ kind: 'gi_endoscopy', source: { kind: 'gi_endoscopy' } }] },
    })
  })

  it('is outpatient for versions stored before it was kept', async () => {
    const { version } = await published()
    for (const { name } of (await env.DATASETS.list()).keys) {
      const stored = (await env.DATASETS.get(name, 'text')) ?? ''
      await env.DATASETS.put(name, stored.replace(',"kind":"outpatient"', ''))
    }
    const { service } = openIsolate()
    expect(await service.currentDataset()).toMatchObject({ outcome: 'ok', version })
    expect(await service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })).toMatchObject({
      body: { source: { ...SOURCE, kind: 'outpatient' }, waitingLists: [{}, {}] },
    })
    expect(await service.listDatasets({ limit: 1 })).toMatchObject({ body: { datasets: [{ kind: 'outpatient' }] } })
  })

  it('is kept when the values are made again from the file', async () => {
    const { store } = openIsolate()
    await publishOk(store, { bytes: caseTypes, kind: 'inpatient_day_case' })
    for (const { name } of (await env.DATASETS.list({ prefix: 'waiting-lists/manifests/' })).keys) {
      await env.DATASETS.delete(name)
    }
    expect(await openIsolate().service.listWaitingLists({ specialty: 'Urology', ageGroup: 'Adult' })).toMatchObject({
      body: { source: { kind: 'inpatient_day_case' } },
    })
  })
})

describe('servedDates', () => {
  it('tells them without a read where the isolate knows them', async () => {
    await published()
    const kv = watch(env.DATASETS)
    const { service } = openIsolate({ kv: kv.watched })
    const dates = { archiveDate: '2026-09-24', publishedOn: '2026-10-09' }
    expect(await service.servedDates()).toStrictEqual(dates)
    expect(await service.servedDates()).toStrictEqual(dates)
    expect(kv.calls).toStrictEqual(['get'])
  })

  it('tells none where nothing is published, or KV does not answer', async () => {
    expect(await openIsolate().service.servedDates()).toBeNull()
    await published()
    const { service } = openIsolate({ kv: watch(env.DATASETS, new Set(['get'])).watched })
    expect(await service.servedDates()).toBeNull()
  })
})

describe('openFile', () => {
  it.each(['0'.repeat(64), '', '../current', 'A'.repeat(64), `${'0'.repeat(64)}.csv`])(
    'knows no file %j',
    async (hash) => {
      const { service } = await published()
      expect(await service.openFile(hash)).toStrictEqual({ outcome: 'not_found' })
    },
  )

  it('asks R2 for nothing when the name is no hash', async () => {
    const r2 = watch(env.FILES)
    await openIsolate({ r2: r2.watched }).service.openFile('waiting-lists')
    expect(r2.calls).toStrictEqual([])
  })

  it('is unavailable when R2 does not answer', async () => {
    const { service } = openIsolate({ r2: watch(env.FILES, new Set(['get'])).watched })
    expect(await service.openFile('0'.repeat(64))).toStrictEqual({ outcome: 'unavailable' })
  })
})
