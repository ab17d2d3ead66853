// An answer in one piece, as a Response object.
import { standardUsage, type Answer } from '../../providers/answer.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import type { AnsweredCall } from '../call/answer-form.ts'
import type { Aqta } from '../call/aqta.schema.ts'
import type { Bill } from '../call/bill.ts'
import { sealReasoning } from './carried-reasoning.ts'
import {
  callItem,
  itemId,
  messageItem,
  outputText,
  reasoningItem,
  refusalPart,
  urlCitations,
  type ItemStatus,
} from './output-items.ts'
import { isTold, showsPiece, type ReasoningShown } from './open-reasoning.ts'
import { incompleteReason, responseObject, responseUsage, type Echo } from './response-object.ts'

type Place = { readonly id: string; readonly status: ItemStatus }
type BuildItem = {
  readonly type: 'message' | 'function_call' | 'reasoning'
  readonly build: (place: Place) => JsonObject
}

export function presentResponse(
  call: AnsweredCall,
  answer: Answer,
  { bill, aqta }: { bill: Bill; aqta: Aqta },
  echo: Echo & ReasoningShown,
): JsonObject {
  const finishReason = answer.choices[0]?.finishReason ?? 'stop'
  const said = [...messageOf(answer), ...callsOf(answer, echo)]
  const last = said.at(-1)
  const items = [...thoughtsOf(answer, echo), ...said, ...signatureOf(answer, echo)]
  const isCut = incompleteReason(finishReason) !== null
  const output = items.map((item, index) => {
    const id = itemId(call.traceId, item.type, index)
    return item.build({ id, status: isCut && item === last ? 'incomplete' : 'completed' })
  })
  const usage = bill.usage === null ? null : responseUsage(standardUsage(bill.usage))
  return { ...responseObject(call, echo, { model: answer.model, output, finishReason, usage }), aqta }
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

const callsOf = ({ choices: [choice] }: Answer, shown: ReasoningShown): BuildItem[] =>
  (choice?.toolCalls ?? []).flatMap(({ signature, ...called }) =>
    carrySignature(signature, shown, called.id).concat({
      type: 'function_call',
      build: (place) => callItem(place, called),
    }),
  )

function thoughtsOf({ choices: [choice] }: Answer, shown: ReasoningShown): BuildItem[] {
  const { thinking = [], thoughts = [] } = choice ?? {}
  if (!thoughts.some((thought) => showsPiece(shown, thought))) return []
  const told = thoughts.flatMap((thought) => (isTold(shown, thought) ? [thought.thinking] : []))
  const isCarried = shown.carriesReasoning && thinking.length > 0
  const sealed = isCarried ? sealReasoning({ provider: 'anthropic', thinking }) : undefined
  return [{ type: 'reasoning', build: (place) => reasoningItem(place, { sealed, summary: told }) }]
}

const signatureOf = ({ choices: [choice] }: Answer, shown: ReasoningShown): BuildItem[] =>
  carrySignature(choice?.signature, shown)

/** @param called the call it is of; else it is of the text */
function carrySignature(given: string | undefined, { carriesReasoning }: ReasoningShown, called?: string): BuildItem[] {
  if (given === undefined || !carriesReasoning) return []
  const sealed = sealReasoning({ provider: 'google', signature: given, call: called })
  return [{ type: 'reasoning', build: (place) => reasoningItem(place, { sealed }) }]
}
