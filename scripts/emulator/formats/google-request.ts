// Reads a Gemini generateContent request as strictly as Google does: fields it does not know, answers to calls that
// were not made, missing thought signatures and a second candidate from a Gemini 3 model are refused.

import { z } from 'zod'
import { checkBody } from '../check-body.ts'
import { isGeminiThree } from '../models.ts'
import { isObject } from '../sample-json.ts'
import type { Message, ToolChoice, Turn } from '../turn.ts'
import { problem, refuse } from '../wire-format.ts'
import type { ReadTurn, WireCall, WireProblem } from '../wire-format.ts'

const object = z.record(z.string(), z.unknown())
const ignored = z.unknown().optional()

const part = z.strictObject({
  text: z.string().optional(),
  inlineData: z.strictObject({ mimeType: z.string(), data: z.string() }).optional(),
  fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
  functionCall: z.strictObject({ id: z.string().optional(), name: z.string(), args: object.optional() }).optional(),
  functionResponse: z.strictObject({ id: z.string().optional(), name: z.string(), response: object }).optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
})

const requestSchema = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(part).min(1) })).min(1),
  systemInstruction: z.strictObject({ role: z.string().optional(), parts: z.array(part).min(1) }).optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z
          .array(
            z.strictObject({
              name: z.string().regex(/^[a-z_][\w.:-]{0,127}$/i),
              description: z.string().optional(),
              parameters: object.optional(),
              parametersJsonSchema: object.optional(),
            }),
          )
          .optional(),
        googleSearch: ignored,
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z
        .strictObject({
          mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
  generationConfig: z
    .strictObject({
      candidateCount: z.int().min(1).max(8).optional(),
      maxOutputTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: z.int().min(1).optional(),
      seed: z.int().optional(),
      stopSequences: z.array(z.string()).max(5).optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
      responseSchema: object.optional(),
      responseJsonSchema: object.optional(),
      responseLogprobs: z.boolean().optional(),
      logprobs: z.int().optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.int().optional(),
          thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
        })
        .optional(),
    })
    .optional(),
  safetySettings: ignored,
  cachedContent: ignored,
  labels: ignored,
})

type Request = z.infer<typeof requestSchema>
type Content = Request['contents'][number]

const GENERATE_PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

/** The model and method that the path names, or null for another path. */
export function googleTarget(path: string): { model: string; isStream: boolean } | null {
  const [, model, method] = GENERATE_PATH.exec(path) ?? []
  if (model === undefined) return null
  return { model: decodeURIComponent(model), isStream: method === 'streamGenerateContent' }
}

export function readGoogle(call: WireCall, model: string): ReadTurn {
  const checked = checkBody(requestSchema, call.body)
  if (!checked.ok) return refuse(400, `${checked.fault.path}: ${checked.fault.rule}`, { param: checked.fault.path })
  if (!call.models.includes(model)) return refuse(404, `models/${model} is not found`)
  const fault = faultIn(checked.value, model)
  if (fault !== null) return { ok: false, problem: fault }
  const isStream = googleTarget(call.path)?.isStream === true
  const streamed = call.query.get('alt') === 'sse' ? 'sse' : 'json-array'
  return { ok: true, turn: turnOf(checked.value, model, isStream), framing: isStream ? streamed : 'json' }
}

function at(param: string, rule: string): WireProblem {
  return problem(400, `${param}: ${rule}`, { param })
}

function faultIn(request: Request, model: string): WireProblem | null {
  const { generationConfig: config = {}, contents } = request
  if (isGeminiThree(model) && (config.candidateCount ?? 1) > 1) {
    return at('generationConfig.candidateCount', 'this model gives one candidate')
  }
  const isJson = config.responseMimeType === 'application/json'
  if ((config.responseSchema ?? config.responseJsonSchema) !== undefined && !isJson) {
    return at('generationConfig.responseMimeType', 'a schema needs application/json')
  }
  const foreignAt = foreignKeywordAt(config.responseSchema, 'generationConfig.responseSchema')
  if (foreignAt !== null) return at(foreignAt, 'not part of this kind of schema')
  return callOrderFault(contents) ?? signatureFault(contents, model)
}

/** `responseSchema` is a subset of OpenAPI's: no additionalProperties, no list of types. */
function foreignKeywordAt(schema: unknown, path: string): string | null {
  if (!isObject(schema)) return null
  const foreign = ['additionalProperties', '$schema', '$defs', '$ref', 'const', 'oneOf'].find((key) => key in schema)
  if (foreign !== undefined) return `${path}.${foreign}`
  if (Array.isArray(schema['type'])) return `${path}.type`
  const { properties } = schema
  const inner = [...(isObject(properties) ? Object.entries(properties) : []), ['items', schema['items']] as const]
  return inner.map(([key, value]) => foreignKeywordAt(value, `${path}.${key}`)).find((found) => found !== null) ?? null
}

/** A turn of calls is followed at once by a turn with as many responses, of the same names. */
function callOrderFault(contents: readonly Content[]): WireProblem | null {
  let open: string[] = []
  for (const [index, { parts }] of contents.entries()) {
    const responses = parts.flatMap((item) => item.functionResponse?.name ?? []).toSorted()
    if (responses.join('\n') !== open.toSorted().join('\n')) {
      return problem(400, `contents[${index}]: function responses do not match the calls before them`)
    }
    open = parts.flatMap((item) => item.functionCall?.name ?? [])
  }
  return open.length > 0 ? problem(400, 'contents: a function call has no response') : null
}

/** Gemini 3: within the current turn, the first call of each model step brings back its thought signature. */
function signatureFault(contents: readonly Content[], model: string): WireProblem | null {
  if (!isGeminiThree(model)) return null
  const asked = contents.findLastIndex(({ role, parts }) => role !== 'model' && parts.some((item) => item.text))
  const unsigned = contents.slice(asked + 1).some(({ parts }) => {
    const first = parts.find((item) => item.functionCall !== undefined)
    return first !== undefined && !first.thoughtSignature
  })
  return unsigned ? problem(400, 'contents: a function call lacks its thought signature') : null
}

function messageOf({ role, parts }: Content): Message {
  const texts = parts.map(({ text, functionCall, functionResponse }) => {
    const call = functionCall === undefined ? '' : functionCall.name + JSON.stringify(functionCall.args ?? {})
    const response = functionResponse === undefined ? '' : JSON.stringify(functionResponse.response)
    return (text ?? '') + call + response
  })
  const isResponse = parts.some((item) => item.functionResponse !== undefined)
  const author = role === 'model' ? 'assistant' : 'user'
  return {
    role: isResponse ? 'tool' : author,
    text: texts.join(''),
    images: parts.filter((item) => item.inlineData ?? item.fileData).length,
  }
}

function toolChoiceOf(request: Request): ToolChoice {
  const config = request.toolConfig?.functionCallingConfig
  const [only, ...others] = config?.allowedFunctionNames ?? []
  if (config?.mode === 'NONE') return { kind: 'none' }
  if (config?.mode !== 'ANY') return { kind: 'auto' }
  return only !== undefined && others.length === 0 ? { kind: 'named', name: only } : { kind: 'required' }
}

function turnOf(request: Request, model: string, stream: boolean): Turn {
  const { generationConfig: config = {}, systemInstruction, contents } = request
  const system = (systemInstruction?.parts ?? []).map((item) => item.text ?? '').join('')
  const systemMessages: Message[] = system === '' ? [] : [{ role: 'system', text: system, images: 0 }]
  const declared = (request.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [])
  const schema = config.responseJsonSchema ?? config.responseSchema ?? null
  return {
    model,
    stream,
    messages: [...systemMessages, ...contents.map(messageOf)],
    choices: config.candidateCount ?? 1,
    maxOutputTokens: config.maxOutputTokens ?? null,
    stop: config.stopSequences ?? [],
    tools: declared.map((tool) => ({
      name: tool.name,
      parameters: tool.parametersJsonSchema ?? tool.parameters ?? {},
    })),
    toolChoice: toolChoiceOf(request),
    parallelTools: true,
    schema,
    jsonObject: schema === null && config.responseMimeType === 'application/json',
    includeUsage: true,
  }
}
