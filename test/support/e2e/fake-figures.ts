// The figures of the fake deployment: an invented published file and, written out by hand, what must be answered from it.
import { createHash } from 'node:crypto'
import { CANNOT_ESTABLISH } from '../../../scripts/contract/allowed-sentences.ts'
import type { Mistake } from './fake-deployment.ts'

export const FAKE_DATES = { archiveDate: '2026-09-24', publishedOn: '2026-10-09' }

type List = readonly [
  hospital: string | null,
  waiting: readonly (readonly [band: string, people: number])[],
  total: number,
]
type Figures = {
  file: string
  group: string | null
  codes: readonly [string | null, string | null]
  lists: Record<string, { Adult: List[]; Child: List[] }>
}

const long = (date: string, hospital: string, specialty: string, who: string, band: string, people: number): string =>
  `${date},Invented Group,0001,${hospital},0100,${specialty},${who},${who === 'Child' ? '0-15' : '16-64'},${band},${people}`

const NOW = '24/09/2026'

const BY_HOSPITAL: Figures = {
  group: 'Invented Group',
  codes: ['0001', '0100'],
  file: [
    '\u{feff}Archive_Date,Group,Hospital_HIPE,Hospital,Specialty_HIPE1,Speciality,Adult_Child,Age_Profile,Time_Bands,Total',
    long('27/08/2026', 'Alpha', 'Cardiology', 'Adult', ' 0-3 Months', 500),
    long(NOW, 'Zeta', 'Cardiology', 'Adult', '18 Months +', 2),
    long(NOW, 'Zeta', 'Cardiology', 'Adult', ' 0-3 Months', 3),
    long(NOW, 'Alpha', 'Otolaryngology (ENT)', 'Adult', ' 3-6 Months', 7),
    long(NOW, 'Alpha', 'Cardiology', 'Adult', ' 9-12 Months', 41),
    long(NOW, 'Zeta', 'Cardiology', 'Adult', ' 0-3 Months', 4),
    long(NOW, 'Mu', 'Cardiology', 'Adult', ' 0-3 Months', 9),
    long(NOW, 'Mu', 'Cardiology', 'Child', ' 0-3 Months', 1),
    long(NOW, 'Mu', 'Otolaryngology (ENT)', 'Adult', ' 0-3 Months', 20),
    long(NOW, 'Mu', 'Otolaryngology (ENT)', 'Child', '12-15 Months', 6),
    long(NOW, 'Mu', 'Child/Adolescent Psychiatry', 'Child', ' 0-3 Months', 5),
    long(NOW, 'Alpha', 'Urology', 'Adult', ' 0-3 Months', 1),
    long(NOW, 'Zeta', 'Urology', 'Adult', ' 0-3 Months', 2),
    '',
    '',
  ].join('\r\n'),
  lists: {
    Cardiology: {
      Adult: [
        [
          'Zeta',
          [
            ['0-3 Months', 7],
            ['18 Months +', 2],
          ],
          9,
        ],
        ['Alpha', [['9-12 Months', 41]], 41],
        ['Mu', [['0-3 Months', 9]], 9],
      ],
      Child: [['Mu', [['0-3 Months', 1]], 1]],
    },
    'Otolaryngology (ENT)': {
      Adult: [
        ['Alpha', [['3-6 Months', 7]], 7],
        ['Mu', [['0-3 Months', 20]], 20],
      ],
      Child: [['Mu', [['12-15 Months', 6]], 6]],
    },
    'Child/Adolescent Psychiatry': { Adult: [], Child: [['Mu', [['0-3 Months', 5]], 5]] },
    Urology: {
      Adult: [
        ['Alpha', [['0-3 Months', 1]], 1],
        ['Zeta', [['0-3 Months', 2]], 2],
      ],
      Child: [],
    },
  },
}

const NATIONAL: Figures = {
  group: null,
  codes: [null, null],
  file: [
    'ArchiveDate,Adult_Child,Speciality,0-6 Months,6-12 Months,12-18 Months,18 Months +,Total',
    '27/08/2026,Adult,Cardiology,1,1,1,1,4',
    '24/09/2026,Adult,Cardiology,979,13,0,2,994',
    '24/09/2026,Adult,Cardiology,"4,402",107,2,0,"4,511"',
    '24/09/2026,Child,Otolaryngology (ENT),10,5,2,1,17',
    '',
  ].join('\r\n'),
  lists: {
    Cardiology: {
      Adult: [
        [
          null,
          [
            ['0-6 Months', 5381],
            ['6-12 Months', 120],
            ['12-18 Months', 2],
            ['18 Months +', 2],
          ],
          5505,
        ],
      ],
      Child: [],
    },
    'Otolaryngology (ENT)': {
      Adult: [],
      Child: [
        [
          null,
          [
            ['0-6 Months', 10],
            ['6-12 Months', 5],
            ['12-18 Months', 2],
            ['18 Months +', 1],
          ],
          17,
        ],
      ],
    },
  },
}

const SOURCE = {
  publisher: 'Countersign',
  title: 'Invented',
  url: null,
  acknowledgement: 'Invented.',
  kind: 'outpatient',
}
const CANNOT = [...CANNOT_ESTABLISH].slice(0, 1)

type Answered = { json?: Record<string, unknown>; file?: string }

/** Answers a call about the figures; null for any other call. */
export function answerFigures(path: string, figures = BY_HOSPITAL): Answered | null {
  const { pathname, searchParams } = new URL(path, 'http://fake.test')
  const hash = createHash('sha256').update(figures.file).digest('hex')
  const datasetVersion = { ...FAKE_DATES, hash }
  if (pathname === `/v1/files/${hash}`) return { file: figures.file }
  if (pathname === '/v1/specialties') {
    const specialties = Object.entries(figures.lists).map(([name, { Adult, Child }]) => ({
      name,
      code: figures.codes[1],
      ageGroups: [...(Adult.length > 0 ? ['Adult'] : []), ...(Child.length > 0 ? ['Child'] : [])],
      lists: Adult.length + Child.length,
    }))
    return { json: { datasetVersion, specialties } }
  }
  const specialty = searchParams.get('specialty') ?? ''
  const lists = pathname === '/v1/waiting-lists' ? figures.lists[specialty] : undefined
  if (lists === undefined) return null
  const ageGroup = searchParams.get('ageGroup') === 'Child' ? 'Child' : 'Adult'
  const common = { specialty, ageGroup, source: SOURCE, cannotEstablish: CANNOT }
  const answered = ([hospital, waiting, total]: List) => ({
    ...common,
    ...FAKE_DATES,
    hospital,
    hospitalCode: figures.codes[0],
    hospitalGroup: figures.group,
    specialtyCode: figures.codes[1],
    waiting: waiting.map(([band, people]) => ({ band, people })),
    total,
  })
  const waitingLists = lists[ageGroup].map(answered)
  return { json: { ...common, datasetVersion, waitingLists } }
}

/** Not a mistake: the deployment then serves a file without hospitals. */
export const serveNationalFigures: Mistake = (answer, { path }) => {
  const figures = answerFigures(path, NATIONAL)
  if (figures === null) return
  Object.assign(answer, { status: 200, body: figures.json ?? {}, text: figures.file ?? null })
}
