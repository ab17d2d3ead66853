// Decides from the readings of two readers. `yes` needs both readers to be available and to name the same published specialty. In
// every other case the clinician chooses.
import type { Reading, ReadResponse, UnavailableReason } from './read.schema.ts'

export type Decision = Pick<ReadResponse, 'decision' | 'specialty' | 'ageGroup' | 'because'>

/** For each reader, A then B: true if it found two problems in the letter; it then names no specialty. */
export type TwoProblems = readonly [boolean, boolean]

const CLINICIAN_CHOOSES = 'The clinician chooses.'

const WHY_UNAVAILABLE: Record<UnavailableReason, string> = {
  timeout: 'did not answer in time',
  provider_error: 'failed at its provider',
  invalid_answer: 'gave no answer from the published list',
  no_majority: 'gave no single answer more often than any other',
}

export function decideFromReadings(
  readers: readonly [Reading, Reading],
  twoProblems: TwoProblems = [false, false],
): Decision {
  const [a, b] = readers
  if (!a.available || !b.available) return ask(becauseUnavailable(readers))
  if (a.specialty === null || b.specialty === null) {
    return ask(becauseNone(a.specialty === null && b.specialty === null, twoProblems))
  }
  if (a.specialty !== b.specialty) return ask('The readers named different specialties.')
  return { decision: 'yes', specialty: a.specialty, ...agreeOnAge(a, b) }
}

function becauseNone(neitherNamesOne: boolean, twoProblems: TwoProblems): string {
  const readersFinding = twoProblems.filter(Boolean).length
  if (readersFinding === 2) return 'Both readers found that the letter asks about two problems.'
  if (readersFinding === 1) {
    const other = neitherNamesOne ? 'found no published specialty that it is for' : 'named one specialty'
    return `One reader found that the letter asks about two problems, and the other ${other}.`
  }
  return neitherNamesOne
    ? 'Neither reader found a published specialty that the letter is for.'
    : 'One reader named a specialty and the other found none in the published list.'
}

function agreeOnAge(a: Reading, b: Reading): Pick<Decision, 'ageGroup' | 'because'> {
  const agreed = 'Both readers named the same specialty'
  if (a.ageGroup !== null && a.ageGroup === b.ageGroup) {
    return { ageGroup: a.ageGroup, because: `${agreed} and the same age group.` }
  }
  const adultOrChild = 'whether the patient is an adult or a child'
  if (a.ageGroup === b.ageGroup) return { ageGroup: null, because: `${agreed}. Neither could tell ${adultOrChild}.` }
  const why = a.ageGroup === null || b.ageGroup === null ? 'Only one could tell' : 'They differ on'
  return { ageGroup: null, because: `${agreed}. ${why} ${adultOrChild}, so no age group is given.` }
}

function becauseUnavailable(readers: readonly Reading[]): string {
  const missing = readers.filter(({ available }) => !available)
  const reasons = missing.map(({ model, reason }) => `${model} ${WHY_UNAVAILABLE[reason ?? 'invalid_answer']}`)
  const rule = missing.length === 1 ? 'One reading alone decides nothing.' : 'There is no reading to go by.'
  return `${reasons.join(', and ')}. ${rule}`
}

const ask = (because: string): Decision => ({
  decision: 'ask',
  specialty: null,
  ageGroup: null,
  because: `${because} ${CLINICIAN_CHOOSES}`,
})
