// Decodes Mistral's completions, whole and as chunks. They have OpenAI's form, with two leaves of their own: content may be a list of
// chunks, and the arguments of a call an object.
import * as z from 'zod'
import { isJsonObject } from '../../platform/json.ts'
import { once } from '../../platform/once.ts'
import { completionSchema, decodeCompletion } from '../openai/answer.ts'
import { chunkSchema, createChunkDecoder } from '../openai/stream.ts'
import type { DecodedAnswer, StreamDecoder } from '../provider.ts'
import { readMistralRejection } from './rejection.ts'

const ChunkSchema = once(() =>
  z.union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.string().refine((type) => type !== 'text') }),
  ]),
)

/** Reads the text of the answer. Thoughts, which come in chunks of their own, are no part of it. */
const ContentSchema = once(() =>
  z
    .union([
      z.string(),
      z.array(ChunkSchema()).transform((chunks) => chunks.map((chunk) => ('text' in chunk ? chunk.text : '')).join('')),
    ])
    .nullish(),
)

const ArgumentsSchema = once(() =>
  z.union([z.string(), z.looseObject({}).transform((members) => JSON.stringify(members))]).nullish(),
)

const AnswerSchema = once(() => completionSchema(ContentSchema(), ArgumentsSchema()))
const MistralChunkSchema = once(() => chunkSchema(ContentSchema(), ArgumentsSchema()))

const reportsError = (body: unknown): boolean => isJsonObject(body) && body['object'] === 'error'

const readers = { reportsError, readRejection: readMistralRejection }

/** @see https://docs.mistral.ai/api/endpoint/chat */
export const decodeMistral = (body: unknown): DecodedAnswer =>
  decodeCompletion(body, { parse: (json) => AnswerSchema().safeParse(json), ...readers })

/** @see https://docs.mistral.ai/api/endpoint/chat */
export const createMistralDecoder = (): StreamDecoder =>
  createChunkDecoder({ parse: (json) => MistralChunkSchema().safeParse(json), ...readers })
