import { describe, expect, it } from 'vitest'
import { MAX_FILE_BYTES } from '../../../../src/referral/waiting-lists/csv-records.ts'
import { csv, expectRefusal, LONG_HEADER, LONG_ROW, longRow, refused, WIDE_HEADER, WIDE_ROW } from './published-file.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('what is not a CSV file is refused', () => {
  it.each([
    ['an empty file', new Uint8Array(), /empty/],
    ['a byte order mark alone', Uint8Array.of(0xef, 0xbb, 0xbf), /empty/],
    ['blank lines alone', bytesOf('\r\n\r\n'), /empty/],
    ['a zipped spreadsheet', bytesOf('PK\u0003\u0004xl/workbook.xml\n'), /spreadsheet/],
    ['an old spreadsheet', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), /spreadsheet/],
    ['a PDF', bytesOf('%PDF-1.7\n'), /PDF/],
    ['a web page', bytesOf('<!doctype html>\n<title>Not found</title>\n'), /web page/],
    ['JSON', bytesOf('{"error": "not found"}\n'), /JSON/],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x41, 0x00), /UTF-16/],
    ['binary data', Uint8Array.of(0x41, 0x00, 0x42, 0x0a), /binary/],
  ])('%s', (_name, bytes, reason) => {
    expectRefusal(bytes, 1, reason)
  })

  it('bytes that are not UTF-8, with the line', () => {
    const latin1 = Uint8Array.from(longRow({ hospital: 'Hospit\u00e9l' }), (character) => character.charCodeAt(0))
    const bytes = Uint8Array.from([...csv([LONG_HEADER, LONG_ROW]), ...latin1, 13, 10])
    expectRefusal(bytes, 3, /UTF-8/)
  })

  it('quotation marks that do not pair up, with the line', () => {
    const bytes = csv([LONG_HEADER, LONG_ROW, longRow({ hospital: 'The "Sample" Hospital' })])
    expectRefusal(bytes, 3, /quotation marks/)
  })

  it('a quotation mark that is never closed', () => {
    expect(refused(csv([LONG_HEADER, longRow({ hospital: '"Sample' }), LONG_ROW])).reason).toContain('quotation marks')
  })

  it('a file larger than any of the publisher', () => {
    expectRefusal(new Uint8Array(MAX_FILE_BYTES + 1), null, /larger/)
  })
})

describe('a truncated file is refused', () => {
  it.each([
    ['within a figure', LONG_ROW.slice(0, -1)],
    ['within a row', LONG_ROW.slice(0, 40)],
  ])('cut off %s', (_where, lastLine) => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, lastLine], { end: '' }), 3, /cut off/)
  })

  it('a row with too few cells', () => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, '24/09/2026,Invented Group']), 3, /2 cells where 10 are expected/)
  })

  it('a row with too many cells', () => {
    expect(refused(csv([LONG_HEADER, `${LONG_ROW},1`]))).toMatchObject({ line: 2 })
  })

  it('a header without rows', () => {
    expect(refused(csv([LONG_HEADER])).reason).toContain('no rows')
  })
})

describe('a layout that cannot answer is refused', () => {
  it('the wide file by hospital, for it lists no specialty', () => {
    const header = 'ArchiveDate,Adult_Child,HospitalName,0-6 Months,6-12 Months,12-18 Months,18 Months +,Total'
    expectRefusal(csv([header, WIDE_ROW]), 1, /no specialty/)
  })

  it('the wide file by hospital and case type', () => {
    const header =
      'ArchiveDate,Hospital_Name,Case_Type,Adult_Child,0-6 Months,6-12 Months,12-18 Months,18 Months +,Total'
    expect(refused(csv([header])).reason).toContain('no specialty')
  })

  it('a derivative without the hospital columns', () => {
    const header = 'Archive_Date,Specialty_HIPE,Specialty_Name,Case_Type,Adult_Child,Age_Profile,Time_Bands,Total'
    expect(refused(csv([header])).reason).toContain('re-published copy')
  })

  it.each([
    ['an unknown column', `${LONG_HEADER},Comment`, /"Comment" is not one/],
    ['a column twice', LONG_HEADER.replace('Group', 'Hospital_Name'), /occurs twice/],
    ['a band twice', WIDE_HEADER.replace('6-12 Months', '0 - 6 Months'), /occurs twice/],
    ['a missing column', LONG_HEADER.replace(',Age_Profile', ''), /missing \(ageProfile\)/],
    ['a wide file without its total', WIDE_HEADER.replace(',Total', ''), /missing \(total\)/],
    ['bands beside columns of the long layout', WIDE_HEADER.replace('Speciality', 'Speciality,Group'), /mixes columns/],
    ['semicolons', LONG_HEADER.replaceAll(',', ';'), /only one column/],
    ['no header and an unknown number of columns', `${LONG_ROW},extra`, /11 columns/],
    ['a name that every object has', LONG_HEADER.replace('Group', 'constructor'), /"constructor" is not one/],
  ])('%s', (_name, header, reason) => {
    expectRefusal(csv([header, LONG_ROW]), 1, reason)
  })
})

describe('a cell that is not as published refuses the file, with its line', () => {
  it.each([
    ['a date with dashes, day first', { date: '30-09-2026' }, /dashes/],
    ['a day the calendar does not have', { date: '31/09/2026' }, /calendar/],
    ['a month first', { date: '09/24/2026' }, /calendar/],
    ['a date of a spreadsheet', { date: '24/9/26' }, /archive date/],
    ['no date', { date: '' }, /an empty cell/],
    ['an age group in lower case', { adultChild: 'adult' }, /"Adult" or "Child"/],
    ['an age group unheard of', { adultChild: 'Paediatric' }, /"Adult" or "Child"/],
    ['an age profile that a spreadsheet took for a date', { ageProfile: 'Jan-15' }, /age profile/],
    ['a band that a spreadsheet took for a date', { band: '03-Jun' }, /time band/],
    ['a band that runs backwards', { band: '6-3 Months' }, /time band/],
    ['no specialty', { specialty: ' ' }, /name of a specialty/],
    ['no hospital', { hospital: '' }, /name of a hospital/],
    ['no group', { group: '' }, /hospital group/],
    ['a control character in a name', { hospital: 'Sample\u001bHospital' }, /name of a hospital/],
    ['a name without end', { specialty: 'C'.repeat(121) }, /name of a specialty/],
    ['an empty figure', { total: '' }, /number of people, found an empty cell/],
    ['a negative figure', { total: '-1' }, /number of people/],
    ['a decimal', { total: '1.5' }, /number of people/],
    ['a word', { total: 'twelve' }, /number of people/],
    ['a number in another script', { total: '\u0661\u0662' }, /number of people/],
    ['a power', { total: '1e3' }, /number of people/],
    ['thousands in the wrong place', { total: '"1,35"' }, /number of people/],
    ['more people than there are', { total: '9999999999' }, /number of people/],
  ])('%s', (_name, cells, reason) => {
    expectRefusal(csv([LONG_HEADER, LONG_ROW, longRow(cells), LONG_ROW]), 3, reason)
  })

  it.each([
    ['a blank band', '24/09/2026,Adult,Cardiology,10,,2,1,18'],
    ['a blank total', '24/09/2026,Adult,Cardiology,10,5,2,1,'],
  ])('%s in a wide file, which a hand-edited copy has', (_name, row) => {
    expectRefusal(csv([WIDE_HEADER, WIDE_ROW, row]), 3, /an empty cell/)
  })

  it('a bad row of a date that is not the one served', () => {
    const bytes = csv([LONG_HEADER, longRow({ date: '27/08/2026', total: '?' }), LONG_ROW])
    expect(refused(bytes)).toMatchObject({ line: 2 })
  })

  it('a name over two lines, with the line it ends on', () => {
    expectRefusal(csv([LONG_HEADER, longRow({ hospital: '"Sample\nHospital"' })]), 3, /name of a hospital/)
  })

  it('names the first bad row when there are several', () => {
    expect(refused(csv([LONG_HEADER, LONG_ROW, longRow({ total: 'x' }), longRow({ date: 'y' })]))).toMatchObject({
      line: 3,
    })
  })

  it('shows a long cell shortened and with its control characters escaped', () => {
    const { reason } = refused(csv([LONG_HEADER, longRow({ total: `\u001b[2J${'9'.repeat(500)}` })]))
    expect(reason.length).toBeLessThan(200)
    expect(reason).not.toContain('\u001b')
  })
})

describe('the archive date asked for', () => {
  it('is refused when the file does not have it, with the dates it has', () => {
    const { line, reason } = refused(csv([LONG_HEADER, LONG_ROW]), '2026-08-27')
    expect(line).toBeNull()
    expect(reason).toContain('2026-09-24')
  })

  it('is refused when it has nothing but a bucket', () => {
    const bytes = csv([LONG_HEADER, longRow({ specialty: 'Small Volume Specialities' })])
    expect(refused(bytes).reason).toContain('no specialty')
  })
})
