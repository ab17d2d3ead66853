// Every list of several specialties, made again from the published file: order, number, bands and totals.
import { createHash } from 'node:crypto'
import type { Check, CheckSource } from './check.ts'
import type { Deployment } from './deployment.ts'
import { listsOf, readFigures, specialtiesOf, type FiguresList } from './published-figures.ts'
import { departures } from './shape-differences.ts'
import { SpecialtiesResponseSchema, WaitingListsResponseSchema, type SpecialtiesResponse } from './shapes.ts'

const SHOWN = 4
/** Of names that are hard to send, and of names that are not. */
const OF_EITHER = 3
const AGE_GROUPS = ['Adult', 'Child'] as const

type Specialty = SpecialtiesResponse['specialties'][number]
type Version = SpecialtiesResponse['datasetVersion']
type Figures = ReturnType<typeof readFigures>

/** The file behind the answers, once its bytes have the hash that they name. */
async function fetchFigures(deployment: Deployment, hash: string): Promise<Figures> {
  const { bytes, status } = await deployment.getOnce(`/v1/files/${hash}`)
  if (status !== 200) throw new Error(`GET /v1/files/${hash} gave no file to go by`)
  if (createHash('sha256').update(bytes).digest('hex') !== hash) throw new Error('the file has another hash')
  return readFigures(bytes)
}

/** Those with the most lists, since order and count show there, with brackets or the like in their names and without. */
function choose(specialties: readonly Specialty[]): readonly Specialty[] {
  const byLists = specialties.toSorted((one, other) => other.lists - one.lists)
  const isHard = ({ name }: Specialty): boolean => /[^\w -]/.test(name)
  const hard = byLists.filter(isHard)
  const bracketed = hard.filter(({ name }) => name.includes('(')).slice(0, 1)
  const chosen = [...new Set([...bracketed, ...hard])].slice(0, OF_EITHER)
  return [...chosen, ...byLists.filter((each) => !isHard(each)).slice(0, OF_EITHER)]
}

function checkOf({ name, lists }: Specialty, version: Version, publishedFigures: () => Promise<Figures>): Check {
  return {
    group: 'lists made again',
    name: `${name}: ${lists} lists, as the file has them`,
    expected: '200, 200',
    run: async (deployment) => {
      const { archiveDate, hash } = version
      const figures = await publishedFigures()
      const statuses: number[] = []
      const differences: string[] = []
      let found = 0
      for (const ageGroup of AGE_GROUPS) {
        const query = new URLSearchParams({ specialty: name, ageGroup })
        const { status, json } = await deployment.send({ path: `/v1/waiting-lists?${query.toString()}` })
        statuses.push(status)
        const misshapen = departures(WaitingListsResponseSchema, json)
        differences.push(...misshapen.map((problem) => `${ageGroup}: ${problem}`))
        if (misshapen.length > 0) continue
        const answered = WaitingListsResponseSchema.parse(json)
        found += answered.waitingLists.length
        if (answered.datasetVersion.hash !== hash) differences.push(`${ageGroup}: made from another file`)
        const foreign = answered.waitingLists.filter((list) => list.specialty !== name || list.ageGroup !== ageGroup)
        if (foreign.length > 0) differences.push(`${ageGroup}: ${foreign.length} lists are of others`)
        const made = listsOf(figures, { archiveDate, specialty: name, ageGroup })
        differences.push(...listDifferences(answered.waitingLists, made).map((problem) => `${ageGroup}: ${problem}`))
      }
      if (found !== lists) differences.push(`there are ${found} lists where ${lists} are announced`)
      return { got: statuses.join(', '), differences: differences.slice(0, SHOWN) }
    },
  }
}

/** Names, order, age groups and numbers of lists, as the file has them. */
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
        const counts = AGE_GROUPS.map((ageGroup) => listsOf(rows, { archiveDate, specialty: name, ageGroup }).length)
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
      return { got: '200', differences: [...counted, ...wrong].slice(0, SHOWN) }
    },
  }
}

const namesOf = ({ hospital, hospitalGroup }: FiguresList): string => JSON.stringify([hospitalGroup, hospital])

/** Pure: where the lists answered are not those of the file, in its order. */
function listDifferences(answered: readonly FiguresList[], published: readonly FiguresList[]): string[] {
  const counted = answered.length === published.length ? [] : [`${answered.length} lists, not ${published.length}`]
  const wrong = published.flatMap((list, index) => {
    const got = answered[index]
    if (got === undefined) return [`list ${index + 1} is missing`]
    if (namesOf(got) !== namesOf(list)) return [`list ${index + 1} is not the one the file has there`]
    const bands = JSON.stringify(got.waiting.map(({ band, people }) => [band, people]))
    const isSame = bands === JSON.stringify(list.waiting.map(({ band, people }) => [band, people]))
    const hasCodes = got.hospitalCode === list.hospitalCode && got.specialtyCode === list.specialtyCode
    return [
      ...(hasCodes ? [] : [`the codes of list ${index + 1} are not those of the file`]),
      ...(isSame ? [] : [`the bands of list ${index + 1} are not those of the file`]),
      ...(got.total === list.total ? [] : [`the total of list ${index + 1} is ${got.total}, not ${list.total}`]),
    ]
  })
  return [...counted, ...wrong]
}

export const recomputedListChecks: CheckSource = async (deployment) => {
  const { data } = SpecialtiesResponseSchema.safeParse((await deployment.getOnce('/v1/specialties')).json)
  if (data !== undefined) {
    let fetched: Promise<Figures> | undefined
    const figures = () => (fetched ??= fetchFigures(deployment, data.datasetVersion.hash))
    const lists = choose(data.specialties).map((specialty) => checkOf(specialty, data.datasetVersion, figures))
    return [specialtiesCheck(data, figures), ...lists]
  }
  const problem = 'GET /v1/specialties gave no list to go by'
  const unknown = { group: 'lists made again', name: 'several specialties, as the file has them', expected: '200, 200' }
  return [{ ...unknown, run: () => Promise.resolve({ got: 'not tried', differences: [problem] }) }]
}
