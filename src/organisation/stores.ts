// What an organisation's object holds in memory, and its turns: what one call decides and writes, in a single synchronous
// transaction. A turn that fails makes all that is held be read again.
import { KeysStore } from '../keys/keys.store.ts'
import { MessagesStore } from '../notifications/messages.store.ts'
import type { Outbox } from '../notifications/notify.ts'
import { ToldBudgetsStore } from '../notifications/told-budgets.store.ts'
import { WebhookStore } from '../notifications/webhook.store.ts'
import { ErasureStateStore } from './erasure/erasure-state.store.ts'
import { IdempotencyStore } from './idempotency.store.ts'
import { Journal } from './journal.ts'
import { PolicyVersionsStore } from './policy-versions.store.ts'

export type Stores = {
  erasure: ErasureStateStore
  keys: KeysStore
  journal: Journal
  claims: IdempotencyStore
  policies: PolicyVersionsStore
  outbox: Outbox
}

export type TakeTurn = <T>(work: () => T) => T

export function openStores(sql: SqlStorage): Stores {
  return {
    erasure: new ErasureStateStore(sql),
    keys: new KeysStore(sql),
    journal: new Journal(sql),
    claims: new IdempotencyStore(sql),
    policies: new PolicyVersionsStore(sql),
    outbox: { webhook: new WebhookStore(sql), messages: new MessagesStore(sql), told: new ToldBudgetsStore(sql) },
  }
}

/** The turn throws what `work` throws, and has then changed nothing. */
export function createTurns(storage: Pick<DurableObjectStorage, 'transactionSync'>, stores: Stores): TakeTurn {
  return (work) => {
    try {
      return storage.transactionSync(work)
    } catch (thrown) {
      for (const store of [stores.journal, stores.keys, stores.erasure, stores.outbox.webhook]) store.forget()
      throw thrown
    }
  }
}
