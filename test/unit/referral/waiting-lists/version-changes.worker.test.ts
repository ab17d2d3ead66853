// Tests what must be accepted by name when a version follows another.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { planPublication, publishDataset } from '../../../../src/referral/waiting-lists/publish-dataset.ts'
import { compareVersions } from '../../../../src/referral/waiting-lists/version-differences.ts'
import { csv, LONG_CASE_TYPE_HEADER, LONG_HEADER, longRow, WIDE_HEADER } from './published-file.ts'
import { EXPLICIT, openIsolate, publishOk, SOURCE, watch } from './test-storage.ts'

const NAMES = [
  'Cardiology',
  'Urology',
  'Neurology',
  'Dermatology',
  'Haematology',
  'Oncology',
  'Obstetrics',
  'Nephrology',
]

/** So many rows and specialties: rows beyond the specialties are further hospitals of the first. */
function fileOf({ rows = 40, specialties = 8, date = '24/09/2026', total = 12 } = {}) {
  const named = NAMES.slice(0, specialties).map((specialty) => longRow({ specialty, date, total }))
  const more = Array.from({ length: rows - specialties }, (_, index) =>
    longRow({ hospital: `H ${index}`, date, total }),
  )
  return csv([LONG_HEADER, ...named, ...more, ''])
}

const unaccepted = { ...EXPLICIT, accept: [] }

async function follow(next: Uint8Array<ArrayBuffer>, more: object = {}) {
  const { store } = openIsolate()
  await publishOk(store, { bytes: fileOf() })
  return publishDataset(store, { ...unaccepted, bytes: next, ...more })
}

describe('a version that follows another of its kind', () => {
  it.each([
    ['is the same', fileOf()],
    ['lost 15 % of its rows', fileOf({ rows: 34 })],
    ['lost one of eight specialties', fileOf({ specialties: 7 })],
    ['grew', fileOf({ rows: 400 })],
    ['has fewer people on as many lists', fileOf({ total: 1 })],
  ])('is published without a question where it %s', async (_what, bytes) => {
    expect(await follow(bytes)).toMatchObject({ outcome: 'published' })
  })

  it.each([
    ['goes back by a month', fileOf({ date: '27/08/2026' }), ['older'], /from 2026-09-24 to 2026-08-27/],
    ['lost more than 15 % of its rows', fileOf({ rows: 33 }), ['smaller'], /rows of the archive date fell by 17\.5 %/],
    ['lost two of eight specialties', fileOf({ specialties: 6 }), ['smaller'], /specialties fell by 25\.0 %, from 8/],
    [
      'does all of it',
      fileOf({ date: '27/08/2026', rows: 8, specialties: 4 }),
      ['older', 'smaller', 'smaller'],
      /goes back.*rows.*specialties/,
    ],
  ])('asks for a flag where it %s, and writes nothing', async (_what, bytes, flags, reasons) => {
    const { store, service } = openIsolate()
    const { manifest } = await publishOk(store, { bytes: fileOf() })
    const kv = watch(env.DATASETS)
    const r2 = watch(env.FILES)
    const outcome = await publishDataset(openIsolate({ kv: kv.watched, r2: r2.watched }).store, {
      ...unaccepted,
      bytes,
    })
    if (outcome.outcome !== 'not_accepted') throw new Error(outcome.outcome)
    expect(outcome.concerns.map(({ accept }) => accept)).toStrictEqual(flags)
    expect(outcome.concerns.map(({ reason }) => reason).join(' ')).toMatch(reasons)
    expect([...kv.calls, ...r2.calls]).not.toContain('put')
    expect(await service.currentDataset()).toMatchObject({ version: manifest.version })
  })

  it('asks for a flag where a band is gone that had fifty people', async () => {
    const bands = ['0-3 Months', '18 Months +']
    const rows = bands.flatMap((band) => NAMES.map((specialty) => longRow({ specialty, band, total: 12 })))
    const { store } = openIsolate()
    await publishOk(store, { bytes: csv([LONG_HEADER, ...rows, '']) })
    const cut = csv([
      LONG_HEADER,
      ...rows.slice(0, 8),
      ...rows.slice(0, 7).map((row) => row.replace('Adult', 'Child')),
      '',
    ])
    const outcome = await publishDataset(store, { ...unaccepted, bytes: cut })
    if (outcome.outcome !== 'not_accepted') throw new Error(outcome.outcome)
    expect(outcome.concerns).toStrictEqual([
      { accept: 'incomplete', reason: 'Missing, compared with the version before: the band 18- months.' },
    ])
  })

  it('takes one flag for what it says and no more', async () => {
    const bytes = fileOf({ date: '27/08/2026', rows: 8 })
    for (const accept of [['older'], ['smaller']] as const) {
      expect(await follow(bytes, { accept })).toMatchObject({ outcome: 'not_accepted', concerns: [{}] })
    }
    expect(await follow(bytes, { accept: ['older', 'smaller'] })).toMatchObject({ outcome: 'published' })
  })

  it('counts rows that the publisher had not merged once', async () => {
    const { store } = openIsolate()
    const [header = '', ...rows] = new TextDecoder().decode(fileOf()).trimEnd().split('\r\n')
    const unmerged = rows.slice(0, 10).map((row) => row.replace(/12$/, '7'))
    await publishOk(store, { bytes: csv([header, ...rows, ...unmerged, '']) })
    expect(await publishDataset(store, { ...unaccepted, bytes: fileOf() })).toMatchObject({ outcome: 'published' })
  })
})

describe('a version of which a part is missing', () => {
  const PEOPLE = { total: 60 }
  const whole = [
    WIDE_HEADER,
    '27/08/2026,Adult,Cardiology,60,0,0,0,60',
    '27/08/2026,Child,Cardiology,60,0,0,0,60',
    '27/08/2026,Child,Urology,60,0,0,0,60',
    '24/09/2026,Adult,Cardiology,60,0,0,0,60',
    '24/09/2026,Adult,Neurology,20,0,0,0,20',
    '24/09/2026,Child,Cardiology,60,0,0,0,60',
    '24/09/2026,Child,Urology,60,0,0,0,60',
  ]
  const reasonsOf = (outcome: Awaited<ReturnType<typeof publishDataset>>) =>
    outcome.outcome === 'not_accepted' ? outcome.concerns.map(({ accept, reason }) => `${accept}: ${reason}`) : outcome

  it('is asked for with what is missing, wherever a line of its last archive date was cut away', async () => {
    for (let lines = 5; lines < whole.length; lines++) {
      const bytes = csv(whole.slice(0, lines))
      const first = await publishDataset(openIsolate().store, { ...unaccepted, bytes })
      expect(reasonsOf(first)).toStrictEqual([
        expect.stringMatching(
          /^incomplete: Missing, compared with the archive date before in the same file: .*Urology \(Child\)/,
        ),
      ])
      const { store } = openIsolate()
      await publishOk(store, { bytes: csv(whole) })
      const outcome = await publishDataset(store, { ...unaccepted, accept: ['smaller'], bytes })
      expect(JSON.stringify(reasonsOf(outcome))).toContain('compared with the version before')
      expect(await publishDataset(store, { ...unaccepted, accept: ['smaller', 'incomplete'], bytes })).toMatchObject({
        outcome: 'published',
      })
    }
  })

  it('is only said where so few people were there that the publisher may have moved them', async () => {
    const { store } = openIsolate()
    await publishOk(store, { bytes: csv(whole) })
    const outcome = await publishDataset(store, {
      ...unaccepted,
      accept: ['smaller'],
      bytes: csv(whole.toSpliced(5, 1)),
    })
    expect(outcome).toMatchObject({
      outcome: 'published',
      warnings: [expect.stringMatching(/^Missing, .* moved them: Neurology \(Adult\)\.$/)],
    })
  })

  it('names a hospital that is gone', async () => {
    const { store } = openIsolate()
    const rows = ['Alpha', 'Beta'].map((hospital) => longRow({ hospital, ...PEOPLE }))
    await publishOk(store, { bytes: csv([LONG_HEADER, ...rows, '']) })
    const outcome = await publishDataset(store, {
      ...unaccepted,
      accept: ['smaller'],
      bytes: csv([LONG_HEADER, ...rows.slice(0, 1), '']),
    })
    expect(reasonsOf(outcome)).toStrictEqual(['incomplete: Missing, compared with the version before: Beta.'])
  })

  it('is a long file that does not end in an empty line, as one that was cut at the end of a line', async () => {
    for (const eol of ['\r\n', '\n', '\r']) {
      const outcome = await publishDataset(openIsolate().store, {
        ...unaccepted,
        bytes: csv([LONG_HEADER, longRow({})], { eol }),
      })
      expect(reasonsOf(outcome)).toStrictEqual([
        expect.stringMatching(/^incomplete: The file does not end in an empty line/),
      ])
    }
  })

  it('is compared with the known names where it is the publisher’s first and has one archive date', async () => {
    const source = { ...SOURCE, publisher: 'National Treatment Purchase Fund (NTPF)' }
    const bytes = csv(whole.toSpliced(1, 3))
    const outcome = await publishDataset(openIsolate().store, { ...unaccepted, bytes, source })
    expect(reasonsOf(outcome)).toStrictEqual([
      expect.stringMatching(
        /^incomplete: Missing, compared with names .*: .*Dermatology \(Adult\); .*; and \d+ more\.$/,
      ),
    ])
  })

  it('asks for a specialty that nobody has published, since the readers would be shown its name', async () => {
    const named = (specialty: string) => csv([LONG_HEADER, longRow({ specialty }), ''])
    const { store } = openIsolate()
    const outcome = await publishDataset(store, { ...unaccepted, bytes: named('Answer Cardiology always') })
    expect(reasonsOf(outcome)).toStrictEqual([expect.stringMatching(/^new-names: .*: Answer Cardiology always\.$/)])
    await publishOk(store, { bytes: named('Sports Medicine') })
    expect(await publishDataset(store, { ...unaccepted, bytes: named('Sports Medicine') })).toMatchObject({
      outcome: 'published',
    })
  })
})

describe('what a version is compared with', () => {
  const smaller = fileOf({ rows: 8 })

  it('is nothing of another publisher: the first real file may be older and smaller than the sample', async () => {
    const source = { ...SOURCE, publisher: 'Another Publisher' }
    expect(await follow(fileOf({ rows: 8, date: '27/08/2026' }), { source })).toMatchObject({ outcome: 'published' })
  })

  it('is nothing of another kind', async () => {
    const row = '27/08/2026,G,9001,Sample Hospital,0100,Cardiology,Inpatient,Adult,16-64, 0-3 Months,3'
    const bytes = csv([LONG_CASE_TYPE_HEADER, row, ''])
    expect(await follow(bytes, { kind: 'inpatient_day_case' })).toMatchObject({ outcome: 'published' })
  })

  it('is the last one of its kind where another kind is served', async () => {
    const { store, clock } = openIsolate()
    await publishOk(store, { bytes: fileOf() })
    clock.now += 1000
    const row = '24/09/2026,G,9001,Sample Hospital,0100,Cardiology,Inpatient,Adult,16-64, 0-3 Months,3'
    await publishOk(store, { bytes: csv([LONG_CASE_TYPE_HEADER, row]), kind: 'inpatient_day_case' })
    expect(await publishDataset(store, { ...unaccepted, bytes: smaller })).toMatchObject({ outcome: 'not_accepted' })
  })

  it('cannot be told while KV does not answer, and nothing is published then', async () => {
    await publishOk(openIsolate().store, { bytes: fileOf() })
    const { store } = openIsolate({ kv: watch(env.DATASETS, new Set(['get', 'list'])).watched })
    expect(await publishDataset(store, { ...unaccepted, bytes: smaller })).toMatchObject({
      outcome: 'refused',
      line: null,
      reason: expect.stringContaining('does not answer') as unknown,
    })
  })
})

describe('planPublication', () => {
  it('shows the version whole and what it changes, and writes nothing', async () => {
    const { store } = openIsolate()
    await publishOk(store, { bytes: fileOf() })
    const kv = watch(env.DATASETS)
    const r2 = watch(env.FILES)
    const bytes = csv([
      LONG_HEADER,
      longRow({ specialty: 'Urology', total: 5 }),
      longRow({ specialty: 'Psychiatry' }),
      '',
    ])
    const isolate = openIsolate({ kv: kv.watched, r2: r2.watched })
    const plan = await planPublication(isolate.store, { ...EXPLICIT, bytes })
    if (!plan.ok || plan.served === null) throw new Error('there is no plan')
    expect(plan.manifest.summary).toMatchObject({ lists: 2, people: 17 })
    // The first specialty has 33 hospitals, so more people than the publisher ever moves to other rows.
    expect(plan.concerns).toMatchObject([
      { accept: 'smaller' },
      { accept: 'smaller' },
      { accept: 'incomplete', reason: 'Missing, compared with the version before: Cardiology (Adult).' },
    ])
    expect(plan.warnings.at(-1)).toMatch(/^Missing, with so few people before .*: Neurology \(Adult\); Dermatology/)
    expect([...kv.calls, ...r2.calls]).not.toContain('put')
    const { changed, ...specialties } = compareVersions(plan.served, plan.manifest)
    expect(changed.filter(({ what }) => !what.startsWith('file'))).toStrictEqual([
      { what: 'rows of the archive date', from: 40, to: 2 },
      { what: 'specialties', from: 8, to: 2 },
      { what: 'lists', from: 40, to: 2 },
      { what: 'people in them', from: 480, to: 17 },
      { what: 'hospitals', from: 33, to: 1 },
    ])
    expect(specialties).toStrictEqual({
      specialtiesGone: NAMES.filter((name) => name !== 'Urology'),
      specialtiesNew: ['Psychiatry'],
      hospitalsGone: Array.from({ length: 32 }, (_, index) => `H ${index}`),
      hospitalsNew: [],
      listsChanged: [],
    })
  })

  it('names the specialties whose lists became more or fewer, and nothing of a version that is the same', async () => {
    const { store } = openIsolate()
    const before = (await publishOk(store, { bytes: fileOf() })).manifest
    const after = (await publishOk(store, { bytes: fileOf({ rows: 42 }) })).manifest
    expect(compareVersions(before, after).listsChanged).toStrictEqual([{ specialty: 'Cardiology', from: 33, to: 35 }])
    expect(compareVersions(after, after)).toStrictEqual({
      changed: [],
      specialtiesGone: [],
      specialtiesNew: [],
      hospitalsGone: [],
      hospitalsNew: [],
      listsChanged: [],
    })
  })

  it.each([
    ['a day that has not come', { publishedOn: '2026-10-11' }, /future/],
    ['no title', { source: { ...SOURCE, title: ' ' } }, /title is empty/],
    ['a kind that its name denies', { fileName: 'IPDC-2026.csv' }, /says inpatient_day_case/],
    ['no kind, and a name that tells another', { fileName: 'IPDC-2026.csv', kind: undefined }, /no column/],
  ])('refuses %s', async (_what, more, reason) => {
    const refused = await planPublication(openIsolate().store, { ...EXPLICIT, bytes: fileOf(), ...more })
    if (refused.ok) throw new Error('it was planned')
    expect(refused).toMatchObject({ line: null, reason: expect.stringMatching(reason) as unknown })
  })
})
