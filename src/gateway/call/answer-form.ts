// How an answer looks to its caller, and the outline of a call that it is made from.
import type { JsonObject } from '../../platform/json.ts'
import type { Usage } from '../../providers/answer.ts'
import type { Model } from '../../providers/catalogue.ts'
import type { Completion } from '../../providers/client.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import type { Bill } from './bill.ts'
import type { RequestHashes } from './request-hash.ts'
import type { Aqta } from './trace.ts'

export type CallOutline = {
  readonly model: Model
  readonly hashes: RequestHashes
  readonly bytes: number
  /** The most it can use before anything is written, and a guess at its input. */
  readonly upFront: Usage
  readonly inputTokens: number
  /** The caller's own limit for each choice; null where it set none. */
  readonly maxTokens: number | null
  readonly choices: number
  /** As the caller asked, whether or not it is sent; null where it did not say. */
  readonly temperature: number | null
}

/** `startedAt` in Unix milliseconds. */
export type AnsweredCall = {
  readonly traceId: string
  readonly startedAt: number
  readonly outline: CallOutline
}

export type Completed = Pick<Extract<Completion, { ok: true }>, 'answer' | 'standardBody'>

/** How an answer looks to the caller: all of a call that depends on its wire format, beside the reader of the request. */
export type AnswerForm = {
  /** The operation's id. */
  readonly route: 'createChatCompletion' | 'createResponse'
  /** The body of an answer in one piece. */
  present(call: AnsweredCall, completed: Completed, end: { bill: Bill; aqta: Aqta }): JsonObject
  /** @param standardChunks whether the provider's events are the chat standard's own chunks */
  createWriter(call: AnsweredCall, standardChunks: boolean): EventWriter
  /** An answer that was given before, as one to this call. `firstTraceId`: of the call that it answered first. */
  renew(
    call: AnsweredCall,
    given: { firstTraceId: string; isStream: boolean; body: Uint8Array; aqta: Aqta },
  ): Uint8Array[]
  /** The caller's name of a request member. `chatPath`: its name in a chat completion, such as `messages[2].content`. */
  memberName(chatPath: string): string
}
