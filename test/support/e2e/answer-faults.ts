// Works out a live answer from its samples a second time, in the plainest way. The decision has to follow from what the answer
// shows.
import type { Reading, ReadResponse } from '../../../src/referral/read.schema.ts'

type Value = string | null

const FAILURES: ReadonlySet<Value> = new Set(['timeout', 'provider_error', 'invalid_answer'])

/** Returns what is wrong with the answer; empty if nothing is. */
export function answerFaults(answer: ReadResponse, published: ReadonlySet<string>): string[] {
  const [a, b] = answer.readers
  const agreed = a.available && b.available && a.specialty !== null && a.specialty === b.specialty
  const faults = answer.readers.flatMap((reader) => readerFaults(reader, published))
  const expect = (holds: boolean, fault: string): void => void (holds || faults.push(fault))
  expect(answer.decision === (agreed ? 'yes' : 'ask'), 'the decision does not follow from the readers')
  expect(answer.specialty === (agreed ? a.specialty : null), 'the specialty is not the agreed one')
  expect(answer.ageGroup === (agreed && a.ageGroup === b.ageGroup ? a.ageGroup : null), 'the age group is not agreed')
  expect(JSON.stringify(answer.record?.readers) === JSON.stringify(answer.readers), 'the record has other readers')
  expect(answer.record?.outcome.decision === answer.decision, 'the record has another decision')
  return faults
}

function readerFaults(reader: Reading, published: ReadonlySet<string>): string[] {
  const { model, available, reason, specialty, ageGroup, consistency, taken, samples } = reader
  const faults: string[] = []
  const expect = (holds: boolean, fault: string): void => void (holds || faults.push(`${model}: ${fault}`))
  expect((taken === 5 || taken === 3) && samples.length <= taken, 'too many samples')
  expect(
    samples.every((sample) => sample.specialty === null || published.has(sample.specialty)),
    'a sample names what is not published',
  )
  const winners = mostFrequent(samples.map((sample) => sample.specialty))
  if (samples.length * 2 <= taken) {
    expect(!available && FAILURES.has(reason), 'too few samples, no failure')
    expect(consistency === 0, 'a consistency of too few samples')
  } else if (winners.length > 1) {
    const each = samples.filter((sample) => sample.specialty === winners[0]).length
    expect(!available && reason === 'no_majority', 'a tie that is not no_majority')
    expect(consistency === each / taken, 'a consistency that the tied samples do not have')
  } else {
    const naming = samples.filter((sample) => sample.specialty === winners[0])
    const ages = mostFrequent(naming.map((sample) => sample.ageGroup))
    expect(available && reason === null, 'unavailable although its samples name one specialty')
    expect(specialty === winners[0], 'not the specialty most samples name')
    expect(ageGroup === (ages.length === 1 ? ages[0] : null), 'not the age group most of those samples name')
    expect(consistency === naming.length / taken, 'a consistency that the samples do not have')
  }
  if (!available) expect(specialty === null && ageGroup === null, 'unavailable, yet it answers')
  return faults
}

/** The values that occur most often: several when they tie. */
function mostFrequent(values: readonly Value[]): Value[] {
  const count = (value: Value): number => values.filter((other) => other === value).length
  const most = Math.max(0, ...values.map(count))
  return [...new Set(values)].filter((value) => count(value) === most)
}
