// The example letters and their recorded readings, which sandbox keys are answered from. Nothing is parsed before the first call,
// to keep start-up cheap.
import examplesJson from '../../../data/examples.json' with { type: 'json' }
import readingsJson from '../../../data/recorded-readings.json' with { type: 'json' }
import {
  ExampleSchema,
  RecordedReadingsSchema,
  type Example,
  type RecordedReading,
  type RecordedReader,
} from './examples.schema.ts'
import type { TwoProblems } from '../decision.policy.ts'
import type { Reading } from '../read.schema.ts'

type ReadExample = { readonly example: Example; readonly reading: RecordedReading }

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** All examples, in display order. */
export const listExamples: () => readonly Example[] = once(() => ExampleSchema.array().parse(examplesJson))

/** The recorded readings by example id. */
export const recordedReadings: () => ReadonlyMap<string, RecordedReading> = once(
  () => new Map(Object.entries(RecordedReadingsSchema.parse(readingsJson))),
)

const readExamplesByText = once(() => {
  const byText = new Map<string, ReadExample>()
  for (const example of listExamples()) {
    const reading = recordedReadings().get(example.id)
    if (reading !== undefined) byText.set(fold(example.text), { example, reading })
  }
  return byText
})

/**
 * Returns the example with this letter and its recorded reading, or null. Blanks around the text and the kind of line ends do not
 * count; every other character does. A letter made to be held is found too, so that it can be read without the held action. A
 * letter made to be refused for an identifier has no reading and is not found.
 */
export function matchExample(text: string): ReadExample | null {
  return readExamplesByText().get(fold(text)) ?? null
}

const fold = (text: string): string => text.replace(/\r\n?/g, '\n').trim()

/** A sandbox answer, checked against the file that is being served. */
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

// A recorded specialty that the served file does not publish is no answer.
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
