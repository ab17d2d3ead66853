// The import over files as the publisher served them, which are no part of the repository.
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withWaitingListStore } from '../../scripts/storage-bindings.ts'
import { type PublishedFile, readPublishedFile } from '../../src/referral/waiting-lists/read-published-file.ts'
import { type Manifest, manifestOf } from '../../src/referral/waiting-lists/stored-version.ts'
import { findConcerns } from '../../src/referral/waiting-lists/version-changes.policy.ts'
import { createWaitingListService } from '../../src/referral/waiting-lists/waiting-lists.service.ts'
import { dataPublish } from '../support/e2e/data-publish.ts'

const PUBLISHED_FILES = process.env['PUBLISHED_FILES'] ?? ''
const LONG = 'ntpf_op_2021_jan_mar.csv'
const BY_SPECIALTY = 'ntpf_op_speciality_2026.csv'
const BY_HOSPITAL = 'ntpf_op_2026.csv'

const pathOf = (name: string): string => join(resolve(PUBLISHED_FILES), name)

async function openPublished(name: string, archiveDate?: string): Promise<PublishedFile> {
  return readPublishedFile(await readFile(pathOf(name)), archiveDate)
}

const PUBLISHER = 'National Treatment Purchase Fund (NTPF)'

function readVersion(bytes: Uint8Array, archiveDate?: string) {
  const read = readPublishedFile(bytes, archiveDate)
  if (!read.ok) throw new Error(read.reason)
  const { dataset } = read
  const version = { archiveDate: dataset.archiveDate, publishedOn: '2026-10-09', hash: '0'.repeat(64) }
  const source = {
    publisher: PUBLISHER,
    title: 'A file',
    url: null,
    acknowledgement: 'None.',
    kind: 'outpatient',
  } as const
  const manifest = manifestOf(dataset, version, source)
  return { manifest, concernsAfter: (previous: Manifest | null) => findConcerns(manifest, previous, dataset) }
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'published-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.skipIf(PUBLISHED_FILES === '')(
  'the published files in the folder PUBLISHED_FILES (skipped where it is not set)',
  () => {
    it('reads the long file of 2021 to the last person', async () => {
      const read = await openPublished(LONG)
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

    it('reads the file by specialty of 2026', async () => {
      const read = await openPublished(BY_SPECIALTY)
      if (!read.ok) throw new Error(read.reason)
      const { archiveDate, hasHospitals, summary, specialties } = read.dataset
      expect({ archiveDate, hasHospitals }).toStrictEqual({ archiveDate: '2026-06-25', hasHospitals: false })
      expect(summary).toMatchObject({ rowsRead: 484, lists: 74, keysSummed: 0 })
      expect(summary.people + (summary.bucketsLeftOut[0]?.people ?? 0)).toBe(600_724 + 73_032)
      expect(specialties.find(({ name }) => name === 'Paediatrics')?.lists.Adult[0]?.total).toBe(204)
    })

    it('adds up the 28 keys that January 2026 has on two rows', async () => {
      const read = await openPublished(BY_SPECIALTY, '2026-01-29')
      if (!read.ok) throw new Error(read.reason)
      expect(read.dataset.summary).toMatchObject({ keysSummed: 28, archiveDates: { 0: { rows: 106 } } })
      const breastSurgery = read.dataset.specialties.find(({ name }) => name === 'Breast Surgery')
      expect(breastSurgery?.lists.Adult).toMatchObject([{ total: 994 + 4511 }])
    })

    it('refuses the file by hospital', async () => {
      const read = await openPublished(BY_HOSPITAL)
      if (read.ok) throw new Error('the file was accepted')
      expect(read.line).toBe(1)
      expect(read.reason).toContain('no specialty')
    })

    it('publishes and serves the long file through the command, then the other after a question about its size', async () => {
      const persistTo = join(folder, 'published')
      const state = ['--persist-to', persistTo]
      const long = await dataPublish(pathOf(LONG), '--published-on', '2021-04-09', ...state)
      expect(long.code).toBe(0)
      expect(long.out).toMatch(/lists made +842\n/)
      const answer = await withWaitingListStore({ persistTo }, (store) =>
        createWaitingListService({ store }).listWaitingLists({ specialty: 'General Surgery', ageGroup: 'Adult' }),
      )
      if (answer.outcome !== 'ok') throw new Error(answer.outcome)
      expect(answer.body.waitingLists.length).toBeGreaterThan(30)
      expect(answer.body.source).toMatchObject({ title: LONG, kind: 'outpatient' })

      const args = [pathOf(BY_SPECIALTY), '--published-on', '2026-07-10', ...state]
      const asked = await dataPublish(...args)
      expect(asked.err).toMatch(/^ {2}smaller: The rows of the archive date fell /m)
      expect(asked.err).toMatch(/^ {2}incomplete: Missing, compared with the version before: /m)
      const bySpecialty = await dataPublish(...args, '--smaller', '--incomplete')
      expect(bySpecialty.code).toBe(0)
      expect(bySpecialty.out).toMatch(/kind +outpatient\n/)
      expect(bySpecialty.out).toMatch(/lists made +74\n/)
    })

    it('publishes every archive date of either file, one after the other, without a question', async () => {
      for (const name of [LONG, BY_SPECIALTY]) {
        const bytes = Uint8Array.from(await readFile(pathOf(name)))
        const dates = (await openPublished(name)) as Extract<PublishedFile, { ok: true }>
        let previous: Manifest | null = null
        for (const { archiveDate } of dates.dataset.summary.archiveDates) {
          const version = readVersion(bytes, archiveDate)
          expect(version.concernsAfter(previous)).toStrictEqual([])
          previous = version.manifest
        }
      }
    })

    it('asks for every file that was cut at the end of any line of its last archive date, first or not', async () => {
      for (const [name, step] of [
        [BY_SPECIALTY, 1],
        [LONG, 997],
      ] as const) {
        const lines = (await readFile(pathOf(name), 'utf8')).trimEnd().split('\r\n')
        const whole = readVersion(Buffer.from(`${lines.join('\r\n')}\r\n`)).manifest
        const first = lines.findIndex((line) => line.startsWith(lines.at(-1)?.slice(0, 10) ?? ''))
        for (let end = first + 1; end < lines.length; end += step) {
          const cut = readVersion(Buffer.from(`${lines.slice(0, end).join('\r\n')}\r\n`))
          for (const previous of [null, whole]) {
            expect(cut.concernsAfter(previous).map(({ accept }) => accept)).toContain('incomplete')
          }
        }
      }
    })

    it('asks for the first publication of half a file, and of one month of it without its end', async () => {
      for (const name of [LONG, BY_SPECIALTY]) {
        const lines = (await readFile(pathOf(name), 'utf8')).trimEnd().split('\r\n')
        const half = lines.slice(0, lines.length / 2)
        const month = lines.filter((line) => !/^\d/.test(line) || line.startsWith(lines[1]?.slice(0, 10) ?? ''))
        for (const cut of [half, month.slice(0, month.length / 2)]) {
          const { concernsAfter } = readVersion(Buffer.from(`${cut.join('\r\n')}\r\n\r\n`))
          expect(concernsAfter(null).map(({ accept }) => accept)).toContain('incomplete')
        }
      }
    })

    it('gives each hospital and specialty the code that the file has', async () => {
      const read = await openPublished(LONG)
      if (!read.ok) throw new Error(read.reason)
      const codes = new Map(read.dataset.specialties.map(({ name, code }) => [name, code]))
      expect([codes.get('Cardiology'), codes.get('Otolaryngology (ENT)')]).toStrictEqual(['0100', '0600'])
      const lists = read.dataset.specialties.flatMap(({ lists: { Adult, Child } }) => Adult.concat(Child))
      expect(lists.every(({ hospitalCode }) => /^\d{4}$/.test(hospitalCode ?? ''))).toBe(true)
      expect(lists.find(({ hospital }) => hospital === 'Beaumont Hospital')?.hospitalCode).toBe('0923')
    })

    it('refuses each file with one of its rows twice, and with a figure ten times what it was', async () => {
      for (const name of [LONG, BY_SPECIALTY]) {
        const lines = (await readFile(pathOf(name), 'utf8')).split('\r\n')
        const copied = lines.toSpliced(100, 0, lines[50] ?? '').join('\r\n')
        expect(readPublishedFile(Buffer.from(copied))).toMatchObject({ ok: false, line: 101 })
      }
      const lines = (await readFile(pathOf(BY_SPECIALTY), 'utf8')).split('\r\n')
      const shifted = lines.with(1, (lines[1] ?? '').replace(/,(\d+)$/, ',$10')).join('\r\n')
      expect(readPublishedFile(Buffer.from(shifted))).toMatchObject({ ok: false, line: 2 })
    })
  },
)
