// Writes the answer of a Responses request, whole or as a stream, for every provider. Rewrites a cached answer for another call.
import { isJsonObject, readJson, type JsonObject } from '../../../platform/json.ts'
import { standardUsage, type Answer } from '../../../providers/chat-answer.ts'
import { once } from '../../../platform/once.ts'
import type { AnsweredCall, AnswerFormat } from '../../call/answer-format.ts'
import type { Bill } from '../../call/bill.ts'
import { withServedModel, type AnswerEnd, type Aqta } from '../../call/trace.ts'
import { parseEventStream, namedEvent } from '../../stream/event-writer.ts'
import {
  isInSummary,
  showsPiece,
  type ReasoningShown,
  callItem,
  formOf,
  itemId,
  messageItem,
  outputText,
  reasoningItem,
  refusalPart,
  encodeReasoning,
  urlCitations,
  type ItemStatus,
  type ItemType,
} from './item-writers.ts'
import { incompleteReason, responseObject, responseUsage, toSeconds } from './response-object.ts'
import { createResponseWriter, type Presented } from './response-writer.ts'

type FormatOptions = Presented & { readonly memberName: AnswerFormat['memberName'] }

const CHARACTER_BYTES = 2

export function responsesAnswerFormat({ memberName, ...presented }: FormatOptions): AnswerFormat {
  const { echo } = presented
  const measured = once(() => ({ bytes: CHARACTER_BYTES * JSON.stringify(echo).length }))
  return {
    verb: 'chat',
    passes: null,
    errors: 'standard',
    present: (call, { answer }, end) => presentResponse(call, answer, end, presented),
    createWriter(call) {
      const writer = createResponseWriter(call, presented)
      return { ...writer, bufferedBytes: () => writer.bufferedBytes() + measured().bytes }
    },
    renew: (call, { firstTraceId, isStream, body, aqta }) =>
      (isStream ? renewEvents : renewResponse)(call, firstTraceId, body, { ...echo, aqta }),
    memberName,
    repeatedBytes: () => measured().bytes,
  }
}

type ItemHead = { readonly id: string; readonly status: ItemStatus }
type BuildItem = {
  readonly type: ItemType
  readonly build: (place: ItemHead) => JsonObject
}

function presentResponse(
  call: AnsweredCall,
  answer: Answer,
  { bill, aqta, endedAt }: AnswerEnd & { bill: Bill },
  presented: Presented,
): JsonObject {
  const finishReason = answer.choices[0]?.finishReason ?? 'stop'
  const { echo, shown } = presented
  const said = [...messageOf(answer), ...callsOf(answer, presented)]
  const last = said.at(-1)
  const items = [...thoughtsOf(answer, shown), ...said, ...carrySignature(answer.choices[0]?.signature, shown)]
  const isCut = incompleteReason(finishReason) !== null
  const output = items.map((item, index) => {
    const id = itemId(call.traceId, item.type, index)
    return item.build({ id, status: isCut && item === last ? 'incomplete' : 'completed' })
  })
  const usage = bill.usage === null ? null : responseUsage(standardUsage(bill.usage))
  return { ...responseObject(call, echo, { model: answer.model, output, finishReason, endedAt, usage }), aqta }
}

/** An empty answer still has one message, without text. */
function messageOf({ choices: [choice], citations }: Answer): BuildItem[] {
  const { text = '', refusal, toolCalls = [] } = choice ?? {}
  const hasRefusal = Boolean(refusal)
  const hasText = text !== '' || (!hasRefusal && toolCalls.length === 0)
  const content = [
    ...(hasText ? [outputText(text, urlCitations(citations, text))] : []),
    ...(hasRefusal ? [refusalPart(refusal ?? '')] : []),
  ]
  return content.length === 0 ? [] : [{ type: 'message', build: (place) => messageItem(place, content) }]
}

const callsOf = ({ choices: [choice] }: Answer, { shown, nameOf }: Presented): BuildItem[] =>
  (choice?.toolCalls ?? []).flatMap(({ id, name, isCustom, arguments: text, signature }) => {
    const named = { id, isCustom, ...nameOf(name) }
    const build: BuildItem['build'] = (place) => callItem(place, named, text)
    return carrySignature(signature, shown, id).concat({ type: formOf(named).type, build })
  })

function thoughtsOf({ choices: [choice] }: Answer, shown: ReasoningShown): BuildItem[] {
  const { thinking = [], thoughts = [] } = choice ?? {}
  if (!thoughts.some((thought) => showsPiece(shown, thought))) return []
  const summary = thoughts.flatMap((thought) => (isInSummary(shown, thought) ? [thought.thinking] : []))
  const isCarried = shown.carriesReasoning && thinking.length > 0
  const encoded = isCarried ? encodeReasoning({ provider: 'anthropic', thinking }) : undefined
  return [{ type: 'reasoning', build: (place) => reasoningItem(place, { encoded, summary }) }]
}

/** @param called the call that the signature belongs to; else it belongs to the text */
function carrySignature(given: string | undefined, { carriesReasoning }: ReasoningShown, called?: string): BuildItem[] {
  if (given === undefined || !carriesReasoning) return []
  const encoded = encodeReasoning({ provider: 'google', signature: given, call: called })
  return [{ type: 'reasoning', build: (place) => reasoningItem(place, { encoded }) }]
}

/** The members of a cached answer that are this call's own: those that repeat the request, and `aqta`. */
type OwnMembers = JsonObject & { readonly aqta: Aqta }

/** @param first the trace of the call that the cached answer was made for: all ids in the answer have that trace's digits */
export function renewResponse(call: AnsweredCall, first: string, body: Uint8Array, own: OwnMembers): Uint8Array[] {
  const response = readRenamed(call, first, new TextDecoder().decode(body))
  if (response === null) throw new TypeError('a response is a JSON object')
  return [new TextEncoder().encode(JSON.stringify(renew(call, response, own)))]
}

export const renewEvents = (call: AnsweredCall, first: string, body: Uint8Array, own: OwnMembers): Uint8Array[] =>
  parseEventStream(body).map(({ event, data, raw }) => {
    const content = readRenamed(call, first, data ?? '')
    if (content === null || event === null) return raw
    const { response } = content
    return namedEvent(event, isJsonObject(response) ? { ...content, response: renew(call, response, own) } : content)
  })

/** The model's text cannot contain these digits: they are random for each call, and no model receives them. */
const readRenamed = (call: AnsweredCall, first: string, text: string): JsonObject | null => {
  const json = readJson(text.replaceAll(digitsOf(first), digitsOf(call.traceId)))
  return isJsonObject(json) ? json : null
}

const digitsOf = (traceId: string): string => traceId.slice('tr_'.length)

function renew({ startedAt }: AnsweredCall, response: JsonObject, { aqta, ...echo }: OwnMembers): JsonObject {
  const at = toSeconds(startedAt)
  return {
    ...response,
    ...echo,
    created_at: at,
    completed_at: response['completed_at'] === null ? null : at,
    ...('aqta' in response && { aqta: withServedModel(aqta, response['aqta']) }),
  }
}
