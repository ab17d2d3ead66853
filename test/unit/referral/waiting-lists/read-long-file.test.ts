import { describe, expect, it } from 'vitest'
import { accepted, csv, LONG_CASE_TYPE_HEADER, LONG_HEADER, LONG_ROW, longRow, namesOf } from './published-file.ts'

const caseTypeRow = (caseType: string, people: number): string =>
  `24/09/2026,G,9001,Sample Hospital,0100,Cardiology,${caseType},Adult,16-64,  0-3 Months,${people}`

describe('headers of the long layout', () => {
  it.each([
    ['outpatients 2020 and 2021', LONG_HEADER, LONG_ROW, 'long'],
    [
      'outpatients 2017',
      'Archive Date,Group,Hospital HIPE,Hospital,Specialty HIPE,Speciality,Adult/Child,Age Profile,Time Bands,Total',
      LONG_ROW,
      'long',
    ],
    [
      'outpatients 2014 to 2016',
      'Archive Date,Group,Hospital HIPE,Hospital,Specialty HIPE,Specialty,Adult/Child,Age Categorisation,Time Bands,Count',
      LONG_ROW,
      'long',
    ],
    ['inpatients 2019 to 2021', LONG_CASE_TYPE_HEADER, caseTypeRow('Day Case', 12), 'long_case_type'],
    [
      'endoscopy 2014',
      'Archive Date,Group,Hospital HIPE,Hospital,Specialty HIPE,Specialty,Case Type,Adult/Child,Age Categorisation,Time Bands,Count',
      caseTypeRow('Day Case', 12),
      'long_case_type',
    ],
  ])('reads the header of %s', (_era, header, row, layout) => {
    const dataset = accepted(csv([header, row]))
    expect(dataset.layout).toBe(layout)
    expect(dataset.hasHospitals).toBe(true)
    expect(dataset.specialties[0]?.lists.Adult[0]).toMatchObject({ hospital: 'Sample Hospital', total: 12 })
  })

  it('reads a file without a header row, as in 2018, and keeps its first row', () => {
    const dataset = accepted(csv([LONG_ROW, longRow({ hospital: 'Other Sample Hospital' })]))
    expect(dataset.summary).toMatchObject({ rowsRead: 2, lists: 2 })
  })
})

describe('encoding and line ends', () => {
  it.each([
    ['a byte order mark', { bom: true }],
    ['no byte order mark', { bom: false }],
    ['CRLF', { eol: '\r\n' }],
    ['LF', { eol: '\n' }],
    ['CR', { eol: '\r' }],
    ['an empty line at the end', { end: '\r\n\r\n' }],
    ['a blank one-field line at the end', { end: '\r\n \r\n' }],
  ])('reads a file with %s', (_form, form) => {
    const dataset = accepted(csv([LONG_HEADER, LONG_ROW], form))
    expect(dataset.summary).toMatchObject({ rowsRead: 1, lists: 1, people: 12 })
  })

  it('reads a quoted name with a comma, and keeps blanks, full stops and apostrophes as published', () => {
    const dataset = accepted(
      csv([LONG_HEADER, longRow({ group: 'RCSI  Hospitals Group', hospital: `"St. Sample's Hospital, Mockford"` })]),
    )
    expect(dataset.specialties[0]?.lists.Adult[0]).toMatchObject({
      hospital: "St. Sample's Hospital, Mockford",
      hospitalGroup: 'RCSI  Hospitals Group',
    })
  })
})

describe('bands', () => {
  it('drops the leading blanks, orders by time waited and leaves out the bands without a row', () => {
    const dataset = accepted(
      csv([
        LONG_HEADER,
        longRow({ band: '18 Months +', total: 1 }),
        longRow({ band: ' 9-12 Months', total: 2 }),
        longRow({ band: '12-15 Months', total: 3 }),
        longRow({ band: '  0-3 Months', total: 4 }),
      ]),
    )
    expect(dataset.specialties[0]?.lists.Adult[0]).toStrictEqual({
      hospital: 'Sample Hospital',
      hospitalCode: '9001',
      hospitalGroup: 'Invented Group',
      waiting: [
        { band: '0-3 Months', people: 4 },
        { band: '9-12 Months', people: 2 },
        { band: '12-15 Months', people: 3 },
        { band: '18 Months +', people: 1 },
      ],
      total: 10,
    })
  })

  it('keeps the spelling "18+ Months" of the inpatient files', () => {
    const dataset = accepted(csv([LONG_HEADER, longRow({ band: '18+ Months' })]))
    expect(dataset.specialties[0]?.lists.Adult[0]?.waiting).toStrictEqual([{ band: '18+ Months', people: 12 }])
  })

  it('adds up the age profiles of one age group, whatever the ages in it', () => {
    const dataset = accepted(
      csv([
        LONG_HEADER,
        longRow({ adultChild: 'Child', ageProfile: '0-15', total: 5 }),
        longRow({ adultChild: 'Child', ageProfile: '65+', total: 2 }),
        longRow({ adultChild: 'Adult', ageProfile: '0-15', total: 1 }),
      ]),
    )
    expect(dataset.specialties[0]?.lists.Child[0]?.total).toBe(7)
    expect(dataset.specialties[0]?.lists.Adult[0]?.total).toBe(1)
    expect(dataset.summary.keysSummed).toBe(0)
  })

  it('adds up the case types', () => {
    const dataset = accepted(csv([LONG_CASE_TYPE_HEADER, caseTypeRow('Inpatient', 3), caseTypeRow('Day Case', 4)]))
    expect(dataset.specialties[0]?.lists.Adult[0]?.waiting).toStrictEqual([{ band: '0-3 Months', people: 7 }])
    expect(dataset.summary.keysSummed).toBe(0)
  })
})

describe('lists', () => {
  it('keeps the order of the file for specialties and for lists', () => {
    const dataset = accepted(
      csv([
        LONG_HEADER,
        longRow({ specialty: 'Urology', hospital: 'Zeta' }),
        longRow({ specialty: 'Cardiology', hospital: 'Zeta' }),
        longRow({ specialty: 'Urology', hospital: 'Alpha' }),
      ]),
    )
    expect(namesOf(dataset)).toStrictEqual(['Urology', 'Cardiology'])
    expect(dataset.specialties[0]?.lists.Adult.map(({ hospital }) => hospital)).toStrictEqual(['Zeta', 'Alpha'])
  })

  it('adds up rows with equal keys and counts the keys', () => {
    const rows = [LONG_ROW, longRow({ total: 13 }), longRow({ total: 14 }), longRow({ band: ' 3-6 Months' })]
    const dataset = accepted(csv([LONG_HEADER, ...rows]))
    expect(dataset.specialties[0]?.lists.Adult[0]?.total).toBe(12 + 13 + 14 + 12)
    expect(dataset.summary.keysSummed).toBe(1)
  })

  it('does not join on HIPE codes, which mean several things at once', () => {
    const dataset = accepted(csv([LONG_HEADER, longRow({ hospital: 'Alpha' }), longRow({ hospital: 'Beta' })]))
    expect(dataset.summary).toMatchObject({ lists: 2, hospitals: 2, keysSummed: 0 })
  })

  it.each(['Small Volume Specialities', 'Small Volume Specialties', 'Other'])(
    'leaves out the bucket %s and counts what was in it',
    (bucket) => {
      const dataset = accepted(
        csv([
          LONG_HEADER,
          LONG_ROW,
          longRow({ specialty: bucket, total: 3 }),
          longRow({ specialty: bucket, total: 4, adultChild: 'Child' }),
        ]),
      )
      expect(namesOf(dataset)).toStrictEqual(['Cardiology'])
      expect(dataset.summary).toMatchObject({
        lists: 1,
        people: 12,
        bucketsLeftOut: [{ name: bucket, lists: 2, people: 7 }],
      })
    },
  )
})

describe('archive dates', () => {
  const bytes = csv([
    LONG_HEADER,
    longRow({ date: '24/09/2026', specialty: 'Cardiology', total: 1 }),
    longRow({ date: '27/08/2026', specialty: 'Urology', total: 2 }),
    longRow({ date: '27/08/2026', specialty: 'Neurology', total: 3 }),
  ])

  it('takes the latest date, by the calendar and not by the order of rows', () => {
    const dataset = accepted(bytes)
    expect(dataset.archiveDate).toBe('2026-09-24')
    expect(namesOf(dataset)).toStrictEqual(['Cardiology'])
    expect(dataset.summary).toMatchObject({
      rowsRead: 3,
      archiveDates: [
        { archiveDate: '2026-08-27', rows: 2 },
        { archiveDate: '2026-09-24', rows: 1 },
      ],
    })
  })

  it('takes the date that is named, and never mixes dates', () => {
    const dataset = accepted(bytes, '2026-08-27')
    expect(dataset.archiveDate).toBe('2026-08-27')
    expect(dataset.summary).toMatchObject({ lists: 2, people: 5 })
  })

  it('reads the YYYY-MM-DD of the older files', () => {
    expect(accepted(csv([LONG_HEADER, longRow({ date: '2014-01-30' })])).archiveDate).toBe('2014-01-30')
  })
})
