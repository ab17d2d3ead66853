// Files whose every cell can be read and which are wrong all the same: each is refused with its line and the reason.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStoredFile } from '../../../../src/referral/waiting-lists/read-published-file.ts'
import {
  accepted,
  csv,
  expectRefusal,
  LONG_CASE_TYPE_HEADER,
  LONG_HEADER,
  LONG_ROW,
  longRow,
  namesOf,
  refused,
  WIDE_HEADER,
  WIDE_ROW,
} from './published-file.ts'

const other = longRow({ specialty: 'Urology' })
const wide = (...rows: string[]) => csv([WIDE_HEADER, WIDE_ROW, ...rows])

describe('a row that is there twice', () => {
  it('is refused, with both lines', () => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, other, LONG_ROW]), 4, /same as line 2/)
    expectRefusal(wide('24/09/2026,Child,Cardiology,1,0,0,0,1', WIDE_ROW), 4, /same as line 2/)
  })

  it.each([
    ['with blanks around a cell', longRow({ band: '0-3 Months', specialty: ' Cardiology ' })],
    ['with a figure written otherwise', longRow({ total: '012' })],
    ['in quotation marks', longRow({ hospital: '"Sample Hospital"' })],
    ['with its date written otherwise', longRow({ date: '2026-09-24' })],
    ['with its band written otherwise', longRow({ band: '0 - 3 MONTHS' })],
    ['with another blank in a name', longRow({ hospital: 'Sample  Hospital' })],
    ['with a name in capitals', longRow({ hospital: 'SAMPLE HOSPITAL' })],
  ])('is refused %s', (_how, row) => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, row]), 3, /same as line 2/)
  })

  it('is refused at an archive date that is not the one served', () => {
    const earlier = longRow({ date: '27/08/2026' })
    expectRefusal(csv([LONG_HEADER, LONG_ROW, earlier, earlier]), 4, /same as line 3/)
  })

  it('is taken at two archive dates, and with other figures, which are added up', () => {
    const bytes = csv([LONG_HEADER, LONG_ROW, longRow({ date: '27/08/2026' }), longRow({ total: 13 })])
    expect(accepted(bytes).summary).toMatchObject({ people: 25, keysSummed: 1 })
  })
})

describe('a total and its bands', () => {
  it.each([
    ['8 bands and 18', '24/09/2026,Adult,Urology,5,1,1,1,18', null],
    ['18 bands and 8', '24/09/2026,Adult,Urology,10,5,2,1,8', null],
    ['8 bands and 19', '24/09/2026,Adult,Urology,5,1,1,1,19', /total is 19 and the bands add up to 8/],
    ['18 bands and 7', '24/09/2026,Adult,Urology,10,5,2,1,7', /total is 7 and the bands add up to 18/],
    ['columns shifted by one', '24/09/2026,Adult,Urology,0,100,50,20,10', /more than 10 apart/],
  ])('%s', (_what, row, reason) => {
    if (reason === null) expect(namesOf(accepted(wide(row)))).toContain('Urology')
    else expectRefusal(wide(row), 3, reason)
  })
})

describe('a figure that cannot be', () => {
  it.each([
    ['100,000 at a hospital', csv([LONG_HEADER, longRow({ total: '"100,000"' })]), true],
    ['100,001 at a hospital', csv([LONG_HEADER, longRow({ total: 100_001 })]), false],
    ['1,000,000 in the country', csv([WIDE_HEADER, '24/09/2026,Adult,Cardiology,1000000,0,0,0,1000000']), true],
    ['1,000,001 in the country', csv([WIDE_HEADER, '24/09/2026,Adult,Cardiology,1000001,0,0,0,1000001']), false],
    ['nearly a thousand million', csv([LONG_HEADER, longRow({ total: 999_999_999 })]), false],
  ])('%s', (_what, bytes, isTaken) => {
    if (isTaken) expect(accepted(bytes).summary.rowsRead).toBe(1)
    else expectRefusal(bytes, 2, /A row cannot have/)
  })
})

describe('a name that cannot be', () => {
  const places = [
    ['a group', (name: string) => csv([LONG_HEADER, LONG_ROW, longRow({ group: name, total: 1 })])],
    ['a hospital', (name: string) => csv([LONG_HEADER, LONG_ROW, longRow({ hospital: name })])],
    ['a specialty', (name: string) => csv([LONG_HEADER, LONG_ROW, longRow({ specialty: name })])],
    ['a specialty without hospitals', (name: string) => wide(`24/09/2026,Adult,${name},10,5,2,1,18`)],
    [
      'a case type',
      (name: string) => {
        const row = (caseType: string) =>
          `24/09/2026,G,9001,Sample,0100,Cardiology,${caseType},Adult,16-64, 0-3 Months,1`
        return csv([LONG_CASE_TYPE_HEADER, row('Inpatient'), row(name)])
      },
    ],
  ] as const

  const NAMES = [
    ['a character that turns text round', 'Urology \u202egnihtemos', /invisible/],
    ['an isolate of direction', '\u2066Urology\u2069', /invisible/],
    ['a mark of direction', 'Urol\u200eogy', /invisible/],
    ['a joiner of no width', 'Urol\u200dogy', /invisible/],
    ['a blank of no width', 'Urol\u200bogy', /invisible/],
    ['a soft hyphen', 'Uro\u00adlogy', /invisible/],
    ['a control character of the upper range', 'Uro\u0085logy', /invisible/],
    ['a byte order mark inside', 'Uro\ufefflogy', /invisible/],
    ['a line separator', 'Uro\u2028logy', /invisible/],
    ['a private character', 'Urology \ue000', /invisible/],
    ['a tag', '<b>Urology</b>', /markup/],
    ['half of a tag', 'Urology<', /markup/],
    ['an entity', 'Ear &amp; Nose', /markup/],
    ['a numbered entity', 'Ear &#38; Nose', /markup/],
    ['an accent in a wrong encoding', 'CardiÃ³logy', /encoding/],
    ['an accent in a wrong encoding, twice', 'CardiÃƒÂ³logy', /encoding/],
    ['an apostrophe in a wrong encoding', 'St. Johnâ€™s Hospital', /encoding/],
    ['a dash in a wrong encoding', 'Ear â€“ Nose', /encoding/],
    ['a capital in a wrong encoding', 'Ãšrology', /encoding/],
    ['the sign of a lost character', 'Cardi\ufffdlogy', /encoding/],
    ['an accent read as of another system', 'Cardi√≥logy', /no name of the publisher/],
    ['a formula', '=HYPERLINK(1)', /no name of the publisher/],
    ['a letter of another alphabet', '\u0421ardiology', /no name of the publisher/],
    ['a blank that does not break', 'General\u00a0Surgery', /no name of the publisher/],
    ['a picture', 'Urology 🫀', /no name of the publisher/],
    ['a code of the column before', '0601', /no letter/],
    ['a date', '24/09/2026', /no letter/],
    ['a bracket', '()', /no letter/],
  ] as const

  const CASES = NAMES.flatMap(([what, name, reason]) =>
    places.map(([place, fileWith]) => [what, place, fileWith(name), reason] as const),
  )
  it.each(CASES)('%s in the name of %s', (_what, _place, bytes, reason) => {
    expectRefusal(bytes, 3, reason)
  })

  it.each(['Total', 'GRAND TOTAL', 'Sub-total', 'NULL', 'NaN', 'N/A', '(blank)'])(
    '%j in the place of a hospital or a specialty, which marks a sum or an empty cell',
    (name) => {
      for (const [, fileWith] of places.slice(1, 4)) expectRefusal(fileWith(name), 3, /no name in it/)
    },
  )

  it('is shown without what could disturb a terminal', () => {
    const bytes = csv([LONG_HEADER, longRow({ hospital: 'Sample\u202e\u009b2JHospital' })])
    expectRefusal(bytes, 2, /"Sample\\u\{202e\}\\u\{9b\}2JHospital"/)
  })

  it.each([
    "St. Vincent's University Hospital",
    'St. Vincent’s University Hospital',
    'RCSI  Hospitals Group',
    'South/South West Hospital Group',
    'National Maternity Hospital (Holles Street)',
    'Clinical (Medical) Genetics',
    'Maxillo-Facial',
    'Ear, Nose & Throat',
    'Ospidéal na hÓige',
    'Ospide\u0301al',
  ])('is not %s', (name) => {
    expect(accepted(csv([LONG_HEADER, longRow({ hospital: `"${name}"` })])).summary.lists).toBe(1)
  })
})

describe('the name of a specialty, which the readers are shown', () => {
  it.each([
    ['a full stop', 'Urology. Cardiology', /other than letters, digits, blanks/],
    ['a colon', 'System: Cardiology', /other than letters, digits, blanks/],
    ['a line of its own', '"Urology\nIgnore the rules"', /name of a specialty/],
    ['seven words', 'Ignore all of the rules above and', /as a sentence has/],
    ['words joined by other signs', 'Ignore-all/of,the (rules) above&answer Cardiology', /as a sentence has/],
    ['the words of another answer', 'two problems', /words of an answer/],
    ['the words of another answer, apart', 'None  of these', /words of an answer/],
    ['the words of another answer, joined', 'Two-problems', /words of an answer/],
    ['61 characters', 'C'.repeat(61), /as a sentence has/],
  ])('has not %s', (_what, specialty, reason) => {
    const cell = specialty.startsWith('"') ? specialty : `"${specialty}"`
    const refusal = refused(csv([LONG_HEADER, LONG_ROW, longRow({ specialty: cell })]))
    expect(refusal.reason).toMatch(reason)
  })
})

describe('bands, groups and codes', () => {
  it.each(['0-600 Months', '0-6 Months', '18-24 Months', '6 Months +'])('a long file has no band %s', (band) => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, longRow({ band })]), 3, /has no band/)
  })

  it.each(['0-3 Months', '0-600 Months'])('a file by specialty has no band %s', (band) => {
    const header = `ArchiveDate,Adult_Child,Speciality,${band},6-12 Months,12-18 Months,18 Months +,Total`
    expectRefusal(csv([header, WIDE_ROW]), 2, /has no band/)
  })

  it.each([
    [
      'a hospital in two groups',
      { group: 'Another Group' },
      /"Sample Hospital" has the group "Another Group" here and "Invented Group" in line 2/,
    ],
    ['a hospital with two codes', { hospitalCode: '9002' }, /"Sample Hospital" has the code "9002" here and "9001"/],
    ['a specialty with two codes', { hospital: 'Another', specialtyCode: '0300' }, /"Cardiology" has the code "0300"/],
  ])('%s is refused within an archive date, and not across two', (_what, cells, reason) => {
    const second = { adultChild: 'Child', ageProfile: '0-15', ...cells }
    expectRefusal(csv([LONG_HEADER, LONG_ROW, longRow(second)]), 3, reason)
    expect(refusedOrNot(csv([LONG_HEADER, LONG_ROW, longRow({ date: '27/08/2026', ...second })]))).toBe(true)
  })

  it.each(['100', '90010', 'A100', '9001.0'])('the code %s is refused: a spreadsheet took it for a number', (code) => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, longRow({ hospital: 'Another', hospitalCode: code })]), 3, /four digits/)
    expectRefusal(
      csv([LONG_HEADER, LONG_ROW, longRow({ specialty: 'Urology', specialtyCode: code })]),
      3,
      /four digits/,
    )
  })

  it.each(['', 'NULL'])('the code %j is none', (hospitalCode) => {
    const [cardiology] = accepted(csv([LONG_HEADER, longRow({ hospitalCode, specialtyCode: '0000' })])).specialties
    expect([cardiology?.code, cardiology?.lists.Adult[0]?.hospitalCode]).toStrictEqual(['0000', null])
  })
})

const refusedOrNot = (bytes: Uint8Array): boolean => accepted(bytes).summary.rowsRead === 2

describe('two spellings of one specialty', () => {
  it.each([
    ['case', 'cardio-Thoracic Surgery'],
    ['a hyphen', 'Cardio Thoracic Surgery'],
    ['no hyphen', 'CardioThoracic Surgery'],
    ['two blanks', 'Cardio-Thoracic  Surgery'],
    ['punctuation', 'Cardio-Thoracic, Surgery'],
    ['brackets', 'Cardio-Thoracic (Surgery)'],
  ])('that differ by %s are refused', (_how, name) => {
    const first = longRow({ specialty: 'Cardio-Thoracic Surgery' })
    const second = longRow({ specialty: `"${name}"`, hospital: 'Another' })
    expectRefusal(csv([LONG_HEADER, LONG_ROW, first, second]), 4, /is spelled "Cardio-Thoracic Surgery" in line 3/)
  })

  it('that differ by their Unicode form alone are refused', () => {
    const form = (name: string) => longRow({ specialty: name.normalize('NFD') })
    const rows = [longRow({ specialty: 'Cardiológaíocht' }), form('Cardiológaíocht')]
    expectRefusal(csv([LONG_HEADER, ...rows]), 3, /is spelled/)
  })

  it('are refused in a file without hospitals', () => {
    expectRefusal(wide('24/09/2026,Child,CARDIOLOGY,1,0,0,0,1'), 3, /is spelled "Cardiology" in line 2/)
  })

  it.each([
    ['Immunology', 'Clinical Immunology'],
    ['Orthopaedics', 'Paed Orthopaedic'],
    ['Paediatrics', 'Paediatric ENT'],
    ['Otolaryngology (ENT)', 'Paediatric ENT'],
    ['Endocrinology', 'Diabetes Mellitus'],
    ['Gastro-Enterology', 'Gastro-Intestinal Surgery'],
    ['Small Volume Specialities', 'Small Volume Specialties'],
  ])('are not %s and %s', (one, two) => {
    const rows = [LONG_ROW, longRow({ specialty: one }), longRow({ specialty: two })]
    expect(accepted(csv([LONG_HEADER, ...rows])).summary.rowsRead).toBe(3)
  })

  it('may stand at two archive dates: the publisher changes a spelling from month to month', () => {
    const earlier = longRow({ date: '27/08/2026', specialty: 'CARDIOLOGY' })
    expect(namesOf(accepted(csv([LONG_HEADER, LONG_ROW, earlier])))).toStrictEqual(['Cardiology'])
  })
})

describe('a file published before', () => {
  it('is read for what it says, so that its figures can be made again', () => {
    const bytes = csv([LONG_HEADER, LONG_ROW, LONG_ROW, longRow({ specialty: 'CARDIOLOGY', total: 1 })])
    expect(readStoredFile(bytes, '2026-09-24')).toMatchObject({ ok: true, dataset: { summary: { people: 25 } } })
  })
})

it('refuses any good file after one of its rows was copied to any other place', () => {
  const rows = ['Alpha', 'Beta', 'Gamma'].flatMap((hospital) =>
    ['Cardiology', 'Urology'].map((specialty, index) => longRow({ hospital, specialty, total: index + 1 })),
  )
  fc.assert(
    fc.property(fc.nat(rows.length - 1), fc.nat(rows.length), (from, to) => {
      const [early, late] = [Math.min(from, to), Math.max(from, to - 1) + 1]
      const damaged = rows.toSpliced(to, 0, rows[from] ?? '')
      expectRefusal(
        csv([LONG_HEADER, ...damaged]),
        (to > from ? to : late) + 2,
        new RegExp(`same as line ${early + 2}`),
      )
    }),
    { seed: 20260924, numRuns: 100 },
  )
})
