// Builds invented files in the publisher's layouts, one quirk at a time.
import { expect } from 'vitest'
import type { Dataset, FileRefusal } from '../../../../src/referral/waiting-lists/dataset.ts'
import { readPublishedFile } from '../../../../src/referral/waiting-lists/read-published-file.ts'

export const LONG_HEADER =
  'Archive_Date,Group,Hospital_HIPE,Hospital,Specialty_HIPE1,Speciality,Adult_Child,Age_Profile,Time_Bands,Total'
export const LONG_CASE_TYPE_HEADER =
  'Archive_Date,Hospital_Group,Hospital_HIPE,Hospital_Name,Specialty_HIPE,Specialty_Name,Case_Type,Adult_Child,Age_Profile,Time_Bands,Total'
export const WIDE_HEADER = 'ArchiveDate,Adult_Child,Speciality,0-6 Months,6-12 Months,12-18 Months,18 Months +,Total'

export const LONG_ROW = '24/09/2026,Invented Group,9001,Sample Hospital,0100,Cardiology,Adult,16-64, 0-3 Months,12'
export const WIDE_ROW = '24/09/2026,Adult,Cardiology,10,5,2,1,18'

/** A row of the long layout, with the cells under test replaced. */
export function longRow(cells: {
  date?: string
  group?: string
  hospital?: string
  hospitalCode?: string
  specialty?: string
  specialtyCode?: string
  adultChild?: string
  ageProfile?: string
  band?: string
  total?: string | number
}): string {
  const row = { date: '24/09/2026', group: 'Invented Group', hospital: 'Sample Hospital', ...cells }
  return [
    row.date,
    row.group,
    row.hospitalCode ?? '9001',
    row.hospital,
    row.specialtyCode ?? '0100',
    row.specialty ?? 'Cardiology',
    row.adultChild ?? 'Adult',
    row.ageProfile ?? '16-64',
    row.band ?? ' 0-3 Months',
    row.total ?? 12,
  ].join(',')
}

/** The publisher's own form unless told otherwise: no byte order mark, CRLF, a final line end. */
export function csv(
  lines: readonly string[],
  form: { bom?: boolean; eol?: string; end?: string } = {},
): Uint8Array<ArrayBuffer> {
  const { bom = false, eol = '\r\n' } = form
  const end = form.end ?? eol
  return Uint8Array.from(new TextEncoder().encode(`${bom ? '\u{feff}' : ''}${lines.join(eol)}${end}`))
}

export function accepted(bytes: Uint8Array, archiveDate?: string): Dataset {
  const read = readPublishedFile(bytes, archiveDate)
  if (!read.ok) throw new Error(`refused at line ${read.line}: ${read.reason}`)
  return read.dataset
}

export function refused(bytes: Uint8Array, archiveDate?: string): FileRefusal {
  const read = readPublishedFile(bytes, archiveDate)
  expect(read).toMatchObject({ ok: false })
  if (read.ok) throw new Error('the file was accepted')
  return read
}

/** Asserts that the file is refused at this line (null: at none) for this reason. */
export function expectRefusal(bytes: Uint8Array, line: number | null, reason: RegExp): void {
  const refusal = refused(bytes)
  expect(refusal.reason).toMatch(reason)
  expect(refusal.line).toBe(line)
}

export function namesOf(dataset: Dataset): string[] {
  return dataset.specialties.map(({ name }) => name)
}
