// Opens the stores that the features of an organisation's object share, creates all tables of the object and migrates them. Some
// stores cache rows in memory, so an object opens each only once. Also defines TakeTurn, which runs one transaction.
import { KeysStore, KEY_EVALUATION_SCHEMA, KEYS_SCHEMA } from '../keys/keys.store.ts'
import { EntriesStore } from './journal/entries.store.ts'
import { WebhookMessagesStore, WEBHOOK_MESSAGES_SCHEMA } from '../notifications/webhook-messages.store.ts'
import { MemberNoticesStore, MEMBER_NOTICES_SCHEMA } from '../notifications/member-notices.store.ts'
import { BudgetNoticesStore, BUDGET_NOTICES_SCHEMA } from '../notifications/budget-notices.store.ts'
import { WebhookStore, WEBHOOK_SCHEMA } from '../notifications/webhook.store.ts'
import { AnswerCacheStore, ANSWER_CACHE_SCHEMA } from './admit/answer-cache.store.ts'
import { ChatCostsStore, CHAT_COSTS_SCHEMA } from './admit/chat-costs.store.ts'
import { ContentKeys } from './content/content-keys.ts'
import { ExportsStore, EXPORTS_SCHEMA } from './export/exports.store.ts'
import { EndedApprovalsStore, ENDED_APPROVALS_SCHEMA } from './approvals/ended-approvals.store.ts'
import { ErasureStateStore, ERASURE_SCHEMA } from './erasure/erasure-state.store.ts'
import { IdempotencyStore, IDEMPOTENCY_SCHEMA } from './admit/idempotency.store.ts'
import { Journal, type Build } from './journal/journal.ts'
import { MemberRightsStore, MEMBER_RIGHTS_SCHEMA } from './keys/member-rights.store.ts'
import { OutcomesStore, OUTCOMES_SCHEMA } from './outcomes/outcomes.store.ts'
import { PolicyVersionsStore, POLICY_VERSIONS_SCHEMA } from './policies/policy-versions.store.ts'
import type { MigrationStep } from '../platform/durable-object.ts'
import { TILE_LEVELS_SCHEMA } from '../tiles/tile-levels.store.ts'
import { CALLS_SCHEMA } from './journal/calls-without-entry.store.ts'
import { ANOMALIES_SCHEMA } from './bias/anomalies.store.ts'
import { LATEST_ACTS_SCHEMA } from './compliance/latest-acts.store.ts'
import { REPORTS_SCHEMA, STATEMENTS_SCHEMA } from './compliance/reports-and-statements.store.ts'
import { CONTENT_CLEANING_SCHEMA } from './content/content-cleaning.store.ts'
import { COMPLETED_ERASURES_SCHEMA } from './erasure/completed-erasures.store.ts'
import { DATA_KEYS_SCHEMA } from './journal/data-keys.store.ts'
import { ENTRIES_SCHEMA } from './journal/entries-table.ts'
import { PROGRESS_SCHEMA, LogProgressStore } from './journal/log-progress.store.ts'
import { SEALED_DETAILS_SCHEMA } from './journal/sealed-details.store.ts'
import { SNAPSHOT_COVERAGE_SCHEMA, SNAPSHOTS_SCHEMA } from './journal/snapshots.store.ts'
import { ANCHORS_SCHEMA } from './publish/anchors.store.ts'
import { CALL_INDEX_SCHEMA } from './usage/call-index.store.ts'
import { SEARCH_BLOCKS_SCHEMA } from './usage/search-blocks.store.ts'
import { USAGE_SCHEMA, USAGE_WITHHELD_SCHEMA } from './usage/usage.store.ts'

export type Stores = ReturnType<typeof openStores>

/** Runs what one call decides and writes, in a single synchronous transaction. */
export type TakeTurn = <T>(work: () => T) => T

/**
 * @param object the organisation's part of its R2 objects' names
 * @param describeBuild what the log says of the software that writes it
 */
export const openStores = (sql: SqlStorage, object: string, describeBuild?: () => Build | null) => ({
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
})

/** A trigger is listed after the tables that it is on. */
const TABLES = [
  KEYS_SCHEMA,
  TILE_LEVELS_SCHEMA,
  ENTRIES_SCHEMA,
  CALLS_SCHEMA,
  SNAPSHOTS_SCHEMA,
  PROGRESS_SCHEMA,
  SEALED_DETAILS_SCHEMA,
  DATA_KEYS_SCHEMA,
  IDEMPOTENCY_SCHEMA,
  ANSWER_CACHE_SCHEMA,
  POLICY_VERSIONS_SCHEMA,
  ENDED_APPROVALS_SCHEMA,
  MEMBER_RIGHTS_SCHEMA,
  WEBHOOK_SCHEMA,
  WEBHOOK_MESSAGES_SCHEMA,
  BUDGET_NOTICES_SCHEMA,
  USAGE_SCHEMA,
  CALL_INDEX_SCHEMA,
  ANOMALIES_SCHEMA,
  ANCHORS_SCHEMA,
  LATEST_ACTS_SCHEMA,
  STATEMENTS_SCHEMA,
  REPORTS_SCHEMA,
  CONTENT_CLEANING_SCHEMA,
  EXPORTS_SCHEMA,
  ERASURE_SCHEMA,
  COMPLETED_ERASURES_SCHEMA,
]

function createTables(sql: SqlStorage): void {
  for (const schema of TABLES) sql.exec(schema)
  new LogProgressStore(sql).begin(Date.now())
}

/** Steps run in order, once each. The first is the schema of the first release. */
export const ORGANISATION_MIGRATIONS: readonly MigrationStep[] = [
  createTables,
  CHAT_COSTS_SCHEMA,
  KEY_EVALUATION_SCHEMA,
  OUTCOMES_SCHEMA,
  SNAPSHOT_COVERAGE_SCHEMA,
  USAGE_WITHHELD_SCHEMA,
  SEARCH_BLOCKS_SCHEMA,
  MEMBER_NOTICES_SCHEMA,
]
