// What must hold of a read response beyond its form: the decision follows from the two readers and from nothing else.
import type { Answer, Deployment } from './deployment.ts'
import { becauseAllowed } from './sentences.ts'
import { departures } from './shape-differences.ts'
import { ReadResponseSchema, SpecialtiesResponseSchema, type ReadResponse } from './shapes.ts'

export async function readDifferences(answer: Answer, deployment: Deployment): Promise<readonly string[]> {
  const misshapen = departures(ReadResponseSchema, answer.json)
  if (misshapen.length > 0) return misshapen
  const response = ReadResponseSchema.parse(answer.json)
  return [...decisionDifferences(response), ...(await publishedDifferences(response, deployment))]
}

/** Pure: the rules that join the decision and the readers. */
export function decisionDifferences(response: ReadResponse): readonly string[] {
  const [a, b] = response.readers
  const agreed = a.available && b.available && a.specialty === b.specialty ? a.specialty : null
  const ageGroup = agreed !== null && a.ageGroup === b.ageGroup ? a.ageGroup : null
  const differences: string[] = []
  if (response.decision !== (agreed === null ? 'ask' : 'yes')) {
    differences.push(`the decision is ${response.decision}, which does not follow from the readers`)
  }
  if (response.specialty !== agreed) differences.push('specialty is not the one both readers named')
  if (response.ageGroup !== ageGroup) differences.push('ageGroup is not what both readers said of an agreed specialty')
  if (!becauseAllowed(response).includes(response.because)) {
    differences.push('because is none of the sentences that the contract has for these readers')
  }
  for (const { model, available, reason, ...named } of response.readers) {
    if ((reason === null) !== available) differences.push(`${model}: reason must be null exactly when it is available`)
    if (!available && (named.specialty ?? named.ageGroup) !== null) {
      differences.push(`${model} is unavailable and yet names something`)
    }
  }
  return differences
}

async function publishedDifferences(response: ReadResponse, deployment: Deployment): Promise<readonly string[]> {
  const { data } = SpecialtiesResponseSchema.safeParse((await deployment.getOnce('/v1/specialties')).json)
  if (data === undefined) return ['/v1/specialties gave no list to compare the specialty with']
  const published = new Set(data.specialties.map(({ name }) => name))
  const unpublished = response.readers.filter(({ specialty }) => specialty !== null && !published.has(specialty))
  return [
    ...unpublished.map(({ model }) => `${model} names a specialty that /v1/specialties does not list`),
    ...(response.datasetVersion.hash === data.datasetVersion.hash
      ? []
      : ['datasetVersion is another than that of /v1/specialties']),
  ]
}
