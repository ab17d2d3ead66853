// What the organisation is told of a request so that it can decide: kinds, sizes, hashes and the most it can cost.
// Never a word of it.
import type { RequestFacts } from '../../organisation/chat-gate.ts'
import { costMicroeur, outputMicroeurPerMillion, type EurRate } from '../../providers/cost.ts'
import { estimateUsage } from '../../providers/estimate.ts'
import type { ChatRequest } from '../../providers/request.ts'
import type { CallInput } from './prepare-call.ts'
import type { TraceIds } from './trace.ts'

export function factsOf(
  { outline, request }: CallInput,
  call: TraceIds & { publicKey: string; useCase: string | null; eurRate: EurRate },
): RequestFacts {
  const { model, hashes, bytes, upFront, choices } = outline
  const input = estimateUsage(outline.inputTokens, 0, 0)
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
    upFrontMicroeur: costMicroeur(upFront, model, call.eurRate),
    output: {
      tokens: outline.maxTokens,
      most: model.limits.maxOutputTokens,
      choices,
      microeurPerMillion: outputMicroeurPerMillion(upFront, model, call.eurRate),
    },
    inputMicroeur: costMicroeur(input, model, call.eurRate),
    useCase: call.useCase,
  }
}

function contentKinds({ messages, tools = [] }: ChatRequest): string[] {
  const parts = messages.flatMap(({ content }) => content)
  return [
    ...(parts.some(({ type }) => type === 'text') ? ['text'] : []),
    ...(parts.some(({ type }) => type === 'image') ? ['image'] : []),
    ...(parts.some(({ type }) => type === 'file') ? ['file'] : []),
    ...(tools.length > 0 ? ['tools'] : []),
  ]
}
