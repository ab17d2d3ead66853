// The emulator's format for Amazon Bedrock: Anthropic's, with refusals that are Bedrock's own.

import { anthropic } from './anthropic.ts'
import { isObject } from '../sample-json.ts'
import { problem } from '../wire-format.ts'
import type { WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const refuse = (message: string): WireProblem => ({ ...problem(400, ''), message })
const refuseAsAws = (message: string): WireProblem => ({ ...refuse(message), isFromAws: true })

/** Returns the first refusal of what Anthropic takes and Bedrock does not, or null. */
function firstProblem({ headers, body }: Pick<WireCall, 'headers' | 'body'>, model: string): WireProblem | null {
  // Bedrock has these models by their inference profiles only.
  if (model.startsWith('anthropic.')) return refuseAsAws(onDemandText(model))
  if (headers['anthropic-beta'] !== undefined) return refuseAsAws('invalid beta flag')
  const { output_config: output, tools, metadata } = body
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

const onDemandText = (model: string): string =>
  `Invocation of model ID ${model} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`

export const bedrock: WireFormat = {
  ...anthropic,
  refusals: { ...anthropic.refusals, first: firstProblem },
  unknownPath: { Output: { __type: 'com.amazon.coral.service#UnknownOperationException' }, Version: '1.0' },
}
