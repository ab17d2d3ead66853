// What the organisation is told of a request so that it can decide: kinds, sizes, hashes and the most it can cost.
// Never a word of it.
import type { RequestFacts } from '../organisation/chat-gate.ts'
import { costMicroeur, type EurRate } from '../providers/cost.ts'
import type { ChatRequest } from '../providers/request.ts'
import type { ChatInput } from './chat-request.policy.ts'
import type { TraceIds } from './trace.ts'

export function factsOf(
  { outline: { model, hashes, bytes, worstCase }, request }: ChatInput,
  call: TraceIds & { publicKey: string; useCase: string | null; eurRate: EurRate },
): RequestFacts {
  return {
    traceId: call.traceId,
    attestationId: call.attestationId,
    publicKey: call.publicKey,
    model: model.id,
    provider: model.provider,
    costEffective: model.costEffective,
    ...hashes,
    stream: request.stream === true,
    contentKinds: contentKinds(request),
    bytes,
    reserveMicroeur: costMicroeur(worstCase, model, call.eurRate),
    inputMicroeur: costMicroeur({ ...worstCase, outputVisible: 0 }, model, call.eurRate),
    useCase: call.useCase,
  }
}

function contentKinds({ messages, tools = [] }: ChatRequest): string[] {
  const parts = messages.flatMap(({ content }) => content)
  return [
    ...(parts.some(({ type }) => type === 'text') ? ['text'] : []),
    ...(parts.some(({ type }) => type === 'image') ? ['image'] : []),
    ...(tools.length > 0 ? ['tools'] : []),
  ]
}
