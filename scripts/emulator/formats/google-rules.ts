// What Gemini refuses of a request whose shape is right: schemas beyond its subset, functions without a declaration,
// answers to calls that were not made, and what its newer or older models cannot do.

import { isGeminiThree, takesMinimalThinking } from '../models.ts'
import { problem, problemAt } from '../wire-format.ts'
import type { WireProblem } from '../wire-format.ts'
import type { GoogleContent, GoogleRequest } from './google-request.ts'
import { isSignedAsGiven } from './google-signatures.ts'
import { foreignKeyword, geminiJsonSchemaFault, toSnake } from './google-schema.ts'

/** `generationConfig.stopSequences.0` as errors spell it: `generation_config.stop_sequences[0]`. */
export function wirePlace(path: string): string {
  return toSnake(path).replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

/** `within` is empty where the field stands at the top. */
export function unknownField(within: string, name: string): WireProblem {
  const told = `Unknown name "${name}"${within === '' ? '' : ` at '${within}'`}: there is no such field`
  return problem(400, told, { param: within, violation: `Countersign emulator: ${told}` })
}

function at(place: string, rule: string): WireProblem {
  return problemAt(`* GenerateContentRequest.${place}`, rule)
}

/** Gemini gives some refusals without a word of what is meant. */
const UNTOLD = 'an argument is wrong'

export function googleFault(request: GoogleRequest, model: string): WireProblem | null {
  return (
    configFault(request, model) ??
    toolFault(request, model) ??
    mediaFault(request.contents, model) ??
    callOrderFault(request.contents) ??
    signatureFault(request.contents, model)
  )
}

function configFault({ generationConfig: config = {} }: GoogleRequest, model: string): WireProblem | null {
  if (isGeminiThree(model) && (config.candidateCount ?? 1) > 1) {
    return problem(400, 'this model gives one candidate')
  }
  const { thinkingLevel: level, thinkingBudget: budget } = config.thinkingConfig ?? {}
  if (level !== undefined && budget !== undefined) {
    return problem(400, 'a thinking budget and a thinking level: one of them at most')
  }
  const isMinimal = level?.toUpperCase() === 'MINIMAL'
  if (level !== undefined && (!isGeminiThree(model) || (isMinimal && !takesMinimalThinking(model)))) {
    return problem(400, 'this model does not take this thinking level')
  }
  const { responseSchema, responseJsonSchema } = config
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    return at('generation_config.response_json_schema', 'must not be set together with response_schema')
  }
  if ((responseSchema ?? responseJsonSchema) !== undefined && config.responseMimeType !== 'application/json') {
    return at('generation_config.response_mime_type', 'a response schema needs application/json')
  }
  const openApi = openApiFault(responseSchema, 'generation_config.response_schema')
  return openApi ?? jsonSchemaFault(responseJsonSchema, 'generation_config.response_json_schema')
}

function openApiFault(schema: unknown, place: string): WireProblem | null {
  const foreign = foreignKeyword(schema)
  if (foreign === null) return null
  return unknownField(
    [place, foreign.path]
      .filter((step) => step !== '')
      .join('.')
      .replaceAll('.[', '['),
    foreign.name,
  )
}

function jsonSchemaFault(schema: unknown, place: string): WireProblem | null {
  const rule = schema === undefined ? null : geminiJsonSchemaFault(schema)
  if (rule === null) return null
  return rule === '' ? problem(400, UNTOLD) : at(place, rule)
}

function toolFault(request: GoogleRequest, model: string): WireProblem | null {
  const { tools = [], toolConfig, generationConfig: config = {} } = request
  const declared = tools.flatMap((tool) => tool.functionDeclarations ?? [])
  const names = declared.map(({ name }) => name)
  const calling = toolConfig?.functionCallingConfig
  if (calling !== undefined && declared.length === 0) {
    return problem(400, 'function calling is configured without function declarations')
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return problem(400, `function declared twice: ${twice}`)
  const allowed = calling?.allowedFunctionNames ?? []
  if (allowed.length > 0 && calling?.mode !== 'ANY' && calling?.mode !== 'VALIDATED') {
    return problem(400, 'allowed function names need the mode ANY or VALIDATED')
  }
  if (!allowed.every((name) => names.includes(name))) return problem(400, 'an allowed function is not declared')
  if (!isGeminiThree(model) && declared.length > 0 && config.responseMimeType === 'application/json') {
    return problem(400, "function calling does not go with the response MIME type 'application/json'")
  }
  for (const [index, tool] of tools.entries()) {
    for (const [position, { parameters, parametersJsonSchema }] of (tool.functionDeclarations ?? []).entries()) {
      const place = `tools[${index}].function_declarations[${position}]`
      if (parameters !== undefined && parametersJsonSchema !== undefined) {
        return at(`${place}.parameters_json_schema`, 'must not be set together with parameters')
      }
      const fault =
        openApiFault(parameters, `${place}.parameters`) ??
        jsonSchemaFault(parametersJsonSchema, `${place}.parameters_json_schema`)
      if (fault !== null) return fault
    }
  }
  return null
}

const RESPONSE_TYPES: ReadonlySet<string> = new Set(
  'image/png image/jpeg image/webp application/pdf text/plain'.split(' '),
)
const MEDIA_TYPES =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|text\/[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+)$/

function mediaFault(contents: readonly GoogleContent[], model: string): WireProblem | null {
  for (const [index, { parts }] of contents.entries()) {
    for (const { inlineData, functionResponse } of parts) {
      const type = inlineData?.mimeType
      if (type !== undefined && !MEDIA_TYPES.test(type)) return problem(400, `MIME type not taken: ${type}`)
      const inner = functionResponse?.parts ?? []
      if (inner.length > 0 && !isGeminiThree(model)) {
        return problem(400, 'this model takes no media in function responses')
      }
      if (!inner.every((part) => RESPONSE_TYPES.has(part.inlineData?.mimeType ?? ''))) {
        return at(`contents[${index}].parts`, 'a function response takes images, PDF and plain text')
      }
    }
  }
  return null
}

/** A turn of calls is followed at once by a turn with as many responses, of the same names. */
function callOrderFault(contents: readonly GoogleContent[]): WireProblem | null {
  let open: string[] = []
  const told = 'the function responses do not match the function calls before them'
  for (const { parts } of contents) {
    const responses = parts.flatMap((item) => item.functionResponse?.name ?? []).toSorted()
    if (responses.join('\n') !== open.toSorted().join('\n')) return problem(400, told)
    open = parts.flatMap((item) => item.functionCall?.name ?? [])
  }
  return open.length > 0 ? problem(400, told) : null
}

/**
 * A signature that comes back is the one that was given. Gemini 3: within the current turn, the first call of each model
 * step brings back its own.
 */
function signatureFault(contents: readonly GoogleContent[], model: string): WireProblem | null {
  if (!contents.every(({ parts }) => parts.every(isSignedAsGiven)))
    return problem(400, 'a thought signature was not given here')
  if (!isGeminiThree(model)) return null
  const asked = contents.findLastIndex(({ role, parts }) => role !== 'model' && parts.some((item) => item.text))
  for (const step of contents.slice(asked + 1)) {
    const first = step.parts.find((item) => item.functionCall !== undefined)
    if (first !== undefined && !first.thoughtSignature) {
      return problem(400, 'a function call lacks its thought signature')
    }
  }
  return null
}
