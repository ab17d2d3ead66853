import { describe, expect, it } from 'vitest'
import {
  checkPublication,
  missingSpecialties,
  titleFault,
  decideKind,
} from '../../../../src/referral/waiting-lists/publication.policy.ts'
import { DATASET_KINDS, type DatasetKind, type Layout } from '../../../../src/referral/waiting-lists/dataset.ts'

const today = '2027-12-31'

function reasonOf(archiveDate: string, publishedOn: string): string {
  const check = checkPublication({ archiveDate, publishedOn, today })
  return check.ok ? 'accepted' : check.reason
}

describe('checkPublication', () => {
  it.each(['2026-02-30', '2026-13-01', '09/10/2026', '2026-10-9', 'soon', ''])(
    'refuses %j, which is no date',
    (date) => {
      expect(reasonOf('2026-09-24', date)).toContain('calendar')
    },
  )

  it.each(['2026-09-24', '2026-09-23', '2025-10-09'])('refuses %s, which is not after the archive date', (date) => {
    expect(reasonOf('2026-09-24', date)).toContain('after')
  })

  it.each(['2026-09-29', '2026-10-09', '2026-11-03'])('takes %s without a word', (date) => {
    expect(checkPublication({ archiveDate: '2026-09-24', publishedOn: date, today })).toStrictEqual({
      ok: true,
      warnings: [],
    })
  })

  it.each(['2026-09-28', '2026-11-04', '2027-10-08'])('takes %s with a warning, for it is unusual', (date) => {
    expect(checkPublication({ archiveDate: '2026-09-24', publishedOn: date, today })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('usual')],
    })
  })

  it.each([
    ['2026-10-09', 'accepted'],
    ['2026-10-10', 'accepted'],
    ['2026-10-11', 'The publication date 2026-10-11 is in the future: today is 2026-10-10. Check the date.'],
    ['2036-10-09', 'The publication date 2036-10-09 is in the future: today is 2026-10-10. Check the date.'],
  ])('judges %s by what day it is', (publishedOn, said) => {
    const check = checkPublication({ archiveDate: '2026-09-24', publishedOn, today: '2026-10-10' })
    expect(check.ok ? 'accepted' : check.reason).toBe(said)
  })

  it('warns when the archive date is not a Thursday, as in re-published copies', () => {
    expect(checkPublication({ archiveDate: '2026-09-30', publishedOn: '2026-10-09', today })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('Thursday')],
    })
  })
})

describe('missingSpecialties', () => {
  const version = { specialties: [{ name: 'Cardiology' }, { name: 'Paediatric ENT' }] }

  it('names each specialty that the version does not have, once, compared exactly', () => {
    const named = ['Cardiology', 'Urology', 'cardiology', 'Urology', 'Paediatric ENT']
    expect(missingSpecialties(named, version)).toStrictEqual(['Urology', 'cardiology'])
  })

  it('is empty when all are there', () => {
    expect(missingSpecialties(['Cardiology'], version)).toStrictEqual([])
  })
})

describe('titleFault', () => {
  it.each([
    ['nothing', '', /empty/],
    ['blanks', ' \t ', /empty/],
    ['too much', 'T'.repeat(201), /longer than 200/],
    ['a control character', 'Out\u001b[2Jpatients', /invisible/],
    ['a character that turns text round', 'Outpatients \u202evsc.lmth', /invisible/],
    ['markup', '<b>Outpatients</b>', /markup/],
    ['an entity of markup', 'Outpatients &lt;b&gt;', /markup/],
    ['letters in a wrong encoding', 'SlÃ¡inte', /encoding/],
  ])('refuses %s', (_what, title, reason) => {
    expect(titleFault(title)).toMatch(reason)
  })

  it.each(['OP-Waiting-List-By-Group-Hospital-2021-1.csv', 'Figures — “as published”, 2026 (Sláinte)', '待机名单'])(
    'takes %s',
    (title) => {
      expect(titleFault(title)).toBeNull()
    },
  )
})

function decide(layout: Layout, names: string[], declared?: DatasetKind): string {
  const check = decideKind({ declared, layout, names })
  return check.ok ? check.kind : `refused: ${check.reason}`
}

describe('a file nothing is said about', () => {
  it.each<[string, Layout, string[]]>([
    ['a long outpatient file, by its columns', 'long', ['download.csv']],
    ['a long outpatient file, by its name too', 'long', ['OP-Waiting-List-By-Group-Hospital-2021-1.csv']],
    ['a file by specialty named as the publisher does', 'wide_specialty', ['OpenData_OPNational02_2026.csv']],
    ['a file by specialty with the mark of outpatients', 'wide_specialty', ['ntpf_op_speciality_2026.csv']],
    ['a file by specialty titled so', 'wide_specialty', ['data.csv', 'Outpatients by specialty']],
    ['a file by specialty at an address that tells', 'wide_specialty', ['data.csv', 'https://x/op-waiting-list.csv']],
  ])('counts outpatients: %s', (_what, layout, names) => {
    expect(decide(layout, names)).toBe('outpatient')
  })

  it.each<[string, Layout, string[], RegExp]>([
    ['an inpatient file by specialty', 'wide_specialty', ['OpenData_IPDCNational02_2026.csv'], /--kind inpatient_day/],
    ['an inpatient file by its title', 'wide_specialty', ['d.csv', 'In-patients by specialty'], /--kind inpatient_day/],
    ['a day case file', 'wide_specialty', ['day cases.csv'], /--kind inpatient_day_case/],
    ['an inpatient file by its address', 'wide_specialty', ['d.csv', 'https://x/ipdc-2026.csv'], /inpatient_day_case/],
    ['an endoscopy file', 'long_case_type', ['IPDC-GI-Endoscopy-2020.csv'], /--kind gi_endoscopy/],
    ['a file by specialty that does not tell', 'wide_specialty', ['download.csv'], /same columns, and nothing/],
    ['a file that is open data and no more', 'wide_specialty', ['OpenData.csv', 'https://x/open-data/'], /nothing/],
    ['a file with case types that does not tell', 'long_case_type', ['download.csv'], /case type/],
    ['a file with case types named as outpatients', 'long_case_type', ['OP-2020.csv'], /none of the publisher's outp/],
    ['an inpatient name on outpatient columns', 'long', ['IPDC-2020.csv'], /no column for the case type/],
    ['names that speak of two things', 'wide_specialty', ['OPNational02.csv', 'Inpatients'], /different figures/],
  ])('is refused: %s', (_what, layout, names, reason) => {
    expect(decide(layout, names)).toMatch(/^refused/)
    expect(decide(layout, names)).toMatch(reason)
  })
})

describe('a file whose kind is given', () => {
  it.each(DATASET_KINDS)('counts %s where its columns and names allow it', (kind) => {
    expect(decide('wide_specialty', ['download.csv'], kind)).toBe(kind)
    if (kind !== 'outpatient') expect(decide('long_case_type', ['download.csv'], kind)).toBe(kind)
  })

  it.each<[DatasetKind, Layout, string, RegExp]>([
    ['outpatient', 'wide_specialty', 'OpenData_IPDCNational02.csv', /says inpatient_day_case/],
    ['outpatient', 'long_case_type', 'download.csv', /column for the case type/],
    ['outpatient', 'long_case_type', 'IPDC-GI-Endoscopy-2020.csv', /says gi_endoscopy/],
    ['inpatient_day_case', 'wide_specialty', 'OpenData_OPNational02.csv', /says outpatient/],
    ['inpatient_day_case', 'long_case_type', 'GI-2019.csv', /says gi_endoscopy/],
    ['inpatient_day_case', 'long', 'download.csv', /no column for the case type/],
    ['gi_endoscopy', 'long', 'download.csv', /no column for the case type/],
    ['gi_endoscopy', 'long_case_type', 'IPDC-By-Group-Hospital-2020.csv', /says inpatient_day_case/],
  ])('is refused as %s (%s) under the name %s', (kind, layout, name, reason) => {
    expect(decide(layout, [name], kind)).toMatch(reason)
  })
})
