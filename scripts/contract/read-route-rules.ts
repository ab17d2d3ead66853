// The contract's rules for answers of the read route, besides their schema. The answer to a held action has only the contract's
// sentences. A decision follows only from the two readers.
import * as z from 'zod'
import type { Answer, Deployment } from './deployment.ts'
import { schemaDifferences } from './json-answers.ts'
import {
  allowedBecauseSentences,
  HELD_BECAUSE,
  HELD_CANNOT_TELL,
  HELD_ESTABLISHED,
  HELD_NOTE,
  unknownSentences,
  WHO_HOLDS_THIS,
} from './allowed-sentences.ts'
import { ReadResponseSchema, SpecialtiesResponseSchema, type ReadResponse } from './response-schemas.ts'

/** The body of a held action. It has exactly seven members. */
const HeldSchema = z.strictObject({
  action: z.string().min(1),
  decision: z.literal('held'),
  because: z.string().min(1),
  established: z.array(z.string().min(1)).min(1),
  cannot_tell_you_about_this_patient: z.array(z.string().min(1)).min(1),
  who_holds_this: z.string().min(1),
  note: z.string().min(1),
})

const OTHER_NOTE =
  'note: it is not the sentence of the contract, which says that the request and the refusal are both recorded'

function proseDifferences({ action, because, established, ...held }: z.infer<typeof HeldSchema>): readonly string[] {
  const cannotTell = held.cannot_tell_you_about_this_patient
  return [
    ...(because === HELD_BECAUSE[action]
      ? []
      : ['because: it is not the sentence that the contract has for the action']),
    ...unknownSentences('established', established, HELD_ESTABLISHED),
    ...unknownSentences('cannot_tell_you_about_this_patient', cannotTell, HELD_CANNOT_TELL),
    ...(held.who_holds_this === WHO_HOLDS_THIS ? [] : ['who_holds_this: it is not the sentence of the contract']),
    ...(held.note === HELD_NOTE ? [] : [OTHER_NOTE]),
  ]
}

export function heldDifferences(answer: Answer): readonly string[] {
  const shouldRetry = answer.headers.get('x-should-retry')
  const held = HeldSchema.safeParse(answer.json).data
  return [
    ...schemaDifferences(HeldSchema, answer.json),
    ...(held === undefined ? [] : proseDifferences(held)),
    // Without this header, client libraries would send the request again.
    ...(shouldRetry === 'false' ? [] : [`x-should-retry is ${shouldRetry ?? 'absent'}, not false`]),
  ]
}

export async function readRouteDifferences(answer: Answer, deployment: Deployment): Promise<readonly string[]> {
  const { data } = ReadResponseSchema.safeParse(answer.json)
  if (data === undefined) return schemaDifferences(ReadResponseSchema, answer.json)
  return [...decisionDifferences(data), ...(await publishedDifferences(data, deployment))]
}

/** Returns violations of the rules that connect the decision with the readers. */
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
  if (!allowedBecauseSentences(response).includes(response.because)) {
    differences.push('because is not a sentence of the contract for these readers')
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
