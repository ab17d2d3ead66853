// Contract checks of the published waiting-list figures: specialties, lists, and the file behind them. Some lists are computed
// again from the file's bytes: order, number, bands and totals.
import { createHash } from 'node:crypto'
import {
  checksOf,
  valueDifferences,
  missingWords,
  messageOf,
  type Check,
  type CheckSource,
  type CheckRow,
} from './contract-check.ts'
import type { Answer, Call, Deployment } from './deployment.ts'
import { schemaDifferences } from './json-answers.ts'
import { waitingListsOf, readFigures, specialtiesOf, type FiguresList } from './published-figures.ts'
import { INVENTED_WORD } from './read.checks.ts'
import { CANNOT_ESTABLISH, unknownSentences } from './allowed-sentences.ts'
import {
  DatasetsResponseSchema,
  SpecialtiesResponseSchema,
  WaitingListsResponseSchema,
  type SpecialtiesResponse,
} from './response-schemas.ts'

const AGE_GROUPS = ['Adult', 'Child'] as const
type AgeGroup = (typeof AGE_GROUPS)[number]

const listsCall = (query: Readonly<Record<string, string>>): Call => ({
  path: `/v1/waiting-lists?${new URLSearchParams(query).toString()}`,
})

const specialtiesIn = ({ json }: Answer): SpecialtiesResponse | undefined =>
  SpecialtiesResponseSchema.safeParse(json).data

async function fetchSpecialties(deployment: Deployment): Promise<SpecialtiesResponse> {
  const data = specialtiesIn(await deployment.getOnce('/v1/specialties'))
  if (data === undefined) throw new Error('GET /v1/specialties has no list to check.')
  return data
}

const firstSpecialtyName = async (deployment: Deployment): Promise<string> =>
  (await fetchSpecialties(deployment)).specialties[0]?.name ?? ''

function specialtyDifferences(answer: Answer): readonly string[] {
  const names = specialtiesIn(answer)?.specialties.map(({ name }) => name)
  if (names === undefined) return schemaDifferences(SpecialtiesResponseSchema, answer.json)
  return [
    ...(new Set(names).size === names.length ? [] : ['a name is listed twice']),
    ...(names.some((name) => name.startsWith('Small Volume')) ? ['a bucket is listed as a specialty'] : []),
  ]
}

async function listDifferences(answer: Answer, asked: { name: string; ageGroup: AgeGroup }, deployment: Deployment) {
  const { data } = WaitingListsResponseSchema.safeParse(answer.json)
  if (data === undefined) return schemaDifferences(WaitingListsResponseSchema, answer.json)
  const { specialty, ageGroup, datasetVersion, source, waitingLists } = data
  const { archiveDate, publishedOn, hash } = datasetVersion
  const prose = [data, ...waitingLists].flatMap(({ cannotEstablish }) =>
    unknownSentences('cannotEstablish', cannotEstablish, CANNOT_ESTABLISH),
  )
  const countOf = (isWrong: (list: (typeof waitingLists)[number]) => boolean, what: string): readonly string[] => {
    const wrong = waitingLists.filter(isWrong)
    return wrong.length === 0 ? [] : [`${wrong.length} lists ${what}`]
  }
  return [
    ...new Set(prose),
    ...valueDifferences('specialty', specialty, asked.name),
    ...valueDifferences('ageGroup', ageGroup, asked.ageGroup),
    ...valueDifferences('datasetVersion.hash', hash, (await fetchSpecialties(deployment)).datasetVersion.hash),
    ...countOf(
      (list) => list.specialty !== asked.name || list.ageGroup !== asked.ageGroup,
      'are of another specialty or age group',
    ),
    ...countOf((list) => JSON.stringify(list.source) !== JSON.stringify(source), 'have another source than the answer'),
    ...countOf(
      (list) => list.archiveDate !== archiveDate || list.publishedOn !== publishedOn,
      'have other dates than datasetVersion',
    ),
  ]
}

const emptyList: Check = {
  group: 'waiting lists',
  name: 'a specialty without a list for the age group: an empty list',
  expected: '200',
  run: async (deployment) => {
    const { specialties } = await fetchSpecialties(deployment)
    const partial = specialties.find(({ ageGroups }) => ageGroups.length === 1)
    if (partial === undefined) return { got: 'not tried: every specialty has both', differences: [] }
    const asked = { name: partial.name, ageGroup: partial.ageGroups[0] === 'Adult' ? 'Child' : 'Adult' } as const
    const answer = await deployment.send(listsCall({ specialty: asked.name, ageGroup: asked.ageGroup }))
    const found = WaitingListsResponseSchema.safeParse(answer.json).data?.waitingLists.length
    return {
      got: String(answer.status),
      differences: [
        ...valueDifferences('status', answer.status, 200),
        ...(await listDifferences(answer, asked, deployment)),
        ...valueDifferences('the number of lists', found, 0),
      ],
    }
  },
}

export const waitingListChecks: CheckSource = () => [
  ...checksOf('waiting lists', [
    ['the specialties, each once, buckets left out', 200, { path: '/v1/specialties' }, specialtyDifferences],
    [
      'no age group: Adult',
      200,
      async (deployment) => listsCall({ specialty: await firstSpecialtyName(deployment) }),
      async (answer, deployment) =>
        listDifferences(answer, { name: await firstSpecialtyName(deployment), ageGroup: 'Adult' }, deployment),
    ],
  ]),
  emptyList,
  ...checksOf('waiting lists', [
    ['no specialty', 'missing_parameter', { path: '/v1/waiting-lists' }],
    [
      'a specialty that is not published',
      'specialty_not_published',
      listsCall({ specialty: `Department of ${INVENTED_WORD}` }),
    ],
    [
      'a query member that is not known, which is named with those that are',
      'invalid_request',
      listsCall({ specialty: 'Cardiology', sort: 'total' }),
      (answer) =>
        missingWords(
          messageOf(answer),
          ['sort', 'specialty', 'ageGroup'],
          (name) => `error.message does not name ${name}`,
        ),
    ],
    ...['child', 'Adults', INVENTED_WORD].map((ageGroup): CheckRow => [
      `the age group ${ageGroup}`,
      'invalid_request',
      async (deployment) => listsCall({ specialty: await firstSpecialtyName(deployment), ageGroup }),
    ]),
  ]),
]

const MOST_DIFFERENCES = 4
/** The number of specialties to check of each kind: with special characters in the name, and without. */
const CHOSEN_OF_EACH = 3

type Specialty = SpecialtiesResponse['specialties'][number]
type Version = SpecialtiesResponse['datasetVersion']
type Figures = ReturnType<typeof readFigures>

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Downloads the file behind the answers, and checks that its bytes have the hash that the answers name. */
async function fetchFigures(deployment: Deployment, hash: string): Promise<Figures> {
  const { bytes, status } = await deployment.getOnce(`/v1/files/${hash}`)
  if (status !== 200) throw new Error(`GET /v1/files/${hash} answered ${status}.`)
  if (sha256(bytes) !== hash) throw new Error('The file has another hash.')
  return readFigures(bytes)
}

/** Returns specialties with many lists, to test order and counts. Up to half of their names have special characters. */
function chooseSpecialties(specialties: readonly Specialty[]): readonly Specialty[] {
  const byLists = specialties.toSorted((one, other) => other.lists - one.lists)
  const isHard = ({ name }: Specialty): boolean => /[^\w -]/.test(name)
  const hard = byLists.filter(isHard)
  const bracketed = hard.filter(({ name }) => name.includes('(')).slice(0, 1)
  const chosen = [...new Set([...bracketed, ...hard])].slice(0, CHOSEN_OF_EACH)
  return [...chosen, ...byLists.filter((each) => !isHard(each)).slice(0, CHOSEN_OF_EACH)]
}

function recomputedCheck({ name, lists }: Specialty, version: Version, published: () => Promise<Figures>): Check {
  return {
    group: 'lists made again',
    name: `${name}: ${lists} lists, as the file has them`,
    expected: '200, 200',
    run: async (deployment) => {
      const { archiveDate, hash } = version
      const figures = await published()
      const statuses: number[] = []
      const differences: string[] = []
      let found = 0
      for (const ageGroup of AGE_GROUPS) {
        const { status, json } = await deployment.send(listsCall({ specialty: name, ageGroup }))
        statuses.push(status)
        const { data } = WaitingListsResponseSchema.safeParse(json)
        const made = waitingListsOf(figures, { archiveDate, specialty: name, ageGroup })
        const foreign = data?.waitingLists.filter((list) => list.specialty !== name || list.ageGroup !== ageGroup) ?? []
        const problems =
          data === undefined
            ? schemaDifferences(WaitingListsResponseSchema, json)
            : [
                ...(data.datasetVersion.hash === hash ? [] : ['made from another file']),
                ...(foreign.length === 0 ? [] : [`${foreign.length} lists are of others`]),
                ...figureDifferences(data.waitingLists, made),
              ]
        differences.push(...problems.map((problem) => `${ageGroup}: ${problem}`))
        found += data?.waitingLists.length ?? 0
      }
      if (found !== lists) differences.push(`there are ${found} lists where ${lists} are announced`)
      return { got: statuses.join(', '), differences: differences.slice(0, MOST_DIFFERENCES) }
    },
  }
}

/** Checks the names, order, age groups and numbers of lists against the file. */
function specialtiesCheck(
  { specialties, datasetVersion }: SpecialtiesResponse,
  figures: () => Promise<Figures>,
): Check {
  return {
    group: 'lists made again',
    name: 'the specialties, in the order of the file',
    expected: '200',
    run: async () => {
      const { archiveDate } = datasetVersion
      const rows = await figures()
      const published = specialtiesOf(rows, archiveDate).map(({ name, code }) => {
        const counts = AGE_GROUPS.map(
          (ageGroup) => waitingListsOf(rows, { archiveDate, specialty: name, ageGroup }).length,
        )
        const ageGroups = AGE_GROUPS.filter((_, index) => counts[index] !== 0)
        return JSON.stringify([name, code, ageGroups, counts.reduce((sum, count) => sum + count, 0)])
      })
      const answered = specialties.map(({ name, code, ageGroups, lists }) =>
        JSON.stringify([name, code, ageGroups, lists]),
      )
      const wrong = published.flatMap((specialty, index) =>
        answered[index] === specialty ? [] : [`specialty ${index + 1} is not the one the file has there`],
      )
      const counted = answered.length === published.length ? [] : [`${answered.length}, not ${published.length}`]
      return { got: '200', differences: [...counted, ...wrong].slice(0, MOST_DIFFERENCES) }
    },
  }
}

const namesOf = ({ hospital, hospitalGroup }: FiguresList): string => JSON.stringify([hospitalGroup, hospital])
const bandsOf = ({ waiting }: FiguresList): string => JSON.stringify(waiting.map(({ band, people }) => [band, people]))

/** Returns the differences between the answered lists and the file's lists, in order. */
function figureDifferences(answered: readonly FiguresList[], published: readonly FiguresList[]): string[] {
  const counted = answered.length === published.length ? [] : [`${answered.length} lists, not ${published.length}`]
  const wrong = published.flatMap((list, index) => {
    const got = answered[index]
    if (got === undefined) return [`list ${index + 1} is missing`]
    if (namesOf(got) !== namesOf(list)) return [`list ${index + 1} is not the one the file has there`]
    const hasCodes = got.hospitalCode === list.hospitalCode && got.specialtyCode === list.specialtyCode
    return [
      ...(hasCodes ? [] : [`the codes of list ${index + 1} are not those of the file`]),
      ...(bandsOf(got) === bandsOf(list) ? [] : [`the bands of list ${index + 1} are not those of the file`]),
      ...(got.total === list.total ? [] : [`the total of list ${index + 1} is ${got.total}, not ${list.total}`]),
    ]
  })
  return [...counted, ...wrong]
}

export const recomputedListChecks: CheckSource = async (deployment) => {
  const data = specialtiesIn(await deployment.getOnce('/v1/specialties'))
  if (data !== undefined) {
    let fetched: Promise<Figures> | undefined
    const figures = () => (fetched ??= fetchFigures(deployment, data.datasetVersion.hash))
    const lists = chooseSpecialties(data.specialties).map((each) => recomputedCheck(each, data.datasetVersion, figures))
    return [specialtiesCheck(data, figures), ...lists]
  }
  const problem = 'GET /v1/specialties has no list to check.'
  const unknown = { group: 'lists made again', name: 'several specialties, as the file has them', expected: '200, 200' }
  return [{ ...unknown, run: () => Promise.resolve({ got: 'not tried', differences: [problem] }) }]
}

async function servedHash(deployment: Deployment): Promise<string> {
  const data = specialtiesIn(await deployment.getOnce('/v1/specialties'))
  if (data === undefined) throw new Error('GET /v1/specialties names no file.')
  return data.datasetVersion.hash
}

/** Checks that anybody can download the bytes behind an answer, and that they have the hash it names. */
export const fileChecks: CheckSource = () =>
  checksOf('datasets and files', [
    [
      '/v1/datasets: the version being served comes first',
      200,
      { path: '/v1/datasets' },
      async ({ json }, deployment) => {
        const { data } = DatasetsResponseSchema.safeParse(json)
        if (data === undefined) return schemaDifferences(DatasetsResponseSchema, json)
        const first = data.datasets[0]?.datasetVersion.hash
        return valueDifferences('the hash of the first', first, await servedHash(deployment))
      },
    ],
    [
      '/v1/datasets a page at a time: each version once',
      200,
      { path: '/v1/datasets?limit=1' },
      async ({ json }, deployment) => {
        const { data } = DatasetsResponseSchema.safeParse(json)
        if (data === undefined) return schemaDifferences(DatasetsResponseSchema, json)
        const { datasets, next_cursor: next, has_more: hasMore } = data
        const problems = datasets.length === 1 ? [] : [`${datasets.length} versions on a page of one`]
        if (hasMore !== (next !== null)) problems.push('next_cursor contradicts has_more')
        if (next === null) return problems
        const query = new URLSearchParams({ limit: '1', cursor: next }).toString()
        const { json: page } = await deployment.send({ path: `/v1/datasets?${query}` })
        const second = DatasetsResponseSchema.safeParse(page).data?.datasets[0]?.datasetVersion
        const first = JSON.stringify(datasets[0]?.datasetVersion)
        const isOther = second !== undefined && JSON.stringify(second) !== first
        return isOther ? problems : [...problems, 'the second page does not go on']
      },
    ],
    [
      'the file without a key: its bytes have the hash it is named by',
      200,
      async (deployment) => ({ path: `/v1/files/${await servedHash(deployment)}`, key: null }),
      async ({ bytes, headers }, deployment) => [
        ...valueDifferences('SHA-256', sha256(bytes), await servedHash(deployment)),
        ...missingWords(
          headers.get('cache-control') ?? '',
          ['public', 'immutable'],
          (word) => `cache-control lacks ${word}`,
        ),
      ],
    ],
    ['a file nobody published', 'not_found', { path: `/v1/files/${'0'.repeat(64)}`, key: null }],
  ])
