// A sandbox answer: the readings recorded for an example letter, checked against the file that is being served.
import type { TwoProblems } from './decision.policy.ts'
import type { RecordedReader, RecordedReading } from './examples/examples.schema.ts'
import type { Reading } from './read.schema.ts'

export function replayReading(
  recorded: RecordedReading,
  published: ReadonlySet<string>,
): { readers: [Reading, Reading]; twoProblems: TwoProblems } {
  const [a, b] = recorded.readers
  return {
    readers: [replay('Reader A', a, published), replay('Reader B', b, published)],
    twoProblems: [a.twoProblems, b.twoProblems],
  }
}

// A recorded specialty that the served file no longer publishes is no answer.
function replay(model: Reading['model'], recorded: RecordedReader, published: ReadonlySet<string>): Reading {
  if (recorded.specialty !== null && !published.has(recorded.specialty)) {
    return {
      model,
      available: false,
      reason: 'invalid_answer',
      specialty: null,
      ageGroup: null,
      consistency: 0,
      samples: [],
    }
  }
  const { twoProblems: _, ...reading } = recorded
  return { model, ...reading, samples: [] }
}
