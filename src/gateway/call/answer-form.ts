// How an answer looks to the caller who asked, and what they call the members of their request: the one thing about a call
// that depends on the route it came by.
import type { Completion } from '../../providers/client.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import type { Aqta } from './aqta.schema.ts'
import type { Bill } from './bill.ts'
import type { CallOutline } from './call-outline.ts'

/** `startedAt` in Unix milliseconds. */
export type AnsweredCall = {
  readonly traceId: string
  readonly startedAt: number
  readonly outline: CallOutline
}

export type Completed = Pick<Extract<Completion, { ok: true }>, 'answer' | 'standardBody'>

export type AnswerForm = {
  /** The operation's id. */
  readonly route: 'createChatCompletion' | 'createResponse'
  /** The body of an answer in one piece. */
  present(call: AnsweredCall, completed: Completed, told: { bill: Bill; aqta: Aqta }): JsonObject
  /** @param standardChunks whether the provider's events are the chat standard's own chunks */
  createWriter(call: AnsweredCall, standardChunks: boolean): EventWriter
  /** An answer that was given before, as one to this call. `firstTraceId`: of the call that it answered first. */
  renew(
    call: AnsweredCall,
    given: { firstTraceId: string; isStream: boolean; body: Uint8Array; aqta: Aqta },
  ): Uint8Array[]
  /** What the caller calls a member of the request that a chat completion calls `chatPath`, such as `messages[2].content`. */
  memberName(chatPath: string): string
}
