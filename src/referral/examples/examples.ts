// The example letters that sandbox keys can read, and their recorded readings, both from data/. Each letter is invented; it names
// the path that it exercises and the expected answer. The letters are a file of the build, read at the first call that needs one.
import readingsJson from '../../../data/recorded-readings.json' with { type: 'json' }
import type { TwoProblems } from '../decision.policy.ts'
import type { Reading } from '../read.schema.ts'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { fetchBuiltFile, type BuiltFiles } from '../../platform/built-file.ts'
import { orNull } from '../../platform/names.schema.ts'
import { AgeGroup } from '../waiting-lists/waiting-lists.schema.ts'

export const ExampleSchema = once(() =>
  z
    .strictObject({
      id: z
        .string()
        .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        .meta({ description: 'A stable name for the example.', example: 'cardiology-exertional-chest-tightness' }),
      title: z.string().min(1).meta({ description: 'One line for a list of examples.' }),
      text: z.string().min(1).meta({
        description:
          'The letter to send as `text`. Blanks around it and the kind of line ends do not matter; anything else does.',
      }),
      action: z
        .string()
        .nullable()
        .meta({ description: 'The `action` to send with it; null when it is to be sent without one.' }),
      exercises: z.string().min(1).meta({ description: 'Which path through the service this letter takes, and why.' }),
      expected: z
        .strictObject({
          status: z.int().meta({ description: 'The HTTP status.', example: 200 }),
          decision: orNull(z.enum(['yes', 'ask', 'held'])).meta({
            description: 'The decision in the body; null when the answer is an error.',
          }),
          code: z.string().nullable().meta({ description: 'The error code; null when the answer is a decision.' }),
          specialty: z.string().nullable().meta({
            description: 'The specialty in the body; null when the decision is not yes.',
            example: 'Cardiology',
          }),
          ageGroup: orNull(AgeGroup()).meta({
            description: 'The age group in the body; null when the decision is not yes, or the readers differ on it.',
          }),
        })
        .meta({ description: 'What the service answers to a sandbox key.' }),
    })
    .meta({ id: 'Example' }),
)

export const ExamplesResponseSchema = once(() =>
  z.strictObject({ examples: z.array(ExampleSchema()) }).meta({ id: 'Examples' }),
)

const RecordedReaderSchema = once(() =>
  z.strictObject({
    /** True if its samples found two problems in the letter; it then names no specialty. */
    twoProblems: z.boolean().default(false),
    available: z.boolean(),
    reason: z.enum(['timeout', 'provider_error', 'invalid_answer', 'no_majority']).nullable(),
    specialty: z.string().min(1).nullable(),
    ageGroup: AgeGroup().nullable(),
    consistency: z.number().min(0).max(1),
  }),
)

/** Each example letter was read so often by each reader. */
const TAKEN = 5

/** The answers of the two readers to an example letter: Reader A first, then Reader B. */
const RecordedReadingSchema = once(() =>
  z.strictObject({ readers: z.tuple([RecordedReaderSchema(), RecordedReaderSchema()]) }),
)

/** Example id → recorded reading. Letters that are refused for an identifier have none. */
export const RecordedReadingsSchema = once(() => z.record(z.string(), RecordedReadingSchema()))

export type Example = Infer<typeof ExampleSchema>
export type RecordedReader = Infer<typeof RecordedReaderSchema>
export type RecordedReading = Infer<typeof RecordedReadingSchema>

export type RecordedExample = { readonly example: Example; readonly reading: RecordedReading }

export type Examples = {
  /** All examples, in display order. */
  readonly list: readonly Example[]
  readonly readings: ReadonlyMap<string, RecordedReading>
  /**
   * Returns the example with this letter and its recorded reading, or null. Blanks around the text and the kind of line ends do not
   * count; every other character does. A letter made for a held action is found too, so that it can be read without that action. A
   * letter made to be refused for an identifier has no reading and is not found.
   */
  readonly match: (text: string) => RecordedExample | null
}

/** @param letters the parsed data/examples.json; throws if it is not as the schema says */
export function createExamples(letters: unknown): Examples {
  const list = ExampleSchema().array().parse(letters)
  const readings = new Map(Object.entries(RecordedReadingsSchema().parse(readingsJson)))
  const byText = new Map<string, RecordedExample>()
  for (const example of list) {
    const reading = readings.get(example.id)
    if (reading !== undefined) byText.set(normaliseLetter(example.text), { example, reading })
  }
  return { list, readings, match: (text) => byText.get(normaliseLetter(text)) ?? null }
}

export type LoadExamples = () => Promise<Examples>

/** Returns a function that reads the examples from the build at its first call. */
export function createExampleLoader(files: BuiltFiles): LoadExamples {
  let loaded: Examples | null = null
  return async () => (loaded ??= createExamples(await (await fetchBuiltFile(files, '/examples.json')).json()))
}

const normaliseLetter = (text: string): string => text.replace(/\r\n?/g, '\n').trim()

/** Returns both recorded readings as a sandbox key gets them. `published`: the specialties of the served file. */
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

// A recorded specialty that the served file does not publish makes the reader unavailable.
function replay(model: Reading['model'], recorded: RecordedReader, published: ReadonlySet<string>): Reading {
  if (recorded.specialty !== null && !published.has(recorded.specialty)) {
    return {
      model,
      available: false,
      reason: 'invalid_answer',
      specialty: null,
      ageGroup: null,
      consistency: 0,
      taken: TAKEN,
      samples: [],
    }
  }
  const { twoProblems: _, ...reading } = recorded
  return { model, ...reading, taken: TAKEN, samples: [] }
}
