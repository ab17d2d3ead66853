import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDatasetStore } from '../../scripts/dataset-storage.ts'
import { publishSampleIfEmpty } from '../../scripts/sample-publication.ts'
import { makeSampleDataset } from '../../scripts/sample-dataset.ts'
import { type PublishedFile, readPublishedFile } from '../../src/referral/waiting-lists/read-published-file.ts'
import { createWaitingListService } from '../../src/referral/waiting-lists/waiting-lists.service.ts'

const ROOT = join(import.meta.dirname, '../..')
const SAMPLE = join(ROOT, 'data/sample/invented-outpatients.csv')
const PUBLISHED_FILES = join(ROOT, '../shared/data/waiting-lists')
const hasPublishedFiles = existsSync(PUBLISHED_FILES)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-publish-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Finished {
  code: number | string | null | undefined
  out: string
  err: string
}

async function dataPublish(...args: string[]): Promise<Finished> {
  const command = ['--env-file=.env', 'scripts/data-publish.ts', ...args]
  return await new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: ROOT }, (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err })
    })
  })
}

describe('the invented sample', () => {
  it('is what its script makes, byte for byte, and small', async () => {
    const committed = await readFile(SAMPLE)
    expect(committed.equals(Buffer.from(makeSampleDataset()))).toBe(true)
    expect(committed.length).toBeLessThan(150_000)
  })

  it('has the quirks of the long layout and no hospital without an invented name', async () => {
    const text = await readFile(SAMPLE, 'utf8')
    expect(text.startsWith('\u{feff}Archive_Date,Group,')).toBe(true)
    expect(text.endsWith('\r\n\r\n')).toBe(true)
    const read = readPublishedFile(await readFile(SAMPLE))
    if (!read.ok) throw new Error(read.reason)
    const { dataset } = read
    expect(dataset.summary.archiveDates.map(({ archiveDate }) => archiveDate)).toStrictEqual([
      '2026-08-27',
      '2026-09-24',
    ])
    expect(dataset.summary.hospitals).toBe(14)
    const lists = dataset.specialties.flatMap((specialty) => specialty.lists.Adult.concat(specialty.lists.Child))
    const invented =
      /Invented|Placeholder|Exampletown|Dummy|Fictional|Madeup|Specimen|Pretend|Imaginary|Nowhere|Testfield|Mockingham/
    for (const { hospital } of lists) expect(hospital).toMatch(invented)
  })

  it('is published where nothing is served, and only there', async () => {
    const persistTo = join(folder, 'seed')
    expect(await withDatasetStore({ persistTo }, publishSampleIfEmpty)).toBe('published')
    expect(await withDatasetStore({ persistTo }, publishSampleIfEmpty)).toBe('kept')
  })
})

describe('npm run data:publish', () => {
  it('publishes a file, lists it, refuses a bad one, and goes back', async () => {
    const state = ['--persist-to', join(folder, 'life')]
    const text = await readFile(SAMPLE)
    const sha256 = createHash('sha256').update(text).digest('hex')

    const first = await dataPublish(SAMPLE, '--published-on', '2026-10-09', ...state)
    expect(first.code).toBe(0)
    expect(first.out).toContain(sha256)
    expect(first.out).toMatch(/archive date +2026-09-24\n/)
    expect(first.out).toMatch(/lists made +\d+\n/)
    expect(first.err).toContain('(pointer)')

    const earlier = await dataPublish(SAMPLE, '--published-on', '2026-09-11', '--archive-date', '2026-08-27', ...state)
    expect(earlier).toMatchObject({ code: 0 })
    expect(earlier.out).toMatch(/archive date +2026-08-27\n/)
    expect(earlier.err).toContain('Recorded readings')

    const bad = join(folder, 'bad.csv')
    await writeFile(bad, text.toString().replace('16-64, 0-3 Months,', '16-64, 0-3 Months,-'))
    const refused = await dataPublish(bad, '--published-on', '2026-10-09', ...state)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(/^Refused, line \d+: Expected a number of people/m)
    expect(refused.err).toContain('The version being served stays.')

    const listed = await dataPublish('--list', ...state)
    const lines = listed.out.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('*'))).toStrictEqual([expect.stringContaining('2026-08-27')])

    expect(await dataPublish('--rollback', sha256.slice(0, 12), ...state)).toMatchObject({ code: 1 })
    const back = await dataPublish('--rollback', sha256.slice(0, 12), '--archive-date', '2026-09-24', ...state)
    expect(back.code).toBe(0)
    expect(back.out).toContain('archive date 2026-09-24')
    const served = await withDatasetStore({ persistTo: join(folder, 'life') }, (store) =>
      createWaitingListService({ store }).currentDataset(),
    )
    expect(served).toMatchObject({
      outcome: 'ok',
      version: { archiveDate: '2026-09-24', publishedOn: '2026-10-09', hash: sha256 },
    })
  })

  it('never gives the sample the name of the publisher', async () => {
    const persistTo = join(folder, 'name')
    await dataPublish(SAMPLE, '--published-on', '2026-10-09', '--title', 'Real figures', '--persist-to', persistTo)
    const listed = await withDatasetStore({ persistTo }, (store) => createWaitingListService({ store }).listDatasets())
    expect(listed).toMatchObject({ body: { datasets: [{ source: { publisher: 'Countersign', url: null } }] } })
  })

  it('explains itself', async () => {
    const { code, out } = await dataPublish('--help')
    expect(code).toBe(0)
    expect(out).toContain('--rollback')
  })

  it.each([
    ['nothing', []],
    ['a file without its publication date', [SAMPLE]],
    ['two files', [SAMPLE, SAMPLE, '--published-on', '2026-10-09']],
    ['two jobs', ['--list', '--rollback', '0'.repeat(64)]],
    ['an unknown option', ['--force']],
    [
      'a source that is no web address',
      [SAMPLE, '--published-on', '2026-10-09', '--source-url', 'javascript:alert(1)'],
    ],
    ['an environment for local use', ['--list', '--env', 'staging']],
  ])('answers with the help text when it is given %s', async (_what, args) => {
    const { code, err } = await dataPublish(...args)
    expect(code).toBe(2)
    expect(err).toContain('npm run data:publish')
  })

  it.each([
    ['a file that is not there', [join('nowhere', 'file.csv'), '--published-on', '2026-10-09'], /ENOENT/],
    ['a publication date before the archive date', [SAMPLE, '--published-on', '2026-09-01'], /must be after/],
    ['a hash that is not held', ['--rollback', '0'.repeat(64)], /No version held/],
  ])('stops at %s', async (_what, args, reason) => {
    const { code, out, err } = await dataPublish(...args, '--persist-to', join(folder, 'stopped'))
    expect({ code, out }).toStrictEqual({ code: 1, out: '' })
    expect(err).toMatch(reason)
  })

  it('stops at an environment that is not configured, without falling back to local values', async () => {
    const { code, err } = await dataPublish('--list', '--remote', '--env', 'nowhere')
    expect(code).toBe(1)
    expect(err).toContain('"nowhere"')
  })
})

async function openPublished(name: string, archiveDate?: string): Promise<PublishedFile> {
  return readPublishedFile(await readFile(join(PUBLISHED_FILES, name)), archiveDate)
}

describe('the files as the publisher served them', () => {
  it.runIf(hasPublishedFiles)('reads the long file of 2021 to the last person', async () => {
    const read = await openPublished('ntpf_op_2021_jan_mar.csv')
    if (!read.ok) throw new Error(read.reason)
    const { summary, specialties } = read.dataset
    expect(summary).toMatchObject({
      rowsRead: 22_521,
      archiveDates: [
        { archiveDate: '2021-01-28' },
        { archiveDate: '2021-02-25' },
        { archiveDate: '2021-03-25', rows: 7537 },
      ],
      hospitals: 43,
      specialties: 66,
      keysSummed: 0,
      bucketsLeftOut: [{ name: 'Small Volume Specialities', lists: 22 }],
    })
    const bucket = summary.bucketsLeftOut[0]
    expect(summary.lists + (bucket?.lists ?? 0)).toBe(864)
    expect(summary.people + (bucket?.people ?? 0)).toBe(628_756)
    const runBy = (name: string): number => {
      const lists = specialties.find((specialty) => specialty.name === name)?.lists
      return new Set([...(lists?.Adult ?? []), ...(lists?.Child ?? [])].map(({ hospital }) => hospital)).size
    }
    expect(['General Surgery', 'Gynaecology', 'Orthopaedics', 'Urology'].map(runBy)).toStrictEqual([34, 32, 27, 25])
    expect(specialties.find(({ name }) => name === 'Geriatric Medicine')?.lists.Child).toStrictEqual([])
  })

  it.runIf(hasPublishedFiles)('reads the file by specialty of 2026', async () => {
    const read = await openPublished('ntpf_op_speciality_2026.csv')
    if (!read.ok) throw new Error(read.reason)
    const { archiveDate, hasHospitals, summary, specialties } = read.dataset
    expect({ archiveDate, hasHospitals }).toStrictEqual({ archiveDate: '2026-06-25', hasHospitals: false })
    expect(summary).toMatchObject({ rowsRead: 484, lists: 74, keysSummed: 0 })
    expect(summary.people + (summary.bucketsLeftOut[0]?.people ?? 0)).toBe(600_724 + 73_032)
    expect(specialties.find(({ name }) => name === 'Paediatrics')?.lists.Adult[0]?.total).toBe(204)
  })

  it.runIf(hasPublishedFiles)('adds up the 28 keys that January 2026 has on two rows', async () => {
    const read = await openPublished('ntpf_op_speciality_2026.csv', '2026-01-29')
    if (!read.ok) throw new Error(read.reason)
    expect(read.dataset.summary).toMatchObject({ keysSummed: 28, archiveDates: { 0: { rows: 106 } } })
    const breastSurgery = read.dataset.specialties.find(({ name }) => name === 'Breast Surgery')
    expect(breastSurgery?.lists.Adult).toMatchObject([{ total: 994 + 4511 }])
  })

  it.runIf(hasPublishedFiles)('refuses the file by hospital', async () => {
    const read = await openPublished('ntpf_op_2026.csv')
    if (read.ok) throw new Error('the file was accepted')
    expect(read.line).toBe(1)
    expect(read.reason).toContain('no specialty')
  })

  it.runIf(hasPublishedFiles)('publishes and serves the long file through the command', async () => {
    const persistTo = join(folder, 'published')
    const file = join(PUBLISHED_FILES, 'ntpf_op_2021_jan_mar.csv')
    const command = await dataPublish(file, '--published-on', '2021-04-09', '--persist-to', persistTo)
    expect(command.code).toBe(0)
    expect(command.out).toMatch(/lists made +842\n/)
    const answer = await withDatasetStore({ persistTo }, (store) =>
      createWaitingListService({ store }).listWaitingLists({ specialty: 'General Surgery', ageGroup: 'Adult' }),
    )
    if (answer.outcome !== 'ok') throw new Error(answer.outcome)
    expect(answer.body.waitingLists.length).toBeGreaterThan(30)
    expect(answer.body.source).toMatchObject({ title: 'ntpf_op_2021_jan_mar.csv' })
  })
})
