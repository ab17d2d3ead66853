// Members of a chat request that are taken in one value only, which changes nothing, or in an older form of the standard.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/list.schema.ts'
import { FunctionNameSchema } from './assistant-message.schema.ts'

const MAX_FUNCTIONS = 128

const LegacyFunctionSchema = z
  .strictObject({
    name: FunctionNameSchema,
    description: z.string().nullish(),
    parameters: orNull(z.record(z.string(), z.unknown())).optional(),
  })
  .openapi('LegacyFunction')

/** What tools were called before. An answer to them has a function_call. */
export const legacyParameters = {
  functions: z.array(LegacyFunctionSchema).max(MAX_FUNCTIONS).nullish(),
  function_call: orNull(
    z.union([z.enum(['none', 'auto']), z.strictObject({ name: FunctionNameSchema }).openapi('NamedLegacyFunction')]),
  ).optional(),
}

const absent = (rule: string) =>
  z
    .null(rule)
    .optional()
    .openapi({ description: `Null, or absent: ${rule}.` })

export const MetadataSchema = z
  .record(z.string(), z.unknown())
  .nullish()
  .openapi({ description: 'Taken, and never sent on: nothing is stored that it could describe.' })

/** Some clients always send their defaults. */
export const neutralParameters = {
  store: orNull(z.literal(false, 'expected false: nothing sent through here is stored at a provider'))
    .optional()
    .openapi({ description: 'False, or absent: nothing sent through here is stored at a provider.' }),
  metadata: MetadataSchema,
  modalities: z
    .array(z.literal('text', 'expected text: no model here answers in another form'))
    .max(1)
    .nullish()
    .openapi({ description: 'Text alone.' }),
  service_tier: orNull(z.enum(['auto', 'default']))
    .optional()
    .openapi({ description: 'The usual one.' }),
  prediction: absent('no predicted output is taken'),
  audio: absent('no model here answers in audio'),
  prompt_cache_retention: absent('what a provider keeps is marked with cache_control, where it is not its own choice'),
  reasoning: absent('send reasoning_effort in its place'),
  thinking: absent('send reasoning_effort in its place'),
  moderation: absent('nothing is moderated here beyond what a provider does by itself'),
  safety_identifier: absent('send user in its place'),
}
