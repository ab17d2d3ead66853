// Adapts a chat request to a model: removes members that only ask for a default, chooses the reasoning effort, and writes
// participants' names into texts. Some clients always send defaults. Such a member is not refused, and no provider receives one
// that it does not support.
import type { Capabilities } from './catalogue.schema.ts'
import type { RoutedModel } from './provider.ts'
import type { ChatRequest, Message } from './chat-request.ts'

/** The default of temperature and top_p, at every provider. */
export const DEFAULT_SAMPLING = 1
export const DEFAULT_VERBOSITY = 'medium'

/** The instruction for a model without a mode for any JSON object. */
export const ONE_JSON_OBJECT =
  'Whenever you answer in text, the whole answer is one JSON object: nothing before or after it, and no code fence.'

export function withoutDefaults(request: ChatRequest, model: RoutedModel): ChatRequest {
  const { capabilities: can } = model
  const hasTools = (request.tools ?? []).length > 0
  const { toolChoice, reasoningEffort } = request
  const isIdleChoice = !hasTools && (toolChoice === 'auto' || toolChoice === 'none')
  const isIdleEffort = reasoningEffort === 'none' && can.reasoningEfforts.length === 0 && !can.reasoningByDefault
  return {
    ...request,
    tools: hasTools ? request.tools : undefined,
    toolChoice: isIdleChoice ? undefined : toolChoice,
    parallelToolCalls:
      hasTools && !(request.parallelToolCalls === true && !can.parallelToolCalls)
        ? request.parallelToolCalls
        : undefined,
    responseFormat: request.responseFormat?.type === 'text' ? undefined : request.responseFormat,
    n: request.n === 1 ? undefined : request.n,
    stop: request.stop?.length === 0 ? undefined : request.stop,
    reasoningEffort: isIdleEffort ? undefined : reasoningEffort,
    extraParameters: withoutDefaultExtras(request.extraParameters, can),
    ...samplingWithoutDefaults(request, model),
  }
}

function samplingWithoutDefaults(request: ChatRequest, model: RoutedModel) {
  const { temperature, topP } = request
  const { capabilities: can } = model
  const both = temperature !== undefined && topP !== undefined && !can.temperatureWithTopP
  const isClosed = both || hasFixedSampling(request, model)
  const isTemperatureIdle = temperature === DEFAULT_SAMPLING && (can.temperature === null || isClosed)
  const isTopPIdle = topP === DEFAULT_SAMPLING && (!can.topP || isClosed)
  return {
    temperature: isTemperatureIdle ? undefined : temperature,
    topP: isTopPIdle ? undefined : topP,
  }
}

function withoutDefaultExtras(extras: ChatRequest['extraParameters'], can: Capabilities) {
  if (extras?.['verbosity'] !== DEFAULT_VERBOSITY || can.extraParameters.includes('verbosity')) return extras
  const { verbosity: _, ...others } = extras
  return others
}

/**
 * Returns the effort to send; undefined if the model decides. A model that takes tools only without reasoning is told not to
 * reason if there are tools.
 */
export const effectiveEffort = (
  { tools = [], reasoningEffort: asked }: ChatRequest,
  { capabilities: can }: RoutedModel,
): ChatRequest['reasoningEffort'] => (tools.length === 0 || can.toolsWithReasoning ? asked : 'none')

export function isReasoning(request: ChatRequest, model: RoutedModel): boolean {
  const effort = effectiveEffort(request, model)
  return effort === undefined ? model.capabilities.reasoningByDefault : effort !== 'none'
}

/** Returns true if the model takes only its own sampling: temperature, top_p and log probabilities at their defaults. */
export const hasFixedSampling = (request: ChatRequest, model: RoutedModel): boolean =>
  !model.capabilities.samplingWithReasoning && isReasoning(request, model)

export function writeNames(messages: readonly Message[]): readonly Message[] {
  const assistants = new Set(messages.flatMap((message) => (message.role === 'assistant' ? (message.name ?? []) : [])))
  return messages.map((message) => {
    if (message.role === 'tool' || message.name === undefined) return message
    if (message.role === 'assistant') return assistants.size > 1 ? writeName(message, message.name) : message
    return writeName(message, message.name)
  })
}

function writeName<M extends Exclude<Message, { role: 'tool' }>>(message: M, name: string): M {
  const { content } = message
  const first = content.find((part) => part.type === 'text')
  if (first?.type !== 'text') {
    return content.length === 0 ? message : { ...message, content: [{ type: 'text', text: `${name}:` }, ...content] }
  }
  const named = { ...first, text: `${name}: ${first.text}` }
  return { ...message, content: content.map((part) => (part === first ? named : part)) }
}
