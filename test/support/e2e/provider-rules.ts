// Rules of the providers' references for any request. The encoders' own tests hold each rule case by case
// (test/unit/providers); a test of generated requests looks with these at whatever is sent.
import * as z from 'zod'
import type { RecordedRequest } from '../../../scripts/emulator/request-recorder.ts'
import { FORMATS } from '../../../scripts/emulator/server.ts'
import { endpointNamed, type Dialect } from '../../../src/providers/provider-registry.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** The members of a request that a provider documents. It refuses any other by name. */
const MEMBERS: Record<Dialect, ReadonlySet<string>> = {
  'openai-chat': words(
    'model messages stream stream_options n max_completion_tokens stop temperature top_p tools tool_choice parallel_tool_calls response_format reasoning_effort logprobs top_logprobs presence_penalty frequency_penalty seed user logit_bias store service_tier verbosity prediction modalities safety_identifier prompt_cache_key',
  ),
  'anthropic-messages': words(
    'model max_tokens messages system stream stop_sequences temperature top_p top_k tools tool_choice output_config metadata thinking service_tier cache_control',
  ),
  'gemini-generate': words('contents systemInstruction tools toolConfig generationConfig safetySettings store'),
  'perplexity-agent': words(
    'model preset input instructions stream max_output_tokens temperature top_p tools response_format reasoning max_steps store language_preference',
  ),
  'mistral-chat': words(
    'model messages stream n max_tokens stop temperature top_p tools tool_choice parallel_tool_calls response_format reasoning_effort presence_penalty frequency_penalty random_seed metadata prediction prompt_mode guardrails prompt_cache_key service_tier safe_prompt',
  ),
}

const anything = z.unknown().optional()
const list = <T extends z.ZodType>(of: T) => z.array(of).default([])
const textPart = z.looseObject({ type: z.string(), text: z.string().optional() })

const OpenAiSchema = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
      tool_calls: list(z.object({ id: z.string().min(1).max(40), type: z.literal('function'), function: anything })),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: anything,
  reasoning_effort: z.string().optional(),
})

function* openAiFaults(body: unknown): Generator<string> {
  const { model, messages, tools, reasoning_effort: effort, ...rest } = OpenAiSchema.parse(body)
  const has = (name: string): boolean => rest[name] !== undefined
  if (has('stream_options') && rest['stream'] !== true) yield 'stream_options without stream'
  if (tools === undefined && (has('tool_choice') || has('parallel_tool_calls'))) yield 'a choice without tools'
  if (model.startsWith('gpt-5')) {
    if (['stop', 'max_tokens'].some(has)) yield 'stop or max_tokens for a model that reasons'
    if (effort !== 'none' && ['temperature', 'top_p'].some((name) => (rest[name] ?? 1) !== 1)) yield 'sampling'
    if (tools !== undefined && effort !== 'none') yield 'tools beside reasoning'
  }
  let open: string[] = []
  for (const { role, tool_calls: calls, tool_call_id: id = '' } of messages) {
    if (role === 'tool' ? !open.includes(id) : open.length > 0) yield 'calls and results out of order'
    open = role === 'tool' ? open.filter((one) => one !== id) : calls.map((call) => call.id)
  }
  if (open.length > 0) yield 'a call without a result'
}

const AnthropicSchema = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.array(textPart.extend({ id: z.string().optional(), tool_use_id: z.string().optional() })).min(1),
    }),
  ),
  system: list(textPart),
  temperature: z.number().max(1).optional(),
  top_p: anything,
})

function* anthropicFaults(body: unknown): Generator<string> {
  const { model, messages, system, temperature, top_p: topP } = AnthropicSchema.parse(body)
  const isFive = /^claude-\w+-5/.test(model)
  if (temperature !== undefined && (isFive || topP !== undefined)) yield 'sampling'
  if (messages[0]?.role !== 'user') yield 'the first turn is not the user’s'
  if (isFive && messages.at(-1)?.role !== 'user') yield 'a prefilled turn'
  const blocks = [...system, ...messages.flatMap(({ content }) => content)]
  if (blocks.some(({ type, text }) => type === 'text' && text?.trim() === '')) yield 'a blank text'
  let open: string[] = []
  for (const { content } of messages) {
    const results = content.flatMap(({ tool_use_id: id }) => id ?? [])
    const isFirst = content.slice(0, results.length).every(({ type }) => type === 'tool_result')
    if (!isFirst || results.toSorted().join() !== open.toSorted().join()) yield 'calls and results out of order'
    open = content.flatMap(({ type, id }) => (type === 'tool_use' ? (id ?? []) : []))
  }
  if (open.length > 0) yield 'a call without a result'
}

const named = z.looseObject({ name: z.string() }).optional()
const GoogleSchema = z.looseObject({
  contents: z.array(
    z.strictObject({
      role: z.enum(['user', 'model']),
      parts: z
        .array(z.looseObject({ functionCall: named, functionResponse: named, thoughtSignature: z.string().optional() }))
        .min(1),
    }),
  ),
  generationConfig: z.looseObject({ candidateCount: anything }).default({}),
})

function* googleFaults(body: unknown): Generator<string> {
  const { contents, generationConfig } = GoogleSchema.parse(body)
  if (generationConfig.candidateCount !== undefined) yield 'a second candidate'
  let open: string[] = []
  for (const { parts } of contents) {
    const answered = parts.flatMap(({ functionResponse }) => functionResponse?.name ?? [])
    if (answered.toSorted().join() !== open.toSorted().join()) yield 'calls and results out of order'
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined)
    if (calls[0] !== undefined && calls[0].thoughtSignature === undefined) yield 'a call without its signature'
    open = calls.flatMap(({ functionCall }) => functionCall?.name ?? [])
  }
  if (open.length > 0) yield 'a call without a result'
}

const PerplexitySchema = z.looseObject({
  input: z.array(z.looseObject({ type: z.string(), call_id: z.string().optional() })).min(1),
})

function* perplexityFaults(body: unknown): Generator<string> {
  const { input } = PerplexitySchema.parse(body)
  const idsOf = (wanted: string) => input.flatMap(({ type, call_id: id }) => (type === wanted ? (id ?? []) : []))
  const calls = idsOf('function_call')
  if (!idsOf('function_call_output').every((id) => calls.includes(id))) yield 'a result without its call'
}

const nineCharacters = z.string().regex(/^[a-zA-Z0-9]{9}$/)
const MistralSchema = z.looseObject({
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.enum(['system', 'user']), content: anything }),
      z.strictObject({
        role: z.literal('assistant'),
        content: z.string().min(1).nullable(),
        tool_calls: list(z.looseObject({ id: nineCharacters })),
      }),
      z.strictObject({ role: z.literal('tool'), content: z.string(), tool_call_id: nineCharacters }),
    ]),
  ),
  temperature: z.number().max(1.5).optional(),
  top_p: anything,
  reasoning_effort: z.enum(['none', 'high']),
})

function* mistralFaults(body: unknown): Generator<string> {
  const { messages, temperature, top_p: topP } = MistralSchema.parse(body)
  if (temperature === 0 && topP !== 1) yield 'sampling'
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool' ? !open.includes(message.tool_call_id) : open.length > 0) {
      yield 'calls and results out of order'
    }
    if (message.role === 'tool') open = open.filter((one) => one !== message.tool_call_id)
    else open = message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : []
  }
  if (open.length > 0) yield 'a call without a result'
}

const FAULTS: Record<Dialect, (body: unknown) => Generator<string>> = {
  'openai-chat': openAiFaults,
  'anthropic-messages': anthropicFaults,
  'gemini-generate': googleFaults,
  'perplexity-agent': perplexityFaults,
  'mistral-chat': mistralFaults,
}

/** Every rule that a recorded request breaks. */
export function brokenRules({ endpoint, body }: RecordedRequest): string[] {
  const format = FORMATS.find(({ name }) => name === endpointNamed(endpoint).dialect)?.name
  if (format === undefined) throw new Error(`no emulated format of ${endpoint}`)
  const value: unknown = JSON.parse(body)
  const alien = Object.keys(z.looseObject({}).parse(value)).filter((name) => !MEMBERS[format].has(name))
  return [...alien.map((name) => `unknown member ${name}`), ...FAULTS[format](value)]
}
