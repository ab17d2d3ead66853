// Decodes Mistral's chunks. They are OpenAI's, with the same two leaves as a whole completion, and their usage on the last one.
import { once } from '../../platform/once.ts'
import type { StreamDecoder } from '../provider.ts'
import { chunkSchema, createChunkDecoder } from '../openai/stream.ts'
import { ArgumentsSchema, ContentSchema, reportsError } from './answer.ts'
import { readMistralRejection } from './rejection.ts'

const MistralChunkSchema = once(() => chunkSchema(ContentSchema(), ArgumentsSchema()))

/** @see https://docs.mistral.ai/api/endpoint/chat */
export const createMistralDecoder = (): StreamDecoder =>
  createChunkDecoder({
    parse: (json) => MistralChunkSchema().safeParse(json),
    reportsError,
    readRejection: readMistralRejection,
  })
