// The figures of the fake deployment: two specialties, of which one has lists for both age groups.
import { CANNOT_ESTABLISH } from '../../../scripts/contract/sentences.ts'

export const FAKE_DATES = { archiveDate: '2026-09-24', publishedOn: '2026-10-09' }

const VERSION = { ...FAKE_DATES, hash: '0'.repeat(64) }
const SOURCE = {
  publisher: 'Countersign',
  title: 'Invented',
  url: null,
  acknowledgement: 'Invented.',
  kind: 'outpatient',
}
const CANNOT = [...CANNOT_ESTABLISH].slice(0, 1)

const SPECIALTIES = [
  { name: 'Cardiology', code: '0100', ageGroups: ['Adult', 'Child'], lists: 2 },
  { name: 'Urology', code: '0200', ageGroups: ['Adult'], lists: 1 },
]

/** Answers a call about the figures; null for any other call. */
export function answerFigures(path: string): Record<string, unknown> | null {
  const { pathname, searchParams } = new URL(path, 'http://fake.test')
  if (pathname === '/v1/specialties') return { datasetVersion: VERSION, specialties: SPECIALTIES }
  const found = SPECIALTIES.find(({ name }) => name === searchParams.get('specialty'))
  if (pathname !== '/v1/waiting-lists' || found === undefined) return null
  const ageGroup = searchParams.get('ageGroup') ?? 'Adult'
  const common = { specialty: found.name, ageGroup, source: SOURCE, cannotEstablish: CANNOT }
  const list = {
    ...common,
    ...FAKE_DATES,
    hospital: 'Alpha',
    hospitalCode: '0001',
    hospitalGroup: null,
    specialtyCode: found.code,
    waiting: [{ band: '0-3 Months', people: 9 }],
    total: 9,
  }
  return { ...common, datasetVersion: VERSION, waitingLists: found.ageGroups.includes(ageGroup) ? [list] : [] }
}
