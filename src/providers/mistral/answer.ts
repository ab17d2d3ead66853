// Decodes a whole completion of Mistral. It has OpenAI's form, with two leaves of its own: content may be a list of chunks, and the
// arguments of a call an object. The schemas of both also serve stream.ts.
import * as z from 'zod'
import { isJsonObject } from '../../platform/json.ts'
import { once } from '../../platform/once.ts'
import type { DecodedAnswer } from '../provider.ts'
import { completionSchema, decodeCompletion } from '../openai/answer.ts'
import { readMistralRejection } from './rejection.ts'

const ChunkSchema = once(() =>
  z.union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.string().refine((type) => type !== 'text') }),
  ]),
)

/** Reads the text of the answer. Thoughts, which come in chunks of their own, are no part of it. */
export const ContentSchema = once(() =>
  z
    .union([
      z.string(),
      z.array(ChunkSchema()).transform((chunks) => chunks.map((chunk) => ('text' in chunk ? chunk.text : '')).join('')),
    ])
    .nullish(),
)

export const ArgumentsSchema = once(() =>
  z.union([z.string(), z.looseObject({}).transform((members) => JSON.stringify(members))]).nullish(),
)

const AnswerSchema = once(() => completionSchema(ContentSchema(), ArgumentsSchema()))

/** Returns true if a body or a chunk reports an error inside a 200. */
export const reportsError = (body: unknown): boolean => isJsonObject(body) && body['object'] === 'error'

/** @see https://docs.mistral.ai/api/endpoint/chat */
export const decodeMistral = (body: unknown): DecodedAnswer =>
  decodeCompletion(body, {
    parse: (json) => AnswerSchema().safeParse(json),
    reportsError,
    readRejection: readMistralRejection,
  })
