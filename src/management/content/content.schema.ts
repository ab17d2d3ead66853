// Response shapes of the content routes: stored prompts and answers.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'

const attestationId = once(() => z.string().meta({ example: '0198f3a0-5b7e-4c41-9d1e-2f6a8c0b4d11' }))

const json = once(() => z.looseObject({}))

export const ContentSchema = once(() =>
  z
    .strictObject({
      object: z.literal('content'),
      attestation_id: attestationId(),
      expires_at: z.iso.datetime().meta({ description: 'Until when it is kept.' }),
      sha256: z.string().meta({ description: 'Of the sealed bytes, as the settlement in the ledger has it.' }),
      bytes: z.int().meta({ description: 'How many those are.' }),
      request: json().meta({ description: 'The body of the request, as it was sent.' }),
      answer: json().nullable().meta({
        description:
          'The body of the answer, as it was sent; of a stream what its events come to. Null where nothing was answered.',
      }),
      streamed: z.boolean(),
      truncated: z.boolean().meta({
        description:
          'Whether the end of the answer is left out: what is beyond 1,048,576 characters of a stream, or the memory that there was.',
      }),
    })
    .meta({ id: 'Content' }),
)

export const ContentErasureSchema = once(() =>
  z
    .strictObject({
      object: z.literal('content_erasure'),
      attestation_id: attestationId().nullable().meta({ description: 'Null where all content was erased.' }),
      position: z.int().meta({ description: 'Where the organisation’s ledger tells of it.' }),
    })
    .meta({ id: 'ContentErasure' }),
)

export type ContentErasure = Infer<typeof ContentErasureSchema>
