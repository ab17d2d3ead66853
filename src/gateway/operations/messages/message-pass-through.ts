// Passes on the events of a provider that speaks Anthropic's format, byte for byte: thoughts keep their signatures, and whatever the
// provider adds arrives. Only the first event and the last but one gain `aqta`.
import type { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import { MessageHasher } from '../../../evidence/records/message-hasher.ts'
import { isJsonObject } from '../../../platform/json.ts'
import { parseJson } from '../../../providers/lossless-json.ts'
import { FramedItem } from '../../../providers/sse.ts'
import type { AnsweredCall } from '../../call/answer-format.ts'
import { isClosed, namedEvent, withBlankLine, type EventWriter } from '../../stream/event-writer.ts'
import { messageUsage } from './message-object.ts'
import { startAqta, startUsage, writeEvent, type MessageEvent } from './message-writer.ts'

export function createMessagePassThrough(call: AnsweredCall, answerHasher: AnswerHasher): EventWriter {
  const hasher = new MessageHasher(answerHasher)
  /** The last event with the usage, until the cost is known. */
  let held: MessageEvent | null = null
  let stop: Uint8Array[] = []

  const release = (): Uint8Array[] => {
    const event = held
    held = null
    return event === null ? [] : [writeEvent(event)]
  }

  return {
    push(item) {
      if (item instanceof FramedItem) {
        answerHasher.addContentBytes(0, item.raw, item.textStart, item.textStart + item.textBytes)
        return [item.raw]
      }
      // An event that was cut or cannot be read is not passed on: the error follows in its place.
      if (item.events.some(({ type }) => type === 'failed')) return []
      const parsed = item.json ?? parseJson(item.data ?? '')
      if (!isEvent(parsed)) return isClosed(item.raw) ? [item.raw] : []
      // A provider’s own word of this name is not ours.
      const json: MessageEvent = { ...parsed, aqta: undefined }
      hasher.addEvent(json)
      switch (json.type) {
        case 'message_start':
          if (!isJsonObject(json['message'])) return [item.raw]
          return [
            writeEvent({
              ...json,
              message: { usage: startUsage(call), ...json['message'], role: 'assistant', aqta: startAqta(call) },
            }),
          ]
        case 'message_delta': {
          const before = release()
          held = json
          return before
        }
        case 'message_stop':
          stop = [writeEvent(json)]
          return []
        default:
          return [withBlankLine(item.raw)]
      }
    },
    isComplete: () => false,
    finish({ aqta, usage }) {
      const estimate = aqta.cost_estimated === true && { usage: messageUsage(usage) }
      if (held !== null) held = { ...held, ...estimate, aqta }
      return release()
    },
    close: () => stop,
    fail: (error) => [...release(), namedEvent('error', error)],
    bufferedBytes: () => hasher.bufferedBytes(),
    outline() {
      hasher.end()
      return answerHasher.outline()
    },
  }
}

const isEvent = (value: unknown): value is MessageEvent => isJsonObject(value) && typeof value['type'] === 'string'
