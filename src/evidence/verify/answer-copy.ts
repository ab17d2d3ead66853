// Reads a caller's copy of an answer: one JSON object, or the raw events of a stream.
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeUtf8 } from '../../platform/bytes.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { READ_FAULTS, readJsonObject } from '../records/read-json-object.ts'

/** `whole`: a chat completion, a response, a message or an error, as the caller got it. */
export type AnswerCopy = { form: 'whole'; body: JsonObject } | { form: 'events'; events: readonly JsonObject[] }

export type ReadCopy = { copy: AnswerCopy } | { fault: string }

const NEITHER = 'It is neither one JSON object nor the events of a stream.'

export function readAnswerCopy(bytes: Uint8Array): ReadCopy {
  const text = decodeUtf8(bytes)
  if (text === null) return { fault: READ_FAULTS.not_utf8 }
  return /^\s*[{[]/.test(text) ? readWhole(bytes) : readEvents(text)
}

function readWhole(bytes: Uint8Array): ReadCopy {
  const read = readJsonObject(bytes)
  return read.readable ? { copy: { form: 'whole', body: read.object } } : { fault: READ_FAULTS[read.fault] }
}

function readEvents(text: string): ReadCopy {
  const events: JsonObject[] = []
  for (const { data, isEnded } of dataOfEvents(text)) {
    if (data.trim() === '[DONE]') continue
    const read = readJsonObject(utf8ToBytes(data))
    if (read.readable) events.push(read.object)
    // A stream that was cut ends within an event, which its reader never got.
    else if (isEnded || read.fault !== 'not_json') return { fault: `An event in it: ${READ_FAULTS[read.fault]}` }
  }
  return events.length === 0 ? { fault: NEITHER } : { copy: { form: 'events', events } }
}

type EventData = { data: string; isEnded: boolean }

/**
 * Returns the data of each event, by WHATWG's rules. The last event may have no blank line after it.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
function dataOfEvents(text: string): EventData[] {
  const found: EventData[] = []
  let lines: string[] = []
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (lines.length > 0) found.push({ data: lines.join('\n'), isEnded: true })
      lines = []
    } else if (line === 'data') lines.push('')
    else if (line.startsWith('data:')) lines.push(line.slice('data:'.length).replace(/^ /, ''))
  }
  return lines.length === 0 ? found : [...found, { data: lines.join('\n'), isEnded: false }]
}

/** Returns every `aqta` in the copy: of the answer, of the events of a stream, and of an error. */
export function aqtasIn(copy: AnswerCopy): JsonObject[] {
  const parts = copy.form === 'whole' ? [copy.body] : copy.events
  return parts
    .flatMap((part) => [part, part['error'], part['response'], part['message']])
    .flatMap((part) => (isJsonObject(part) && isJsonObject(part['aqta']) ? [part['aqta']] : []))
}

/** Returns the names of the members that have text in the copy: each format has its own. */
export const textMembersOf = (body: JsonObject): string[] =>
  ['choices', 'output', 'content'].filter((name) => body[name] !== undefined)

/** Returns the error if the copy is an error and nothing else; null for any other copy. */
export function refusalIn(copy: AnswerCopy): JsonObject | null {
  if (copy.form !== 'whole') return null
  const { error } = copy.body
  return isJsonObject(error) && textMembersOf(copy.body).length === 0 ? error : null
}

export function hasError(copy: AnswerCopy): boolean {
  const parts = copy.form === 'whole' ? [copy.body] : copy.events
  return parts.some(({ error, type }) => isJsonObject(error) || type === 'error' || type === 'response.failed')
}
