// Schemas of POST /v1/referral/read: the request, a reading, the record, the response, and an identifier found in the text.
import * as z from 'zod'
import { UNAVAILABLE_REASONS } from '../evidence/records/reading-words.ts'
import { ReadingSignedSchema } from '../evidence/records/attestation.schema.ts'
import { once, type Infer } from '../platform/once.ts'
import { orNull } from '../platform/names.schema.ts'
import { ALLOWED_ACTIONS, DEFAULT_ACTION, HELD_ACTIONS } from './actions.ts'
import { IDENTIFIER_SHAPES } from '../scanning/identifiers/shapes/identifiers.ts'
import { AgeGroup, DatasetVersion } from './waiting-lists/waiting-lists.schema.ts'

export const MAX_TEXT_CODE_POINTS = 4000

export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]

export const ReadRequestSchema = once(() =>
  z
    .strictObject({
      text: orNull(z.string())
        .optional()
        .meta({
          // JSON Schema counts code points. These limits are checked elsewhere, where they have their own errors.
          minLength: 1,
          maxLength: MAX_TEXT_CODE_POINTS,
          description: `The draft letter, at most ${MAX_TEXT_CODE_POINTS} Unicode code points and not all blank, with every identifier, name, address and town removed. Needed for every action but the held ones.`,
        }),
      action: orNull(z.enum([...ALLOWED_ACTIONS, ...HELD_ACTIONS]))
        .optional()
        .meta({ description: `${DEFAULT_ACTION} when absent or null. The held ones are always answered 409.` }),
    })
    .meta({ id: 'ReadRequest' }),
)

const SampleSchema = once(() =>
  z
    .strictObject({
      specialty: z.string().nullable(),
      ageGroup: orNull(AgeGroup()),
      ms: z.int().nonnegative().meta({ description: 'Milliseconds from asking the readers to having this sample.' }),
    })
    .meta({ id: 'Sample', description: 'One of a reader’s repeated readings.' }),
)

export const ReadingSchema = once(() =>
  z
    .strictObject({
      model: z.enum(['Reader A', 'Reader B']),
      available: z.boolean(),
      reason: orNull(z.enum(UNAVAILABLE_REASONS)).meta({ description: 'Null when the reader is available.' }),
      specialty: z.string().nullable().meta({
        description:
          'An entry of /v1/specialties; null for none of them, and where the letter asks about two problems.',
      }),
      ageGroup: orNull(AgeGroup()),
      consistency: z
        .number()
        .min(0)
        .max(1)
        .meta({ description: 'Share of the samples taken that gave this answer. Not a confidence.' }),
      taken: z.int().min(1).meta({ description: 'Samples asked for, failures included; `consistency` is of these.' }),
      samples: z
        .array(SampleSchema())
        .meta({ description: 'The samples that came in time and in form. Empty in sandbox answers.' }),
    })
    .meta({ id: 'Reading' }),
)

export type Reading = Infer<typeof ReadingSchema>

const bothReaders = once(() =>
  z.tuple([ReadingSchema(), ReadingSchema()]).meta({
    description: 'Reader A first, then Reader B.',
  }),
)

const hex32 = once(() => z.string().regex(/^[0-9a-f]{64}$/))

const ReaderModelSchema = once(() =>
  z.strictObject({
    provider: z.string(),
    model: z.string(),
    servedModels: z.array(z.string()).meta({ description: 'As the provider named them in its answers.' }),
  }),
)

const ReadingRecordSchema = once(() =>
  z
    .strictObject({
      id: z.string(),
      question: z.strictObject({
        action: z.enum(ALLOWED_ACTIONS),
        characters: z.int().positive().meta({ description: 'Unicode code points of the text as sent.' }),
        salt: hex32(),
        textHmac: hex32().meta({
          description: 'HMAC-SHA-256 of the text as sent, in UTF-8, under the salt’s 32 bytes.',
        }),
      }),
      reference: z.strictObject({ salt: hex32(), hmac: hex32() }).optional().meta({
        description:
          'HMAC-SHA-256 of x-aqta-reference under the salt’s 32 bytes, if it was sent. The log’s entry has the HMAC as `reference_hmac`.',
      }),
      readers: bothReaders(),
      outcome: z.strictObject({
        decision: z.enum(['yes', 'ask']),
        specialty: z.string().nullable(),
        ageGroup: orNull(AgeGroup()),
      }),
      datasetVersion: DatasetVersion(),
      models: z.tuple([ReaderModelSchema(), ReaderModelSchema()]).meta({
        description: 'The models that were asked, Reader A’s first.',
      }),
      letterStored: z.literal(false),
      generatedAt: z.iso.datetime(),
      signed: ReadingSignedSchema().optional(),
      ledger: z
        .strictObject({
          position: z.int().min(0).meta({ description: 'In the organisation’s log.' }),
          entry: z
            .string()
            .regex(/^[A-Za-z0-9_-]+$/)
            .meta({
              description:
                'The entry, base64url: a byte 0x80, 16 random ones and JSON, whose `reading` is the SHA-256 of what is signed. The leaf is its hash.',
            }),
        })
        .meta({ description: 'How the log has this reading. GET /v1/referral/log/{position} proves it.' }),
    })
    .meta({
      id: 'ReadingRecord',
      description:
        'Live keys only; kept by the caller beside the referral, and not by the service. Whoever holds the record and the ' +
        'letter can show that they belong together; whoever holds the record can test a guess at the letter.',
    }),
)

export type ReadingRecord = Infer<typeof ReadingRecordSchema>

/** The record before it is in the log. */
export type UnsignedReadingRecord = Omit<ReadingRecord, 'signed' | 'ledger'>

export const ReadResponseSchema = once(() =>
  z
    .strictObject({
      action: z.enum(ALLOWED_ACTIONS),
      decision: z.enum(['yes', 'ask']),
      specialty: z.string().nullable().meta({ description: 'The agreed specialty; null when the decision is ask.' }),
      ageGroup: orNull(AgeGroup()).meta({
        description:
          'Null if it is not agreed, also beside yes: then ask the clinician, and never leave ageGroup out of the call for the waiting lists.',
      }),
      because: z.string().meta({
        description:
          'Why, in one of the sentences that the service has. A letter that asks about two problems is told so here.',
      }),
      readers: bothReaders(),
      sandbox: z.boolean(),
      datasetVersion: DatasetVersion(),
      record: ReadingRecordSchema().optional(),
    })
    .meta({ id: 'ReadResponse' }),
)

export type ReadResponse = Infer<typeof ReadResponseSchema>

export const FoundIdentifierSchema = once(() =>
  z
    .strictObject({
      shape: z.enum(IDENTIFIER_SHAPES),
      start: z.int().nonnegative().meta({ example: 41 }),
      end: z.int().nonnegative().meta({ example: 50 }),
    })
    .meta({
      id: 'FoundIdentifier',
      description: 'Offsets in code points of the text, or of the header in `param`, as sent; `end` is exclusive.',
    }),
)
