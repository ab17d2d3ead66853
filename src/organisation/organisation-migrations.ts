// Creates the tables of an organisation's object, and migrates them. The first step is the schema of the first release.
import { KEY_EVALUATION_SCHEMA, KEYS_SCHEMA } from '../keys/keys.store.ts'
import { WEBHOOK_MESSAGES_SCHEMA } from '../notifications/webhook-messages.store.ts'
import { BUDGET_NOTICES_SCHEMA } from '../notifications/budget-notices.store.ts'
import { MEMBER_NOTICES_SCHEMA } from '../notifications/member-notices.store.ts'
import { WEBHOOK_SCHEMA } from '../notifications/webhook.store.ts'
import type { MigrationStep } from '../platform/durable-object.ts'
import { TILE_LEVELS_SCHEMA } from '../tiles/tile-levels.store.ts'
import { ANSWER_CACHE_SCHEMA } from './admit/answer-cache.store.ts'
import { CHAT_COSTS_SCHEMA } from './admit/chat-costs.store.ts'
import { CALLS_SCHEMA } from './journal/calls-without-entry.store.ts'
import { IDEMPOTENCY_SCHEMA } from './admit/idempotency.store.ts'
import { ENDED_APPROVALS_SCHEMA } from './approvals/ended-approvals.store.ts'
import { ANOMALIES_SCHEMA } from './bias/anomalies.store.ts'
import { LATEST_ACTS_SCHEMA } from './compliance/latest-acts.store.ts'
import { REPORTS_SCHEMA, STATEMENTS_SCHEMA } from './compliance/reports-and-statements.store.ts'
import { CONTENT_CLEANING_SCHEMA } from './content/content-cleaning.store.ts'
import { COMPLETED_ERASURES_SCHEMA } from './erasure/completed-erasures.store.ts'
import { ERASURE_SCHEMA } from './erasure/erasure-state.store.ts'
import { EXPORTS_SCHEMA } from './export/exports.store.ts'
import { DATA_KEYS_SCHEMA } from './journal/data-keys.store.ts'
import { ENTRIES_SCHEMA } from './journal/entries-table.ts'
import { PROGRESS_SCHEMA, LogProgressStore } from './journal/log-progress.store.ts'
import { SEALED_DETAILS_SCHEMA } from './journal/sealed-details.store.ts'
import { SNAPSHOT_COVERAGE_SCHEMA, SNAPSHOTS_SCHEMA } from './journal/snapshots.store.ts'
import { MEMBER_RIGHTS_SCHEMA } from './keys/member-rights.store.ts'
import { OUTCOMES_SCHEMA } from './outcomes/outcomes.store.ts'
import { POLICY_VERSIONS_SCHEMA } from './policies/policy-versions.store.ts'
import { ANCHORS_SCHEMA } from './publish/anchors.store.ts'
import { CALL_INDEX_SCHEMA } from './usage/call-index.store.ts'
import { SEARCH_BLOCKS_SCHEMA } from './usage/search-blocks.store.ts'
import { USAGE_SCHEMA, USAGE_WITHHELD_SCHEMA } from './usage/usage.store.ts'

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

/** Steps run in order, once each. */
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
