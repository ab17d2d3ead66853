// The published figures: which specialties there are, and the lists of one, as published and with nothing added.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import type { Answer, Call, Deployment } from './deployment.ts'
import { messageOf } from './error-envelope.ts'
import { MARK } from './letters.ts'
import { CANNOT_ESTABLISH, unknownSentences } from './sentences.ts'
import { departures } from './shape-differences.ts'
import { SpecialtiesResponseSchema, WaitingListsResponseSchema, type SpecialtiesResponse } from './shapes.ts'

const group = 'waiting lists'
type AgeGroup = 'Adult' | 'Child'

const listsCall = (query: Readonly<Record<string, string>>): Call => ({
  path: `/v1/waiting-lists?${new URLSearchParams(query).toString()}`,
})

async function publishedBy(deployment: Deployment): Promise<SpecialtiesResponse> {
  const { data } = SpecialtiesResponseSchema.safeParse((await deployment.getOnce('/v1/specialties')).json)
  if (data === undefined) throw new Error('GET /v1/specialties gave no list to go by')
  return data
}

function specialtyDifferences({ json }: Answer): readonly string[] {
  const misshapen = departures(SpecialtiesResponseSchema, json)
  if (misshapen.length > 0) return misshapen
  const { specialties } = SpecialtiesResponseSchema.parse(json)
  const names = specialties.map(({ name }) => name)
  return [
    ...(new Set(names).size === names.length ? [] : ['a name is listed twice']),
    ...(names.some((name) => name.startsWith('Small Volume')) ? ['a bucket is listed as a specialty'] : []),
  ]
}

async function listDifferences(answer: Answer, asked: { name: string; ageGroup: AgeGroup }, deployment: Deployment) {
  const misshapen = departures(WaitingListsResponseSchema, answer.json)
  if (misshapen.length > 0) return misshapen
  const response = WaitingListsResponseSchema.parse(answer.json)
  const { specialty, ageGroup, datasetVersion, source, waitingLists } = response
  const prose = [response, ...waitingLists].flatMap(({ cannotEstablish }) =>
    unknownSentences('cannotEstablish', cannotEstablish, CANNOT_ESTABLISH),
  )
  const published = await publishedBy(deployment)
  const foreign = waitingLists.filter((list) => list.specialty !== asked.name || list.ageGroup !== asked.ageGroup)
  const { archiveDate, publishedOn } = datasetVersion
  const undated = waitingLists.filter((list) => list.archiveDate !== archiveDate || list.publishedOn !== publishedOn)
  const unlike = waitingLists.filter((list) => JSON.stringify(list.source) !== JSON.stringify(source))
  return [
    ...new Set(prose),
    ...differs('specialty', specialty, asked.name),
    ...differs('ageGroup', ageGroup, asked.ageGroup),
    ...differs('datasetVersion.hash', datasetVersion.hash, published.datasetVersion.hash),
    ...(foreign.length === 0 ? [] : [`${foreign.length} lists are of another specialty or age group`]),
    ...(unlike.length === 0 ? [] : [`${unlike.length} lists have another source than the answer`]),
    ...(undated.length === 0 ? [] : [`${undated.length} lists have other dates than datasetVersion`]),
  ]
}

const emptyList: Check = {
  group,
  name: 'a specialty without a list for the age group: an empty list',
  expected: '200',
  run: async (deployment) => {
    const { specialties } = await publishedBy(deployment)
    const partial = specialties.find(({ ageGroups }) => ageGroups.length === 1)
    if (partial === undefined) return { got: 'not tried: every specialty has both', differences: [] }
    const asked = { name: partial.name, ageGroup: partial.ageGroups[0] === 'Adult' ? 'Child' : 'Adult' } as const
    const answer = await deployment.send(listsCall({ specialty: asked.name, ageGroup: asked.ageGroup }))
    const found = WaitingListsResponseSchema.safeParse(answer.json).data?.waitingLists.length
    return {
      got: String(answer.status),
      differences: [
        ...differs('status', answer.status, 200),
        ...(await listDifferences(answer, asked, deployment)),
        ...differs('the number of lists', found, 0),
      ],
    }
  },
}

const checks: readonly Check[] = [
  callCheck({
    group,
    name: 'the specialties, each once, buckets left out',
    expected: 200,
    call: { path: '/v1/specialties' },
    examine: specialtyDifferences,
  }),
  callCheck({
    group,
    name: 'no age group: Adult',
    expected: 200,
    call: async (deployment) => listsCall({ specialty: (await publishedBy(deployment)).specialties[0]?.name ?? '' }),
    examine: async (answer, deployment) => {
      const name = (await publishedBy(deployment)).specialties[0]?.name ?? ''
      return listDifferences(answer, { name, ageGroup: 'Adult' }, deployment)
    },
  }),
  emptyList,
  callCheck({ group, name: 'no specialty', expected: 'missing_parameter', call: { path: '/v1/waiting-lists' } }),
  callCheck({
    group,
    name: 'a specialty that is not published',
    expected: 'specialty_not_published',
    call: listsCall({ specialty: `Department of ${MARK}` }),
  }),
  callCheck({
    group,
    name: 'a query member that is not known, which is named with those that are',
    expected: 'invalid_request',
    call: listsCall({ specialty: 'Cardiology', sort: 'total' }),
    examine: (answer) =>
      ['sort', 'specialty', 'ageGroup']
        .filter((name) => !messageOf(answer).includes(name))
        .map((name) => `error.message does not name ${name}`),
  }),
  ...['child', 'Adults', MARK].map((ageGroup) =>
    callCheck({
      group,
      name: `the age group ${ageGroup}`,
      expected: 'invalid_request',
      call: async (deployment) =>
        listsCall({ specialty: (await publishedBy(deployment)).specialties[0]?.name ?? '', ageGroup }),
    }),
  ),
]

export const waitingListChecks: CheckSource = () => checks
