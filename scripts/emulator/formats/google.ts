// The emulator's format for Gemini's generateContent: reads requests, and writes answers, stream chunks and errors as Google
// does. A stream is CRLF events without an end mark, with cumulative usage in each.

import * as z from 'zod'
import { answeringModel, textPieces } from '../decide-answer.ts'
import type { EmulatorPlan } from '../answer-plan.ts'
import { countCharacters, tokensOfCharacters } from '../count-tokens.ts'
import { PLAIN_REQUEST, signatureOf } from '../model-request.ts'
import type { Answer, Choice, JsonObject, Message, ModelRequest } from '../model-request.ts'
import { resultProblem, schemaProblem } from '../gemini-references.ts'
import { WRONG_KEY } from '../refusals.ts'
import { jsonEvent, NO_CREDIT, objectsIn, ON_REQUEST, problem, TOO_LONG } from '../wire-format.ts'
import type { SseEvent, WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const anything = z.unknown().optional()

/** Returns a check that fails with Gemini's words about a value. */
const refusedBy =
  <Value>(problemOf: (value: Value) => string | null) =>
  (value: Value, context: z.RefinementCtx): void => {
    const message = problemOf(value)
    if (message !== null) context.addIssue({ code: 'custom', message })
  }

const jsonSchema = anything.superRefine(refusedBy((schema: unknown) => schemaProblem(schema)))

const partSchema = z.object({
  text: z.string().default(''),
  inlineData: anything,
  fileData: anything,
  functionCall: z.object({ name: z.string(), args: anything }).optional(),
  functionResponse: z
    .object({ response: anything, parts: z.array(z.unknown()).default([]) })
    .superRefine(refusedBy(resultProblem))
    .optional(),
})
const contentSchema = z.object({ role: z.enum(['user', 'model']).optional(), parts: z.array(partSchema).min(1) })

const requestSchema = z.object({
  contents: z.array(contentSchema).min(1),
  systemInstruction: z.object({ parts: z.array(partSchema) }).default({ parts: [] }),
  tools: z
    .array(
      z.object({
        functionDeclarations: z
          .array(z.object({ name: z.string(), parameters: anything, parametersJsonSchema: jsonSchema }))
          .default([]),
      }),
    )
    .default([]),
  toolConfig: z
    .object({
      functionCallingConfig: z.object({
        mode: z.string().optional(),
        allowedFunctionNames: z.array(z.string()).default([]),
      }),
    })
    .optional(),
  generationConfig: z
    .object({
      candidateCount: z.int().min(1).max(8).optional(),
      maxOutputTokens: z.int().min(1).optional(),
      stopSequences: z.array(z.string()).default([]),
      responseMimeType: z.string().optional(),
      responseSchema: anything,
      responseJsonSchema: jsonSchema,
      thinkingConfig: z.object({ includeThoughts: z.boolean().optional() }).optional(),
    })
    .prefault({}),
})
type Request = z.infer<typeof requestSchema>

const GENERATE_PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

function messageOf({ role, parts }: Request['contents'][number]): Message {
  const texts = parts.map(({ text, functionCall: call, functionResponse: answer }) => {
    const called = call === undefined ? '' : call.name + JSON.stringify(call.args ?? {})
    return text + called + (answer === undefined ? '' : JSON.stringify(answer.response))
  })
  const media = parts.map(
    (part) => ((part.inlineData ?? part.fileData) ? 1 : 0) + (part.functionResponse?.parts ?? []).length,
  )
  const author = role === 'model' ? 'assistant' : 'user'
  return {
    role: parts.some(({ functionResponse }) => functionResponse !== undefined) ? 'tool' : author,
    text: texts.join(''),
    images: media.reduce((sum, count) => sum + count, 0),
  }
}

function toolChoiceOf({ toolConfig }: Request): ModelRequest['toolChoice'] {
  const { mode, allowedFunctionNames: [only, ...others] = [] } = toolConfig?.functionCallingConfig ?? {}
  if (mode === 'NONE') return { kind: 'none' }
  if (mode !== 'ANY') return { kind: 'auto' }
  return only !== undefined && others.length === 0 ? { kind: 'named', name: only } : { kind: 'required' }
}

function read({ body, path }: WireCall, model: string): ModelRequest {
  const request = requestSchema.parse(body)
  const { generationConfig: config, systemInstruction, contents } = request
  const system = systemInstruction.parts.map(({ text }) => text).join('')
  const schema = config.responseJsonSchema ?? config.responseSchema ?? null
  return {
    ...PLAIN_REQUEST,
    model,
    isStreamed: path.endsWith(':streamGenerateContent'),
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, text: system, images: 0 }]),
      ...contents.map(messageOf),
    ],
    choices: config.candidateCount ?? 1,
    maxOutputTokens: config.maxOutputTokens ?? null,
    stop: config.stopSequences,
    tools: request.tools
      .flatMap((tool) => tool.functionDeclarations)
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        parameters: parametersJsonSchema ?? parameters ?? {},
      })),
    toolChoice: toolChoiceOf(request),
    schema,
    jsonObject: schema === null && config.responseMimeType === 'application/json',
    thinking: config.thinkingConfig?.includeThoughts === true ? 'shown' : 'hidden',
  }
}

const TEXT_SIGNATURE = signatureOf('text')
const callSignature = ({ id }: Choice['toolCalls'][number]): string => signatureOf(`call ${id}`)

const FINISH_REASONS: Record<Choice['finish'], string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  refusal: 'STOP',
}

const STATUS_NAMES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** Google's reason for refusing an unknown key. The details of a 400 contain it. */
export const KEY_REFUSED = 'API_KEY_INVALID'

function errorBody(fault: WireProblem): object {
  const { status, message, code, param, violation, quotaMetric, retryAfterSeconds, asArray } = fault
  const isKey = code === KEY_REFUSED
  const details = [
    ...(violation === undefined
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ ...(param === '' ? {} : { field: param }), description: violation }],
          },
        ]),
    ...(isKey
      ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: KEY_REFUSED, domain: 'emulator' }]
      : []),
    ...(quotaMetric === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaMetric }] }]),
    ...(typeof retryAfterSeconds === 'number'
      ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` }]
      : []),
  ]
  const shown = isKey ? 400 : status
  const error = {
    code: shown,
    message,
    status: STATUS_NAMES[shown] ?? 'UNKNOWN',
    ...(details.length > 0 ? { details } : {}),
  }
  return asArray === true ? [{ error }] : { error }
}

/** Returns the usage. Cached tokens are part of the prompt's tokens; thoughts are not part of the candidates' tokens. */
function usageOf(answer: Answer, plan: EmulatorPlan, visible: number): JsonObject {
  if (plan.usage === 'missing') return {}
  if (plan.usage === 'zero') {
    return { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 } }
  }
  const { input, cacheRead, reasoning } = answer.usage
  return {
    usageMetadata: {
      promptTokenCount: input,
      ...(visible > 0 ? { candidatesTokenCount: visible } : {}),
      totalTokenCount: input + visible + reasoning,
      ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
      ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    },
  }
}

function callParts(choice: Choice): JsonObject[] {
  return choice.toolCalls.map((call, index) => ({
    functionCall: { name: call.name, args: call.arguments },
    ...(index === 0 ? { thoughtSignature: callSignature(call) } : {}),
  }))
}

/**
 * Yields the parts of a call with streamed arguments: its name, each value with its JSONPath, and an empty part at the end. Only
 * texts are split into pieces.
 */
function* partialCallParts(choice: Choice, piece: number): Generator<JsonObject> {
  for (const [at, call] of choice.toolCalls.entries()) {
    const signed = at === 0 ? { thoughtSignature: callSignature(call) } : {}
    yield { functionCall: { name: call.name, willContinue: true }, ...signed }
    for (const [jsonPath, value] of scalarsIn(call.arguments, '$')) {
      const pieces = typeof value === 'string' ? piecesOf(value, piece) : [value]
      for (const [position, part] of pieces.entries()) {
        const partialArg = {
          jsonPath,
          ...typedValue(part),
          ...(position + 1 < pieces.length ? { willContinue: true } : {}),
        }
        yield { functionCall: { partialArgs: [partialArg], willContinue: true } }
      }
    }
    yield { functionCall: {} }
  }
}

/** Yields each value that contains no other value, with its JSONPath. */
function* scalarsIn(value: unknown, path: string): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path, value]
    return
  }
  for (const [name, member] of Object.entries(value)) {
    yield* scalarsIn(member, Array.isArray(value) ? `${path}[${name}]` : `${path}[${JSON.stringify(name)}]`)
  }
}

const piecesOf = (text: string, length: number): string[] => text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? ['']

function typedValue(value: unknown): JsonObject {
  if (value === null) return { nullValue: 'NULL_VALUE' }
  if (typeof value === 'number') return { numberValue: value }
  return typeof value === 'boolean' ? { boolValue: value } : { stringValue: value }
}

/** Returns the thoughts with text. They have text only if the caller asked for it. */
function thoughtParts({ thoughts }: Answer): JsonObject[] {
  return thoughts.filter(({ text }) => text !== '').map(({ text }) => ({ text, thought: true }))
}

/** Returns a signature for a text's last part if there are thoughts before it. */
function textSignature({ thoughts }: Answer): JsonObject {
  return thoughts.length > 0 ? { thoughtSignature: TEXT_SIGNATURE } : {}
}

function contentOf(parts: JsonObject[], plan: EmulatorPlan): JsonObject {
  return { content: { ...(parts.length > 0 ? { parts } : {}), ...(plan.withoutRole ? {} : { role: 'model' }) } }
}

/** Returns the finish reason. An unusual one comes with a message. */
function finishOf(choice: Choice, plan: EmulatorPlan): JsonObject {
  if (plan.finishReason === null) return { finishReason: FINISH_REASONS[choice.finish] }
  return { finishReason: plan.finishReason, finishMessage: 'Countersign emulator: ended so on request' }
}

function modelAndId(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  return { modelVersion: answeringModel(turn, plan), responseId: `emulator-${answer.serial}` }
}

function blockedBody(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  return {
    promptFeedback: { blockReason: plan.promptBlocked },
    ...usageOf(answer, plan, 0),
    ...modelAndId(turn, answer, plan),
  }
}

function json(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  if (plan.promptBlocked !== null) return blockedBody(turn, answer, plan)
  const candidates = answer.choices.map((choice, index) => {
    const text = choice.text === '' ? [] : [{ text: choice.text, ...textSignature(answer) }]
    const parts = [...thoughtParts(answer), ...text, ...callParts(choice)]
    return { ...contentOf(parts, plan), ...finishOf(choice, plan), index }
  })
  return {
    ...(plan.empty ? {} : { candidates }),
    ...usageOf(answer, plan, answer.usage.visible),
    ...modelAndId(turn, answer, plan),
  }
}

/** Yields the chunks. Calls are sent whole, unless the plan splits their arguments. A choice's last chunk has its finish reason. */
function* events(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): Generator<SseEvent> {
  if (plan.promptBlocked !== null) {
    yield jsonEvent(blockedBody(turn, answer, plan))
    return
  }
  let visible = 0
  const chunk = (candidate: JsonObject | null): SseEvent =>
    jsonEvent({
      ...(candidate === null ? {} : { candidates: [candidate] }),
      ...usageOf(answer, plan, visible),
      ...modelAndId(turn, answer, plan),
    })
  for (const [index, choice] of plan.empty ? [] : answer.choices.entries()) {
    let characters = 0
    const before = visible
    for (const part of thoughtParts(answer)) yield chunk({ ...contentOf([part], plan), index })
    for (const text of textPieces(choice.text, plan)) {
      characters += countCharacters(text)
      visible = before + tokensOfCharacters(characters)
      yield chunk({ ...contentOf([{ text }], plan), index })
    }
    const calls = plan.argumentPiece === null ? callParts(choice) : partialCallParts(choice, plan.argumentPiece)
    for (const part of calls) yield chunk({ ...contentOf([part], plan), index })
    visible = index === answer.choices.length - 1 ? answer.usage.visible : visible
    yield chunk({
      ...contentOf(choice.text === '' ? [] : [{ text: '', ...textSignature(answer) }], plan),
      ...finishOf(choice, plan),
      index,
    })
  }
  if (plan.empty || plan.usage === 'double') yield chunk(null)
}

/** Spells `generationConfig.stopSequences.0` as Google's errors do: `generation_config.stop_sequences[0]`. */
function fieldOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

export const google: WireFormat = {
  lineEnd: '\r\n',
  requestIdHeader: 'x-request-id',
  ping: null,
  key: ({ headers, query }) => {
    const header = headers['x-goog-api-key']
    return typeof header === 'string' ? header : query.get('key')
  },
  answers: (path) => GENERATE_PATH.test(path),
  modelOf: (path) => decodeURIComponent(GENERATE_PATH.exec(path)?.[1] ?? ''),
  read,
  json,
  events,
  members: {
    usage: 'usageMetadata',
    input: 'promptTokenCount',
    output: 'candidatesTokenCount',
    arguments: ['args'],
    isCallId: () => false,
  },
  refusals: {
    context: problem(400, `the input token count (${TOO_LONG.prompt}) is above ${TOO_LONG.most}`),
    quota: problem(429, NO_CREDIT, { quotaMetric: 'emulator.invalid/generate_requests' }),
    member: (status, member) =>
      problem(status, `'${fieldOf(member)}': ${ON_REQUEST}`, { param: fieldOf(member), violation: ON_REQUEST }),
    key: (key) => (key === null ? problem(403, 'no key') : problem(401, WRONG_KEY, { code: KEY_REFUSED })),
    conversation: ({ contents }) =>
      objectsIn(contents).at(-1)?.['role'] === 'model'
        ? problem(400, 'the last turn is the model’s, and must be the user’s')
        : null,
  },
  problem: (fault) => ({
    headers: {},
    body: errorBody(fault),
    ...(fault.code === KEY_REFUSED ? { status: 400 } : {}),
  }),
  streamError: (plan) => [
    jsonEvent(
      errorBody({
        status: 503,
        message: 'Countersign emulator: overloaded on request',
        code: null,
        param: null,
        asArray: plan.errorAs === 'array',
      }),
    ),
  ],
}
