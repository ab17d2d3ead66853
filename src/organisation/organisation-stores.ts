// Opens the stores that the features of an organisation's object share. Some stores cache rows in memory, so an object opens each
// only once. Also defines TakeTurn, which runs one transaction.
import { KeysStore } from '../keys/keys.store.ts'
import { EntriesStore } from './journal/entries.store.ts'
import { WebhookMessagesStore } from '../notifications/webhook-messages.store.ts'
import { MemberNoticesStore } from '../notifications/member-notices.store.ts'
import { BudgetNoticesStore } from '../notifications/budget-notices.store.ts'
import { WebhookStore } from '../notifications/webhook.store.ts'
import { AnswerCacheStore } from './admit/answer-cache.store.ts'
import { ChatCostsStore } from './admit/chat-costs.store.ts'
import { ContentKeys } from './content/content-keys.ts'
import { ExportsStore } from './export/exports.store.ts'
import { EndedApprovalsStore } from './approvals/ended-approvals.store.ts'
import { ErasureStateStore } from './erasure/erasure-state.store.ts'
import { IdempotencyStore } from './admit/idempotency.store.ts'
import { Journal, type Build } from './journal/journal.ts'
import { MemberRightsStore } from './keys/member-rights.store.ts'
import { OutcomesStore } from './outcomes/outcomes.store.ts'
import { PolicyVersionsStore } from './policies/policy-versions.store.ts'

export type Stores = ReturnType<typeof openStores>

/** Runs what one call decides and writes, in a single synchronous transaction. */
export type TakeTurn = <T>(work: () => T) => T

/**
 * @param object the organisation's part of its R2 objects' names
 * @param describeBuild what the log says of the software that writes it
 */
export function openStores(sql: SqlStorage, object: string, describeBuild?: () => Build | null) {
  return {
    erasure: new ErasureStateStore(sql),
    keys: new KeysStore(sql),
    journal: new Journal(sql, describeBuild),
    entries: new EntriesStore(sql),
    claims: new IdempotencyStore(sql),
    policies: new PolicyVersionsStore(sql),
    outbox: {
      webhook: new WebhookStore(sql),
      messages: new WebhookMessagesStore(sql),
      notices: new BudgetNoticesStore(sql),
      members: new MemberNoticesStore(sql),
    },
    content: new ContentKeys(sql, object),
    endedApprovals: new EndedApprovalsStore(sql),
    memberRights: new MemberRightsStore(sql),
    cache: new AnswerCacheStore(sql),
    costs: new ChatCostsStore(sql),
    exports: new ExportsStore(sql),
    outcomes: new OutcomesStore(sql),
  }
}
