// The interface that each wire format implements to write answers, and the facts about a call that it needs.
import type { AttestationRecord } from '../../evidence/records/attestation-record.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { ErrorForm } from '../../platform/errors.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import type { VerbName } from '../../providers/provider.ts'
import type { Completion } from '../../providers/provider-client.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import type { RouteOutline } from './asked-routes.ts'
import type { Bill } from './bill.ts'
import type { RequestHashes } from './request-hash.ts'
import type { AnswerEnd, Aqta } from './trace.ts'

export type CallOutline = {
  /** The model as its preferred route serves it. */
  readonly model: Model
  /** The routes that this deployment can use, with their prices when the request was read. The preferred one comes first. */
  readonly routes: readonly [RouteOutline, ...RouteOutline[]]
  readonly hashes: RequestHashes
  readonly bytes: number
  /** An estimate of its input. */
  readonly inputTokens: number
  /** Absent for an operation whose model writes nothing. */
  readonly chat?: ChatOutline
}

export type ChatOutline = {
  /** The caller's own limit for each choice; null if it set none. */
  readonly maxTokens: number | null
  readonly choices: number
  /** True if a JSON schema goes with it, which some providers keep elsewhere than its text. */
  readonly hasSchema: boolean
  /** The caller's temperature, even if it is not sent; null if it set none. */
  readonly temperature: number | null
}

/** `startedAt`: when its request was read, in Unix milliseconds. The answer's time of creation, and that of its prices. */
export type AnsweredCall = {
  readonly traceId: string
  readonly attestation: AttestationRecord
  readonly startedAt: number
  readonly outline: CallOutline
}

export type CompletedAnswer = Pick<Extract<Completion, { ok: true }>, 'answer' | 'passedBody'>

/** Writes answers in one wire format. Only this and the reader of the request depend on the format. */
export type AnswerFormat = {
  readonly verb: VerbName
  /** The format of a provider whose answers can be passed on; null if there is none. */
  readonly passes: 'chat' | 'messages' | null
  readonly errors: ErrorForm
  present(call: AnsweredCall, completed: CompletedAnswer, end: AnswerEnd & { bill: Bill }): JsonObject
  /** @param isPassed whether the provider's events are in this format already, so that they can be passed on */
  createWriter(call: AnsweredCall, isPassed: boolean): EventWriter
  /** Rewrites a cached answer as the answer to this call. `firstTraceId`: the trace of the call that the answer was made for. */
  renew(
    call: AnsweredCall,
    given: { firstTraceId: string; isStream: boolean; body: Uint8Array; aqta: Aqta },
  ): Uint8Array[]
  /** Returns the caller's name of a request member. `chatPath`: its name in a chat completion, such as `messages[2].content`. */
  memberName(chatPath: string): string
  /** Returns the bytes of the request that the answer repeats. They stay in memory until its end. */
  repeatedBytes(): number
}
