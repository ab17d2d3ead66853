// What a Responses request is answered with, for the OpenAPI document.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/list.schema.ts'
import { AqtaSchema } from '../call/aqta.schema.ts'

const tokens = z.int().nonnegative()
const status = z.enum(['completed', 'incomplete'])

const OutputItemSchema = z.discriminatedUnion('type', [
  z
    .looseObject({
      type: z.literal('message'),
      id: z.string(),
      status,
      role: z.literal('assistant'),
      content: z.array(
        z.discriminatedUnion('type', [
          z
            .looseObject({
              type: z.literal('output_text'),
              text: z.string(),
              annotations: z.array(
                z
                  .looseObject({
                    type: z.literal('url_citation'),
                    url: z.string(),
                    title: z.string(),
                    start_index: z.int(),
                    end_index: z.int(),
                  })
                  .openapi('UrlCitation', { description: 'A page that a searching model used, for its whole text.' }),
              ),
            })
            .openapi('OutputText'),
          z.looseObject({ type: z.literal('refusal'), refusal: z.string() }).openapi('OutputRefusal'),
        ]),
      ),
    })
    .openapi('OutputMessage'),
  z
    .looseObject({
      type: z.literal('function_call'),
      id: z.string(),
      status,
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    })
    .openapi('OutputFunctionCall'),
  z
    .looseObject({
      type: z.literal('reasoning'),
      id: z.string(),
      status,
      summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
      encrypted_content: z.string().optional(),
    })
    .openapi('OutputReasoning', { description: 'To be sent back as it is. There where include asks for it.' }),
])

const UsageSchema = z
  .looseObject({
    input_tokens: tokens,
    input_tokens_details: z.looseObject({ cached_tokens: tokens, cache_write_tokens: tokens }),
    output_tokens: tokens,
    output_tokens_details: z.looseObject({ reasoning_tokens: tokens }),
    total_tokens: tokens,
  })
  .openapi('ResponseUsage')

export const ResponseSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int().openapi({ description: 'Unix seconds.' }),
    status,
    error: z.null(),
    incomplete_details: orNull(
      z.looseObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).openapi('IncompleteDetails'),
    ),
    model: z.string().openapi({ description: 'What answered, as its provider names it.' }),
    output: z.array(OutputItemSchema),
    instructions: z.null().openapi({ description: 'What a caller wrote is not repeated.' }),
    tools: z.array(z.unknown()).max(0).openapi({ description: 'Not repeated: empty.' }),
    tool_choice: z.enum(['none', 'auto', 'required']),
    parallel_tool_calls: z.boolean(),
    store: z.literal(false),
    usage: UsageSchema,
    aqta: AqtaSchema,
  })
  .openapi('Response')
