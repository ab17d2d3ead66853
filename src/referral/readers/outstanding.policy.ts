// Whether samples that have not come yet can still change what their reader names: whether it names anything, which
// specialty, and for which age group. How many agree with it, and why it failed, is not what it names. Pure.
import type { Choice } from './sample.ts'
import { countByValue, isEnough, type Sample } from './tally.policy.ts'

type AgeGroup = Choice['ageGroup']

/** `samples`: those that have come, failures included; `outstanding`: how many have not. */
export function canChange(samples: readonly Sample[], outstanding: number): boolean {
  if (outstanding === 0) return false
  const asked = samples.length + outstanding
  const valid = samples.flatMap((sample) => ('choice' in sample ? [sample.choice] : []))
  if (!isEnough(valid.length + outstanding, asked)) return false
  if (!isEnough(valid.length, asked)) return true
  const [first, second] = countByValue(valid.map(({ specialty }) => specialty))
  if (first === undefined) return true
  const [specialty, count] = first
  // The next could catch up with it; so could one that nobody has named yet.
  if ((second?.[1] ?? 0) + outstanding >= count) return true
  const naming = valid.filter((choice) => choice.specialty === specialty)
  return canAgeGroupChange(new Map(countByValue(naming.map(({ ageGroup }) => ageGroup))), outstanding)
}

/** A tie and "not stated" are the same to the reader: it names no age group. */
function canAgeGroupChange(counts: ReadonlyMap<AgeGroup, number>, outstanding: number): boolean {
  const mostBeside = (ageGroup: AgeGroup): number =>
    Math.max(...AGE_GROUPS.map((other) => (other === ageGroup ? 0 : (counts.get(other) ?? 0))))
  const lead = (ageGroup: AgeGroup): number => (counts.get(ageGroup) ?? 0) - mostBeside(ageGroup)
  return STATED.some((ageGroup) =>
    lead(ageGroup) > 0 ? lead(ageGroup) <= outstanding : lead(ageGroup) + outstanding > 0,
  )
}

const STATED = ['Adult', 'Child'] as const
const AGE_GROUPS: readonly AgeGroup[] = [...STATED, null]
