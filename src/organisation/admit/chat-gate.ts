// The Worker's side of a gateway call: asks the organisation's object before a model runs, models are listed or the log is read.
// Reports to the object how a call ended. Fails closed: if the object cannot be reached, the call is refused with 503.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { InvalidKey } from '../../keys/key-rules.policy.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import type { ChatAdmission } from './admission-outcomes.ts'
import { logUnreachable, repeatSettlement, type OpenOrganisation } from '../organisation-client.ts'
import type { ChatFacts } from './record-chat.ts'
import { createGateCore, setRateHeaders, type ObjectCall } from './gate-core.ts'
import type { ClaimAndCacheUpdate } from './answer-reuse.ts'
import type { CallWithoutModel, AdmissionWithoutModel, LogAnswer, QuotaRefusal, RateRefusal } from './check-call.ts'
import type { ChatSettled, ChatSettlement } from './settle-chat.ts'

export type RequestFacts = Omit<ChatFacts, 'keyId' | 'secretHash' | 'organisationId' | 'requestId' | 'worker'>

export type LogQuestion<T> = ObjectCall<LogAnswer<T>>

/** All but `settleChat` send the rate in headers. All that ask throw `service_unavailable` if the object cannot be reached. */
export type ChatGate = {
  /** Returns the refusal that this isolate remembers for the key, or null. Call it before any other work for the request. */
  recall(c: AppContext, key: ParsedKey): KnownRefusal | null
  admitChat(c: AppContext, key: ParsedKey, facts: RequestFacts): Promise<ChatAdmission>
  /** Counts a request that cannot be run (400, 404, 413, 503). A refusal returned here outranks that error. */
  admitInvalid(c: AppContext, key: ParsedKey): Promise<AdmissionWithoutModel>
  /** Returns what the key's organisation may use, for the list of models. Counts for the minute, not for the month's quota. */
  describe(c: AppContext, key: ParsedKey): Promise<AdmissionWithoutModel>
  /** Counts a count of tokens, for a minute of its own. */
  admitTokenCount(c: AppContext, key: ParsedKey): Promise<AdmissionWithoutModel>
  /** Checks that the key may manage its organisation. Counted as `describe` is. */
  admitManage(c: AppContext, key: ParsedKey): Promise<AdmissionWithoutModel>
  /** Asks the object about the log. Counted as `describe` is. */
  readLog<T>(c: AppContext, key: ParsedKey, question: LogQuestion<T>): Promise<LogAnswer<T>>
  /** Reports what a running chat costs so far. Never throws: the estimate of a chat that breaks off is then less exact. */
  noteChatCost(key: ParsedKey, cost: Pick<ChatSettlement, 'position' | 'costMicroeur'>): Promise<void>
  /**
   * Never throws: the object's alarm settles what this cannot, by an estimate. Returns null if it is unknown what was
   * written.
   */
  settleChat(key: ParsedKey, settlement: ChatSettlement, after?: ClaimAndCacheUpdate): Promise<ChatSettled | null>
}

type Answer = ChatAdmission | AdmissionWithoutModel | LogAnswer<unknown>

type KnownRefusal = InvalidKey | RateRefusal | (QuotaRefusal & { retryAt: number })

/** @param worker the id of this Worker's version; null if it is not known */
export function createChatGate(open: OpenOrganisation, clock: Clock, worker: string | null = null): ChatGate {
  const { objectOf, ask, ...core } = createGateCore<KnownRefusal, Answer>({ open, clock, refusesAll })

  const askWithoutModel = (c: AppContext, key: ParsedKey, call: CallWithoutModel): Promise<AdmissionWithoutModel> =>
    ask(c, key, async (object, caller): Promise<AdmissionWithoutModel> => object.admitWithoutModel(call, caller))

  const recall = (c: AppContext, key: ParsedKey): KnownRefusal | null => setRateHeaders(c, core.recall(key))

  /** Recalls a refusal for a list of models or a read of the log. A used-up quota does not refuse these. */
  function recallIgnoringQuota(c: AppContext, key: ParsedKey): InvalidKey | RateRefusal | null {
    const refusal = core.recall(key)
    return setRateHeaders(c, refusal?.outcome === 'quota_exceeded' ? null : refusal)
  }

  return {
    recall,
    async admitChat(c, key, facts) {
      const who = { organisationId: key.organisationId, requestId: c.get('requestId'), worker }
      // The object must release the claim of the earlier admission, even if it refuses the call now.
      const known = facts.insteadOf === null ? recall(c, key) : null
      return (
        known ??
        ask(c, key, async (object, caller): Promise<ChatAdmission> => object.admitChat({ ...facts, ...caller, ...who }))
      )
    },
    async admitInvalid(c, key) {
      return recall(c, key) ?? askWithoutModel(c, key, 'invalid')
    },
    async describe(c, key) {
      return recallIgnoringQuota(c, key) ?? askWithoutModel(c, key, 'models')
    },
    async admitTokenCount(c, key) {
      const admission = await askWithoutModel(c, key, 'tokens')
      // It refuses no other call.
      if (admission.outcome === 'rate_limit_exceeded') core.forget(key)
      return admission
    },
    async admitManage(c, key) {
      return recallIgnoringQuota(c, key) ?? askWithoutModel(c, key, 'management')
    },
    async readLog(c, key, question) {
      return recallIgnoringQuota(c, key) ?? ask(c, key, question)
    },
    async noteChatCost(key, { position, costMicroeur }) {
      try {
        await objectOf(key).noteChatCost(position, costMicroeur)
      } catch (thrown) {
        logUnreachable(key.organisationId, thrown, key.keyId)
      }
    },
    async settleChat(key, settlement, after) {
      const settled = await repeatSettlement(key, async (): Promise<ChatSettled> =>
        objectOf(key).settleChat(settlement, after),
      )
      // An earlier attempt may have settled the call, and its answer may have been lost.
      if (settled === null || (settled.isRepeated && settled.answer.outcome === 'not_open')) return null
      return settled.answer
    },
  }
}

/** Returns a refusal if it refuses every call of the key. A used-up budget may have room for a smaller call. */
function refusesAll(answer: Answer, now: number): KnownRefusal | null {
  if (answer.outcome === 'rate_limit_exceeded' || answer.outcome === 'invalid_api_key') return answer
  if (answer.outcome !== 'quota_exceeded' || answer.reason === 'budget') return null
  return { ...answer, retryAt: now + answer.retryAfterSeconds * 1000 }
}
