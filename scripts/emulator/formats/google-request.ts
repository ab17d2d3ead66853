// Reads a Gemini generateContent request: its shape here, what else it refuses in the rules beside it.

import { z } from 'zod'
import { checkBody } from '../check-body.ts'
import type { BodyFault } from '../check-body.ts'
import { wholePromptPoints } from '../prompt-cache.ts'
import type { Message, ToolChoice, Turn } from '../turn.ts'
import { problem, refuse } from '../wire-format.ts'
import type { ReadTurn, WireCall, WireProblem } from '../wire-format.ts'
import { googleFault, unknownField, wirePlace } from './google-rules.ts'

const LEAST_CACHED_TOKENS = 1024
const object = z.record(z.string(), z.unknown())
const ignored = z.unknown().optional()

const responseBlob = z.strictObject({ mimeType: z.string(), data: z.string(), displayName: z.string().optional() })
const part = z.strictObject({
  text: z.string().optional(),
  inlineData: z.strictObject({ mimeType: z.string(), data: z.string() }).optional(),
  fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string() }).optional(),
  functionCall: z.strictObject({ id: z.string().optional(), name: z.string(), args: object.optional() }).optional(),
  functionResponse: z
    .strictObject({
      id: z.string().optional(),
      name: z.string(),
      response: object,
      parts: z
        .array(z.strictObject({ inlineData: responseBlob.optional(), fileData: z.unknown().optional() }))
        .optional(),
    })
    .optional(),
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

export type GoogleRequest = z.infer<typeof requestSchema>
export type GoogleContent = GoogleRequest['contents'][number]

const GENERATE_PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

/** The model and method that the path names, or null for another path. */
export function googleTarget(path: string): { model: string; isStream: boolean } | null {
  const [, model, method] = GENERATE_PATH.exec(path) ?? []
  if (model === undefined) return null
  return { model: decodeURIComponent(model), isStream: method === 'streamGenerateContent' }
}

export function readGoogle(call: WireCall, model: string): ReadTurn {
  const checked = checkBody(requestSchema, call.body)
  if (!checked.ok) return { ok: false, problem: shapeProblem(checked.fault) }
  if (!call.models.includes(model)) return refuse(404, `models/${model} is not found`)
  const fault = googleFault(checked.value, model)
  if (fault !== null) return { ok: false, problem: fault }
  const isStream = googleTarget(call.path)?.isStream === true
  const streamed = call.query.get('alt') === 'sse' ? 'sse' : 'json-array'
  return { ok: true, turn: turnOf(checked.value, model, isStream), framing: isStream ? streamed : 'json' }
}

/** A field that nobody knows is told by what it stands in; a wrong value by its own place. */
function shapeProblem({ path, kind, rule }: BodyFault): WireProblem {
  if (kind !== 'unknown') {
    const place = wirePlace(path)
    return problem(400, `Invalid value at '${place}'`, { param: place, violation: `Invalid value (${rule})` })
  }
  const steps = path.split('.')
  return unknownField(wirePlace(steps.slice(0, -1).join('.')), steps.at(-1) ?? '')
}

function messageOf({ role, parts }: GoogleContent): Message {
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
    images: parts.reduce((sum, item) => sum + mediaIn(item), 0),
  }
}

function mediaIn({ inlineData, fileData, functionResponse }: GoogleContent['parts'][number]): number {
  return ((inlineData ?? fileData) ? 1 : 0) + (functionResponse?.parts ?? []).length
}

function toolChoiceOf(request: GoogleRequest): ToolChoice {
  const config = request.toolConfig?.functionCallingConfig
  const [only, ...others] = config?.allowedFunctionNames ?? []
  if (config?.mode === 'NONE') return { kind: 'none' }
  if (config?.mode !== 'ANY') return { kind: 'auto' }
  return only !== undefined && others.length === 0 ? { kind: 'named', name: only } : { kind: 'required' }
}

function turnOf(request: GoogleRequest, model: string, stream: boolean): Turn {
  const { generationConfig: config = {}, systemInstruction, contents } = request
  const system = (systemInstruction?.parts ?? []).map((item) => item.text ?? '').join('')
  const systemMessages: Message[] = system === '' ? [] : [{ role: 'system', text: system, images: 0 }]
  const messages = [...systemMessages, ...contents.map(messageOf)]
  const declared = (request.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [])
  const schema = config.responseJsonSchema ?? config.responseSchema ?? null
  return {
    model,
    stream,
    messages,
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
    thinking: config.thinkingConfig?.includeThoughts === true ? 'shown' : 'hidden',
    cacheable: {
      isMarked: false,
      prompt: () => ({
        points: wholePromptPoints(declared, messages),
        leastTokens: LEAST_CACHED_TOKENS,
        automatic: { stepTokens: 1, countsWrites: false },
      }),
    },
  }
}
