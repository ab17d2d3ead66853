// Writes answers in Anthropic's format: those of a provider that speaks it are passed on, all others are translated. A cached answer
// gets the id and `aqta` of its new call.
import { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import { isJsonObject, readJson, type JsonObject } from '../../../platform/json.ts'
import { parseJsonObject } from '../../../providers/lossless-json.ts'
import { hashFunctions } from '../../../platform/sha256.ts'
import type { AnsweredCall, AnswerFormat } from '../../call/answer-format.ts'
import { withServedModel, type Aqta } from '../../call/trace.ts'
import { namedEvent, parseEventStream } from '../../stream/event-writer.ts'
import { messageId, presentMessage } from './message-object.ts'
import { createMessagePassThrough } from './message-pass-through.ts'
import { createMessageWriter, startAqta } from './message-writer.ts'

type Options = Pick<AnswerFormat, 'memberName' | 'repeatedBytes'>

export const messagesAnswerFormat = ({ memberName, repeatedBytes }: Options): AnswerFormat => ({
  verb: 'chat',
  passes: 'messages',
  errors: 'messages',
  present: presentMessage,
  createWriter(call, isPassed) {
    const hasher = new AnswerHasher(hashFunctions)
    const writer = isPassed ? createMessagePassThrough(call, hasher) : createMessageWriter(call, hasher)
    return { ...writer, bufferedBytes: () => writer.bufferedBytes() + repeatedBytes() }
  },
  renew: (call, { isStream, body, aqta }) =>
    isStream ? renewEvents(call, body, aqta) : [renewMessage(call, body, aqta)],
  memberName,
  repeatedBytes,
})

function renewMessage(call: AnsweredCall, body: Uint8Array, aqta: Aqta): Uint8Array {
  const message = parseJsonObject(new TextDecoder().decode(body))
  if (message === null) throw new TypeError('a message is a JSON object')
  const renewed = { ...message, id: messageId(call), aqta: withServedModel(aqta, message['aqta']) }
  return new TextEncoder().encode(JSON.stringify(renewed))
}

const renewEvents = (call: AnsweredCall, body: Uint8Array, aqta: Aqta): Uint8Array[] =>
  parseEventStream(body).map(({ event, data, raw }) => {
    const content = readJson(data ?? '')
    if (!isJsonObject(content) || event === null) return raw
    const { message } = content
    if (isJsonObject(message)) return namedEvent(event, { ...content, message: renewStart(call, message) })
    return 'aqta' in content ? namedEvent(event, { ...content, aqta: withServedModel(aqta, content['aqta']) }) : raw
  })

const renewStart = (call: AnsweredCall, message: JsonObject): JsonObject => ({
  ...message,
  id: messageId(call),
  aqta: startAqta(call),
})
