// What OpenAI refuses of a chat completion whose shape is right: parameters that a model does not take, schemas that
// strict mode does not allow, files that it cannot read, and tool messages in the wrong order.

import { callsOnlyWithoutReasoning, isReasoningModel, isSearchModel } from '../models.ts'
import { problem } from '../wire-format.ts'
import type { WireProblem } from '../wire-format.ts'
import type { OpenAiRequest } from './openai-request.ts'
import { openAiSchemaFault } from './openai-schema.ts'

/** The code is null where OpenAI gives none. */
function at(param: string, rule: string, code: string | null = 'invalid_value'): WireProblem {
  return problem(400, rule, { param, code })
}

/** `texts` are those of the messages, one for each. */
export function openAiFault(request: OpenAiRequest, texts: readonly string[]): WireProblem | null {
  return (
    parameterFault(request) ??
    toolFault(request) ??
    formatFault(request, texts) ??
    contentFault(request.messages) ??
    toolOrderFault(request.messages)
  )
}

function parameterFault(request: OpenAiRequest): WireProblem | null {
  const { model, metadata, store, modalities } = request
  if (request.stream_options && request.stream !== true) {
    return at('stream_options', "'stream_options' needs 'stream'", null)
  }
  if (metadata && store !== true) return at('metadata', "'metadata' needs 'store'", null)
  if (Object.keys(metadata ?? {}).length > 16)
    return at('metadata', 'too many properties', 'object_above_max_properties')
  if (modalities?.includes('audio')) return at('modalities', 'this model has no audio', 'unsupported_value')
  if (request.web_search_options && !isSearchModel(model)) {
    return at('web_search_options', 'this model does not search', null)
  }
  const unsupported = unsupportedParameter(request)
  if (unsupported !== null) {
    return at(unsupported, `'${unsupported}': not taken by this model`, 'unsupported_parameter')
  }
  const value = unsupportedValue(request)
  return value === null ? null : at(value, `'${value}': this value is not taken by this model`, 'unsupported_value')
}

/** Reasoning models count their tokens otherwise, never stop at a sequence, and sample only with reasoning off. */
function unsupportedParameter(request: OpenAiRequest): string | null {
  if (!isReasoningModel(request.model)) return request.reasoning_effort ? 'reasoning_effort' : null
  if (typeof request.max_tokens === 'number') return 'max_tokens'
  if (request.stop?.length) return 'stop'
  if (request.frequency_penalty) return 'frequency_penalty'
  if (request.presence_penalty) return 'presence_penalty'
  if (Object.keys(request.logit_bias ?? {}).length > 0) return 'logit_bias'
  if (request.reasoning_effort === 'none') return null
  if (request.logprobs === true) return 'logprobs'
  return (request.top_p ?? 1) === 1 ? null : 'top_p'
}

function unsupportedValue({ model, reasoning_effort: effort, temperature, verbosity }: OpenAiRequest): string | null {
  if (!isReasoningModel(model)) return (verbosity ?? 'medium') === 'medium' ? null : 'verbosity'
  if (effort === 'minimal') return 'reasoning_effort'
  return effort === 'none' || (temperature ?? 1) === 1 ? null : 'temperature'
}

function toolFault(request: OpenAiRequest): WireProblem | null {
  const { model, tools, tool_choice: choice, parallel_tool_calls: parallel } = request
  if (choice && choice !== 'none' && !tools) {
    return at('tool_choice', "'tool_choice' needs 'tools'", null)
  }
  if (parallel !== undefined && !tools) {
    return at('parallel_tool_calls', "'parallel_tool_calls' needs 'tools'", null)
  }
  if (typeof choice === 'object' && !tools?.some((tool) => tool.function.name === choice.function.name)) {
    return at('tool_choice', "'tool_choice' names none of the 'tools'", null)
  }
  if (tools && callsOnlyWithoutReasoning(model) && request.reasoning_effort !== 'none') {
    return at('reasoning_effort', "function tools need 'reasoning_effort' to be 'none' with this model", null)
  }
  for (const [index, { function: declared }] of (tools ?? []).entries()) {
    const { parameters = { type: 'object', properties: {}, additionalProperties: false } } = declared
    const rule = declared.strict === true ? openAiSchemaFault(parameters) : parametersFault(parameters)
    const message = `schema of function '${declared.name}': ${rule}`
    if (rule !== null) return at(`tools[${index}].function.parameters`, message, 'invalid_function_parameters')
  }
  return null
}

function parametersFault(parameters: Record<string, unknown>): string | null {
  if (parameters['type'] !== 'object') return 'the type of the schema is not "object"'
  return parameters['properties'] === undefined ? 'the object has no "properties"' : null
}

function formatFault({ response_format: format }: OpenAiRequest, texts: readonly string[]): WireProblem | null {
  if (format?.type === 'json_object' && !/json/i.test(texts.join(' '))) {
    return at('messages', "a JSON object needs the word 'json' in a message", null)
  }
  if (format?.type !== 'json_schema' || format.json_schema.strict !== true) return null
  const rule = openAiSchemaFault(format.json_schema.schema)
  const message = `schema of response_format '${format.json_schema.name}': ${rule}`
  return rule === null ? null : at('response_format', message, null)
}

function contentFault(messages: OpenAiRequest['messages']): WireProblem | null {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && !message.content && !message.refusal && !message.tool_calls) {
      if (message.content !== '') return at(`messages.[${index}].content`, 'neither a text nor a tool call', null)
    }
    const parts = message.role === 'user' && Array.isArray(message.content) ? message.content : []
    for (const [position, part] of parts.entries()) {
      const fault = part.type === 'file' ? fileFault(part.file, `messages[${index}].content[${position}].file`) : null
      if (fault !== null) return fault
    }
  }
  return null
}

/** Chat completions read PDF alone, as a data URL with a name. */
function fileFault(
  {
    file_data: data,
    file_id: id,
    filename,
  }: { file_data?: string | undefined; file_id?: string | undefined; filename?: string | undefined },
  place: string,
): WireProblem | null {
  if (id !== undefined) return at(`${place}.file_id`, 'no such file')
  if (data === undefined || filename === undefined) {
    const missing = `${place}.file_id`
    return at(missing, `'${missing}' is missing`, 'missing_required_parameter')
  }
  const [, type] = /^data:([\w.+/-]+);base64,[A-Za-z0-9+/]+={0,2}$/.exec(data) ?? []
  if (type === 'application/pdf') return null
  const why = type === undefined ? 'no base64 data URL' : `of type '${type}', not application/pdf`
  return at(`${place}.file_data`, `'${place}.file_data' is ${why}`)
}

/** Every call of an assistant turn is answered by the tool messages that follow it, and nothing else is. */
function toolOrderFault(messages: OpenAiRequest['messages']): WireProblem | null {
  let open: string[] = []
  for (const [index, item] of messages.entries()) {
    const param = `messages.[${index}].role`
    if (item.role === 'tool') {
      if (!open.includes(item.tool_call_id)) return problem(400, 'a tool message answers no tool call', { param })
      open = open.filter((id) => id !== item.tool_call_id)
      continue
    }
    if (open.length > 0) return problem(400, 'a tool call has no tool message', { param })
    if (item.role === 'assistant') open = (item.tool_calls ?? []).map((toolCallItem) => toolCallItem.id)
  }
  return open.length > 0 ? problem(400, 'a tool call has no tool message', { param: 'messages' }) : null
}
