// What a message of a chat request may consist of: texts, pictures and files.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/list.schema.ts'

/** One text; a body as a whole is limited in bytes. */
const MAX_TEXT_CHARACTERS = 1_000_000
const MAX_PARTS = 1_000

export const TextSchema = z.string().max(MAX_TEXT_CHARACTERS)

/** Of an object that clients send back with more in it than a model is told. */
export const ignored = z.unknown().optional().openapi({ description: 'Taken and ignored: it tells a model nothing.' })

/** The extension by which Anthropic's models are told what to keep of a prompt. */
export const cacheControl = orNull(
  z
    .strictObject({ type: z.literal('ephemeral'), ttl: orNull(z.enum(['5m', '1h'])).optional() })
    .openapi('CacheControl'),
)
  .optional()
  .openapi({
    description:
      'Up to here the prompt is to be kept for five minutes, or for an hour. Models that keep prompts by themselves have no use for it.',
  })

const TextPartSchema = z
  .strictObject({ type: z.literal('text'), text: TextSchema, cache_control: cacheControl })
  .openapi('TextPart')

const ImagePartSchema = z
  .strictObject({
    type: z.literal('image_url'),
    image_url: z
      .strictObject({
        url: z.string().openapi({ description: 'An https address or a base64 data URL. Nothing is fetched here.' }),
        detail: orNull(z.enum(['auto', 'low', 'high'])).optional(),
        format: ignored,
      })
      .openapi('ImageUrl'),
    cache_control: cacheControl,
  })
  .openapi('ImagePart')

const NO_STORED_FILES = 'no file is kept here; send file_data, a base64 data URL, in its place'

const FilePartSchema = z
  .strictObject({
    type: z.literal('file'),
    file: z
      .strictObject({
        file_id: z.null(NO_STORED_FILES).optional().openapi({ description: 'Null: no file is kept here.' }),
        file_data: z.string().openapi({ description: 'A base64 data URL: `data:application/pdf;base64,…`.' }),
        filename: z.string().max(256).nullish(),
      })
      .openapi('FileData'),
    cache_control: cacheControl,
  })
  .openapi('FilePart')

const NO_AUDIO = 'no model here takes audio; expected one of text, image_url, file'

/** The rule broken by a part of no known type, where more can be said than which types there are. */
function explainPart({ input }: z.core.$ZodRawIssue): string | undefined {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined
  return type === 'input_audio' ? NO_AUDIO : undefined
}

const partsOf = <T extends z.ZodType>(part: T) => z.array(part).min(1).max(MAX_PARTS)

export const TextContentSchema = z.union([TextSchema, partsOf(TextPartSchema)])

/** Of users, and of tools. */
export const MixedContentSchema = z.union([
  TextSchema,
  partsOf(z.discriminatedUnion('type', [TextPartSchema, ImagePartSchema, FilePartSchema], { error: explainPart })),
])

export type WireContent = z.infer<typeof MixedContentSchema>
export type CacheControl = z.infer<typeof cacheControl>
