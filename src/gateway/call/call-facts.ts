// What the organisation is told of a request so that it can decide: kinds, sizes, hashes and the most it can cost.
// Never a word of it.
import type { RequestFacts } from '../../organisation/admit/chat-gate.ts'
import type { Scan } from '../../organisation/admit/record-chat.ts'
import type { ContentFacts } from '../../policies/document/content-type-guard.policy.ts'
import { countCharacters } from '../../scanning/texts/request-texts.ts'
import { costMicroeur, outputMicroeurPerMillion, type EurRate } from '../../providers/cost.ts'
import { estimateUsage } from '../../providers/estimate.ts'
import type { ChatRequest } from '../../providers/request.ts'
import type { CallInput } from './prepare-call.ts'
import type { TraceIds } from './trace.ts'

/** What the caller tells in headers. */
export type CallerFacts = Pick<RequestFacts, 'useCase' | 'cohort' | 'idempotencyKeyHash' | 'approval'>

export function factsOf(
  { outline, request, form, dropped }: CallInput,
  call: TraceIds &
    CallerFacts &
    Pick<RequestFacts, 'insteadOf'> & { publicKey: string; eurRate: EurRate; scan: Scan | null },
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
    content: contentOf(request, bytes),
    upFrontMicroeur: costMicroeur(upFront, model, call.eurRate),
    output: {
      tokens: outline.maxTokens,
      most: model.limits.maxOutputTokens,
      choices,
      microeurPerMillion: outputMicroeurPerMillion(upFront, model, call.eurRate),
    },
    inputMicroeur: costMicroeur(input, model, call.eurRate),
    useCase: call.useCase,
    cohort: call.cohort,
    scan: call.scan,
    route: form.route,
    idempotencyKeyHash: call.idempotencyKeyHash,
    approval: call.approval,
    temperature: outline.temperature,
    hasDropped: dropped.length > 0,
    insteadOf: call.insteadOf,
  }
}

/** A search of the web is a tool, however it is asked for. */
function contentOf(request: ChatRequest, bytes: number): ContentFacts {
  const { messages, tools = [], webSearch } = request
  const toolCount = tools.length + (webSearch === undefined ? 0 : 1)
  const content = { bytes, characters: countCharacters(request), texts: 0, images: 0, files: 0, tools: toolCount }
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'text') content.texts += part.text === '' ? 0 : 1
      else if (part.type === 'image') content.images += 1
      else content.files += 1
    }
  }
  return content
}
