// Whether a model reasons about a request, on which it depends what else it takes.
import type { Model } from './catalogue.schema.ts'
import type { ChatRequest } from './request.ts'

/**
 * The effort that the model is asked for; undefined where the model decides. A model that takes tools only without reasoning is
 * told not to reason beside them.
 */
export function effectiveEffort(
  { tools = [], reasoningEffort: asked }: ChatRequest,
  { capabilities: can }: Model,
): ChatRequest['reasoningEffort'] {
  return tools.length === 0 || can.toolsWithReasoning ? asked : 'none'
}

export function isReasoning(request: ChatRequest, model: Model): boolean {
  const effort = effectiveEffort(request, model)
  return effort === undefined ? model.capabilities.reasoningByDefault : effort !== 'none'
}

/** Whether it takes its own sampling only: temperature, top_p and log probabilities at their defaults. */
export const hasFixedSampling = (request: ChatRequest, model: Model): boolean =>
  !model.capabilities.samplingWithReasoning && isReasoning(request, model)
