// Opens the stores of an organisation's object: those that hold rows in memory and those that only read and write them.
import { KeysStore } from '../keys/keys.store.ts'
import { EntriesStore } from './journal/entries.store.ts'
import { MessagesStore } from '../notifications/messages.store.ts'
import type { Outbox } from '../notifications/notify.ts'
import { BudgetNoticesStore } from '../notifications/budget-notices.store.ts'
import { WebhookStore } from '../notifications/webhook.store.ts'
import { CacheStore } from './admit/cache.store.ts'
import { ContentKeys } from './content/content-keys.ts'
import { ExportsStore } from './export/exports.store.ts'
import { EndedApprovalsStore } from './approvals/ended-approvals.store.ts'
import { ErasureStateStore } from './erasure/erasure-state.store.ts'
import { IdempotencyStore } from './admit/idempotency.store.ts'
import { Journal } from './journal/journal.ts'
import { MemberRightsStore } from './keys/member-rights.store.ts'
import { PolicyVersionsStore } from './policy/policy-versions.store.ts'

export type Stores = {
  erasure: ErasureStateStore
  keys: KeysStore
  journal: Journal
  entries: EntriesStore
  claims: IdempotencyStore
  policies: PolicyVersionsStore
  outbox: Outbox
  content: ContentKeys
  endedApprovals: EndedApprovalsStore
  memberRights: MemberRightsStore
  cache: CacheStore
  exports: ExportsStore
}

/** Runs what one call decides and writes, in a single synchronous transaction. */
export type TakeTurn = <T>(work: () => T) => T

/** @param object the organisation's part of its R2 objects' names */
export function openStores(sql: SqlStorage, object: string): Stores {
  return {
    erasure: new ErasureStateStore(sql),
    keys: new KeysStore(sql),
    journal: new Journal(sql),
    entries: new EntriesStore(sql),
    claims: new IdempotencyStore(sql),
    policies: new PolicyVersionsStore(sql),
    outbox: { webhook: new WebhookStore(sql), messages: new MessagesStore(sql), notices: new BudgetNoticesStore(sql) },
    content: new ContentKeys(sql, object),
    endedApprovals: new EndedApprovalsStore(sql),
    memberRights: new MemberRightsStore(sql),
    cache: new CacheStore(sql),
    exports: new ExportsStore(sql),
  }
}
