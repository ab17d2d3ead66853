// The emulator's format for Amazon Bedrock: Anthropic's, with refusals that are Bedrock's own.

import { anthropic } from './anthropic.ts'
import { isObject } from '../sample-json.ts'
import { objectsIn, problem } from '../wire-format.ts'
import type { WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const refuse = (message: string): WireProblem => ({ ...problem(400, ''), message })
const refuseAsAws = (message: string): WireProblem => ({ ...refuse(message), isFromAws: true })

/** Returns the first refusal of what Anthropic takes and Bedrock does not, or null. */
function firstProblem({ headers, body }: Pick<WireCall, 'headers' | 'body'>, model: string): WireProblem | null {
  // Bedrock has these models by their inference profiles only.
  if (model.startsWith('anthropic.')) return refuseAsAws(onDemandText(model))
  if (headers['anthropic-beta'] !== undefined) return refuseAsAws('invalid beta flag')
  const { output_config: output, tools, metadata, messages, thinking } = body
  const unknown = UNKNOWN.find((name) => name in body)
  if (unknown !== undefined) return refuse(`${unknown}: Extra inputs are not permitted`)
  if (isObject(thinking) && 'display' in thinking) return refuse('thinking.display: Extra inputs are not permitted')
  const turn = objectsIn(messages).findIndex(({ role }) => role === 'system')
  if (turn >= 0) return refuse(`messages.${turn}.role: Input should be 'user' or 'assistant'`)
  const extra = objectsIn(tools).findIndex((tool) => TOOL_UNKNOWN.some((name) => name in tool))
  if (extra >= 0) return refuse(`tools.${extra}.custom: Extra inputs are not permitted`)
  if (isObject(output) && 'format' in output) return refuse('output_config.format: Extra inputs are not permitted')
  const undescribed = Array.isArray(tools)
    ? tools.findIndex((tool) => isObject(tool) && tool['description'] === '')
    : -1
  if (undescribed >= 0) return refuse(`tools.${undescribed}.custom.description: has no character, and needs one`)
  const strict = Array.isArray(tools) ? tools.findIndex((tool) => isObject(tool) && 'strict' in tool) : -1
  if (strict >= 0) return refuse(`tools.${strict}.custom.strict: Extra inputs are not permitted`)
  const user = isObject(metadata) ? metadata['user_id'] : undefined
  return typeof user === 'string' && /[{":]/.test(user)
    ? refuseAsAws('Request metadata contains a value that violates the regular expression')
    : null
}

/** Members that Anthropic takes and Bedrock does not. */
const UNKNOWN = ['cache_control', 'context_management', 'service_tier', 'container', 'mcp_servers']
const TOOL_UNKNOWN = ['input_examples', 'eager_input_streaming', 'defer_loading', 'allowed_callers']

const onDemandText = (model: string): string =>
  `Invocation of model ID ${model} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`

export const bedrock: WireFormat = {
  ...anthropic,
  refusals: { ...anthropic.refusals, first: firstProblem },
  unknownPath: { Output: { __type: 'com.amazon.coral.service#UnknownOperationException' }, Version: '1.0' },
}
