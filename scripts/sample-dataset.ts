// npm run data:sample: makes data/sample/invented-outpatients.csv, the invented waiting lists that a fresh clone serves. It has
// the publisher's long layout, with byte order mark and leading blanks. Every run makes the same file. Also publishes the file to
// storage that serves no figures yet.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SAMPLE_SHA256, sourceOf } from '../src/referral/waiting-lists/publication.policy.ts'
import { publishDataset } from '../src/referral/waiting-lists/publish-dataset.ts'
import type { WaitingListStore } from '../src/referral/waiting-lists/waiting-lists.store.ts'
import { seededRandom } from './seeded-random.ts'
import { runCommand } from './command-line.ts'

const HELP = `Usage: npm run data:sample

Writes the invented waiting lists again, to data/sample/invented-outpatients.csv.

Example:
  npm run data:sample

Exit codes: 0 done, 2 wrong command line.`

const HEADER =
  'Archive_Date,Group,Hospital_HIPE,Hospital,Specialty_HIPE1,Speciality,Adult_Child,Age_Profile,Time_Bands,Total'
const BANDS = [
  ' 0-3 Months',
  ' 3-6 Months',
  ' 6-9 Months',
  ' 9-12 Months',
  '12-15 Months',
  '15-18 Months',
  '18 Months +',
]

// Two last Thursdays of a month. The earlier one has fewer lists, so that a mix-up of dates would show.
const ARCHIVE_DATES = [
  { label: '27/08/2026', shareOfLists: 0.25 },
  { label: '24/09/2026', shareOfLists: 1 },
]

interface Hospital {
  group: string
  code: string
  name: string
  ages: 'adult' | 'child' | 'both'
}

const NORTH = 'Invented North Hospital Group'
const SOUTH = 'Invented South Hospital Group'
const MIDDLE = 'Invented  Middle Hospital Group'
const CHILDREN = "Invented Children's Hospital Group"

const HOSPITALS: readonly Hospital[] = [
  { group: CHILDREN, code: '9001', name: "Invented Children's Hospital, Samplebridge", ages: 'child' },
  { group: NORTH, code: '9002', name: 'Invented General Hospital, Samplebridge', ages: 'adult' },
  { group: NORTH, code: '9003', name: "St. Placeholder's Hospital", ages: 'both' },
  { group: NORTH, code: '9004', name: 'Exampletown University Hospital', ages: 'both' },
  { group: NORTH, code: '9005', name: 'Dummy District Hospital, Mockford', ages: 'adult' },
  { group: SOUTH, code: '9006', name: 'Fictional Regional Hospital', ages: 'both' },
  { group: SOUTH, code: '9007', name: 'Madeup County Hospital', ages: 'adult' },
  { group: SOUTH, code: '9008', name: 'Specimen City Hospital', ages: 'adult' },
  { group: SOUTH, code: '9009', name: 'Pretend Bay Hospital', ages: 'both' },
  { group: MIDDLE, code: '9010', name: 'Imaginary Midtown Hospital', ages: 'both' },
  { group: MIDDLE, code: '9011', name: 'Nowhere Valley Hospital', ages: 'adult' },
  { group: MIDDLE, code: '9012', name: 'Testfield Hospital', ages: 'adult' },
  { group: MIDDLE, code: '9013', name: 'Mockingham Memorial Hospital', ages: 'both' },
  { group: MIDDLE, code: '9014', name: 'Invented University Hospital, Sampleport', ages: 'adult' },
]

type SpecialtyAges = 'adult' | 'child' | 'both'

/** The publisher's spellings and codes, with the number of hospitals that run each in the sample. */
const SPECIALTIES: readonly [code: string, name: string, ages: SpecialtyAges, hospitals: number][] = [
  ['0601', 'Paediatric ENT', 'child', 1],
  ['1302', 'Paediatric Neurology', 'child', 1],
  ['1700', 'Ophthalmology', 'both', 3],
  ['1802', 'Paed Orthopaedic', 'child', 1],
  ['1900', 'Paediatrics', 'child', 3],
  ['1902', 'Paed Cardiology', 'child', 1],
  ['1905', 'Paed Endocrinology', 'child', 1],
  ['1906', 'Paed Gastro-Enterol', 'child', 1],
  ['1912', 'Paediatric Respiratory Medicine', 'child', 1],
  ['1915', 'Paediatric Dermatology', 'child', 1],
  ['1916', 'Developmental Paediatrics', 'child', 1],
  ['7200', 'Paediatric Surgery', 'child', 1],
  ['7803', 'Paediatric Urology', 'child', 1],
  ['2102', 'Child/Adolescent Psychiatry', 'child', 1],
  ['7000', 'Dental Surgery', 'child', 1],
  ['0000', 'Small Volume Specialities', 'both', 3],
  ['0100', 'Cardiology', 'both', 4],
  ['0300', 'Dermatology', 'both', 4],
  ['0400', 'Endocrinology', 'adult', 3],
  ['0402', 'Diabetes Mellitus', 'adult', 2],
  ['0600', 'Otolaryngology (ENT)', 'both', 4],
  ['0700', 'Gastro-Enterology', 'adult', 3],
  ['0900', 'Geriatric Medicine', 'adult', 2],
  ['1100', 'Haematology', 'adult', 2],
  ['1300', 'Neurology', 'adult', 3],
  ['1400', 'Neurosurgery', 'adult', 1],
  ['1502', 'Obstetrics', 'adult', 1],
  ['1503', 'Gynaecology', 'adult', 4],
  ['1600', 'Oncology', 'adult', 1],
  ['1800', 'Orthopaedics', 'both', 4],
  ['2000', 'Plastic Surgery', 'both', 2],
  ['2003', 'Maxillo-Facial', 'both', 2],
  ['2100', 'Psychiatry', 'adult', 1],
  ['2300', 'Nephrology', 'adult', 2],
  ['2400', 'Respiratory Medicine', 'adult', 3],
  ['2500', 'Rheumatology', 'both', 2],
  ['2600', 'General Surgery', 'both', 5],
  ['2604', 'Vascular Surgery', 'adult', 2],
  ['2605', 'Breast Surgery', 'adult', 2],
  ['2700', 'Infectious Diseases', 'adult', 1],
  ['5000', 'General Medicine', 'adult', 4],
  ['6700', 'Clinical (Medical) Genetics', 'both', 1],
  ['7001', 'Oral Surgery', 'adult', 1],
  ['7500', 'Radiotherapy', 'adult', 1],
  ['7600', 'Cardio-Thoracic Surgery', 'adult', 1],
  ['7800', 'Urology', 'adult', 3],
  ['7900', 'Clinical Immunology', 'adult', 1],
  ['8003', 'Pain Relief', 'adult', 2],
]

const BUCKET = 'Small Volume Specialities'

/** The names that /v1/specialties has for the sample. */
export const SAMPLE_SPECIALTIES: ReadonlySet<string> = new Set(
  SPECIALTIES.flatMap(([, name]) => (name === BUCKET ? [] : [name])),
)

/** Returns the file's text, beginning with the byte order mark. */
export function makeSampleDataset(): string {
  const lines = [HEADER]
  for (const { label, shareOfLists } of ARCHIVE_DATES) {
    const random = seededRandom(20260924)
    for (const [index, [code, name, ages, count]] of SPECIALTIES.entries()) {
      for (const hospital of hospitalsFor(index, ages, count)) {
        const isListed = random() < shareOfLists || shareOfLists === 1
        for (const row of rowsOf(hospital, name, ages, random)) {
          const cells = [label, hospital.group, hospital.code, quoteCell(hospital.name), code, name, ...row]
          if (isListed) lines.push(cells.join(','))
        }
      }
    }
  }
  // The publisher's long files end in one empty line.
  return `\u{feff}${lines.join('\r\n')}\r\n\r\n`
}

/** Chooses the hospitals of a specialty, among those that see such patients. Some specialties are in one place only. */
function hospitalsFor(index: number, ages: SpecialtyAges, count: number): Hospital[] {
  const fitting = HOSPITALS.filter((hospital) => ages === 'both' || hospital.ages === 'both' || hospital.ages === ages)
  if (ages === 'child' && count === 1) return fitting.slice(0, 1)
  return Array.from({ length: count }, (_, step) => fitting[(index + step * 3) % fitting.length]).filter(
    (hospital, place, all): hospital is Hospital => hospital !== undefined && all.indexOf(hospital) === place,
  )
}

/** Yields Adult_Child, Age_Profile, Time_Bands and Total of one hospital and specialty. Empty cells have no row. */
function* rowsOf(
  hospital: Hospital,
  specialty: string,
  ages: SpecialtyAges,
  random: () => number,
): Generator<string[]> {
  const isBucket = specialty === BUCKET
  const sees = (group: 'adult' | 'child'): boolean =>
    (ages === 'both' || ages === group) && (hospital.ages === 'both' || hospital.ages === group)
  const profiles: [string, string, number][] = [
    ...(sees('child') ? [['Child', '0-15', 60] as [string, string, number]] : []),
    ...(sees('adult') ? [['Adult', '16-64', 140] as [string, string, number]] : []),
    ...(sees('adult') && hospital.ages === 'adult' ? [['Adult', '65+', 70] as [string, string, number]] : []),
  ]
  for (const [adultChild, ageProfile, size] of profiles) {
    for (const [band, label] of BANDS.entries()) {
      const people = isBucket ? Math.floor(random() * 2) : Math.floor((random() * size * 2) / (band + 1))
      const isHidden = random() < 0.25 && band > 0
      if (people > 0 && !isHidden) yield [adultChild, ageProfile, label, String(people)]
    }
  }
}

function quoteCell(name: string): string {
  return name.includes(',') ? `"${name}"` : name
}

export const SAMPLE_PUBLISHED_ON = '2026-10-09'

export const SAMPLE_PATH = join(import.meta.dirname, '../data/sample/invented-outpatients.csv')

/** Publishes the sample if no figures are served yet. */
export async function publishSampleIfEmpty(store: WaitingListStore): Promise<'published' | 'kept'> {
  const found = await store.findPointer()
  if (found.outcome === 'ok') return 'kept'
  const bytes = await readFile(SAMPLE_PATH)
  // Its date is invented, so a machine with an earlier clock may start too.
  const dates = { publishedOn: SAMPLE_PUBLISHED_ON, today: SAMPLE_PUBLISHED_ON }
  const outcome = await publishDataset(store, { bytes, ...dates, source: sourceOf(SAMPLE_SHA256, '') })
  if (outcome.outcome !== 'published')
    throw new Error(`The sample was not published: ${JSON.stringify(outcome)}. Run npm run data:sample.`)
  return 'published'
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = await runCommand(process.argv.slice(2), {
    help: HELP,
    options: {},
    async run() {
      await writeFile(SAMPLE_PATH, makeSampleDataset())
      console.log(`Wrote ${SAMPLE_PATH}`)
    },
  })
}
