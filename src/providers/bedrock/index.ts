// Amazon Bedrock in Europe, which serves Claude in Anthropic’s format.
import type { ChatRequest } from '../chat-request.ts'
import { unsupported } from '../failure.ts'
import type { EncodedRequest, Provider, RoutedModel } from '../provider.ts'
import { anthropic } from '../anthropic/index.ts'
import { encodeNative, nativeOf } from '../anthropic/native.ts'
import { forBedrock, REFUSED_IN_USER } from './native.ts'

const { authorise, verbs } = anthropic

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference.html */
export const bedrock = {
  id: 'bedrock',
  label: 'Amazon Bedrock',
  endpoints: [endpointIn('eu-west-1'), endpointIn('eu-central-1')],
  authorise,
  verbs: { chat: { ...verbs.chat, takesNative: 'in_part', encode: encodeBedrock } },
} as const satisfies Provider

function endpointIn<Region extends string>(region: Region) {
  const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com`
  return { id: `bedrock-${region}`, baseUrl, prefix: '/anthropic', isFixed: true } as const
}

function encodeBedrock(request: ChatRequest, model: RoutedModel): EncodedRequest {
  const native = nativeOf(request, model)
  if (native !== null) return encodeNative(forBedrock(native), request, model)
  return REFUSED_IN_USER.test(request.user ?? '')
    ? {
        ok: false,
        unsupported: unsupported(
          'user',
          'Amazon Bedrock refuses a user that has {, " or a colon. Send one without them.',
        ),
      }
    : verbs.chat.encode(request, model)
}
