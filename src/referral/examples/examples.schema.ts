// The example letters for sandbox keys, on the wire and as recorded. Each letter is invented. It says which path through the
// service it exercises and which answer its sender gets.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/shapes.schema.ts'
import { AgeGroup } from '../waiting-lists/waiting-lists.schema.ts'

export const ExampleSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      .openapi({ description: 'A stable name for the example.', example: 'cardiology-exertional-chest-tightness' }),
    title: z.string().min(1).openapi({ description: 'One line for a list of examples.' }),
    text: z.string().min(1).openapi({
      description:
        'The letter to send as `text`. Blanks around it and the kind of line ends do not matter; anything else does.',
    }),
    action: z
      .string()
      .nullable()
      .openapi({ description: 'The `action` to send with it; null when it is to be sent without one.' }),
    exercises: z.string().min(1).openapi({ description: 'Which path through the service this letter takes, and why.' }),
    expected: z
      .strictObject({
        status: z.int().openapi({ description: 'The HTTP status.', example: 200 }),
        decision: orNull(z.enum(['yes', 'ask', 'held'])).openapi({
          description: 'The decision in the body; null when the answer is an error.',
        }),
        code: z.string().nullable().openapi({ description: 'The error code; null when the answer is a decision.' }),
        specialty: z.string().nullable().openapi({
          description: 'The specialty in the body; null when the decision is not yes.',
          example: 'Cardiology',
        }),
        ageGroup: orNull(AgeGroup).openapi({
          description: 'The age group in the body; null when the decision is not yes, or the readers differ on it.',
        }),
      })
      .openapi({ description: 'What the service answers to a sandbox key.' }),
  })
  .openapi('Example')

export const ExamplesResponseSchema = z.strictObject({ examples: z.array(ExampleSchema) }).openapi('Examples')

const RecordedReaderSchema = z.strictObject({
  /** Its samples found two problems in the letter; it then names no specialty. */
  twoProblems: z.boolean().default(false),
  available: z.boolean(),
  reason: z.enum(['timeout', 'provider_error', 'invalid_answer', 'no_majority']).nullable(),
  specialty: z.string().min(1).nullable(),
  ageGroup: AgeGroup.nullable(),
  consistency: z.number().min(0).max(1),
})

/** The answers of the two readers to an example letter: Reader A first, then Reader B. */
const RecordedReadingSchema = z.strictObject({ readers: z.tuple([RecordedReaderSchema, RecordedReaderSchema]) })

/** The recorded readings by example id. Letters that are refused for an identifier have none. */
export const RecordedReadingsSchema = z.record(z.string(), RecordedReadingSchema)

export type Example = z.infer<typeof ExampleSchema>
export type RecordedReader = z.infer<typeof RecordedReaderSchema>
export type RecordedReading = z.infer<typeof RecordedReadingSchema>
