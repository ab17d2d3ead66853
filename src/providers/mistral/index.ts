// Mistral’s endpoint in Europe. Its chat completions have OpenAI’s form, with other names for some members, and refuse members that
// they do not know: `store`, `max_completion_tokens`, `stream_options`, `seed`, `user`, and `name` of a message. The content of an
// answer may be a list of chunks, and the arguments of a call an object.
import {
  bearer,
  type Provider,
  type DecodedAnswer,
  type StreamDecoder,
  type EncodedRequest,
  type RoutedModel,
} from '../provider.ts'
import { readMistralRejection } from './rejection.ts'
import * as z from 'zod'
import { isJsonObject } from '../../platform/json.ts'
import { once } from '../../platform/once.ts'
import { completionSchema, decodeCompletion } from '../openai/answer.ts'
import { chunkSchema, createChunkDecoder } from '../openai/stream.ts'
import { outputLimit } from '../estimate-tokens.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { effectiveEffort } from '../adapt-request.policy.ts'
import { encodeSharedMembers } from '../openai/encode.ts'
import { isInstruction, joinText, type ChatRequest, type Message, type Tool } from '../chat-request.ts'

/** @see https://docs.mistral.ai/api/endpoint/chat */
function encodeMistralChat(request: ChatRequest, model: RoutedModel): EncodedRequest {
  const { messages, tools, toolChoice, temperature } = request
  const { reasoningEfforts } = model.capabilities
  const shared = encodeSharedMembers(
    {
      ...request,
      messages: instructionsFirst(messages).flatMap(adaptMessage),
      tools: tools?.map(adaptTool),
      // At 0 only the likeliest token is left, and Mistral refuses a top_p other than 1.
      topP: temperature === 0 ? 1 : request.topP,
    },
    model,
  )
  return {
    ok: true,
    path: '/v1/chat/completions',
    headers: {},
    body: {
      ...shared,
      tool_choice: toolChoice === 'required' ? 'any' : shared['tool_choice'],
      max_tokens: outputLimit(request, model),
      // Always sent, because sources disagree about the default.
      reasoning_effort: effectiveEffort(request, model) ?? reasoningEfforts.find((effort) => effort === 'none'),
      random_seed: request.seed,
      prompt_cache_key: request.cacheGroup,
      n: request.n,
      ...request.extraParameters,
      stream: request.stream === true ? true : undefined,
    },
  }
}

/** Mistral refuses a system message after the first answer. */
const instructionsFirst = (messages: readonly Message[]): Message[] => [
  ...messages.filter(isInstruction),
  ...messages.filter((message) => !isInstruction(message)),
]

const CALL_ID = /^[a-zA-Z0-9]{9}$/

/** Mistral's ids have nine letters or digits. Another id is replaced by the same one in the call and in its result. */
const callId = (id: string): string => (CALL_ID.test(id) ? id : sha256Hex(id).slice(0, 9))

/** Returns no message for an assistant that says nothing, which Mistral refuses. */
function adaptMessage(message: Message): Message[] {
  const { content } = message
  if (isInstruction(message)) return [{ role: 'system', content: message.content }]
  if (message.role === 'tool') return [{ role: 'tool', toolCallId: callId(message.toolCallId), content }]
  if (message.role === 'user') return [{ role: 'user', content }]
  const { toolCalls = [] } = message
  if (toolCalls.length === 0 && joinText(content) === '') return []
  const calls = toolCalls.map((call) => ({ id: callId(call.id), name: call.name, arguments: call.arguments }))
  return [{ role: 'assistant', content: message.content, toolCalls: calls }]
}

/** Mistral requires a schema of the arguments, even for none. */
const adaptTool = ({ name, description, parameters = {}, strict }: Tool): Tool => ({
  name,
  description,
  parameters,
  strict,
})

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
const decodeMistral = (body: unknown): DecodedAnswer =>
  decodeCompletion(body, { parse: (json) => AnswerSchema().safeParse(json), ...readers })

/** @see https://docs.mistral.ai/api/endpoint/chat */
const createMistralDecoder = (): StreamDecoder =>
  createChunkDecoder({ parse: (json) => MistralChunkSchema().safeParse(json), ...readers })

export const mistral = {
  id: 'mistral',
  label: 'Mistral',
  endpoints: [{ id: 'mistral-eu', baseUrl: 'https://api.eu.mistral.ai', isFixed: true }],
  authorise: bearer,
  verbs: {
    chat: {
      // Their content may be a list with thoughts.
      turns: 'messages',
      standardChunks: false,
      hasStop: true,
      encode: encodeMistralChat,
      decode: decodeMistral,
      stream: createMistralDecoder,
      rejection: readMistralRejection,
    },
  },
} as const satisfies Provider
