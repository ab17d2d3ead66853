// The tables of an organisation's object, in the order in which they came to be.
import { KEY_MAKERS_SCHEMA, KEYS_BY_MAKER_SCHEMA, KEYS_SCHEMA } from '../keys/keys.store.ts'
import { ENTRIES_SCHEMA } from './journal/entries.store.ts'
import { TILE_LEVELS_SCHEMA } from '../tiles/tile-levels.store.ts'
import { PROGRESS_SCHEMA } from './journal/progress.store.ts'
import { WEBHOOK_MESSAGES_SCHEMA } from '../notifications/messages.store.ts'
import { TOLD_BUDGETS_SCHEMA } from '../notifications/told-budgets.store.ts'
import { WEBHOOK_SCHEMA } from '../notifications/webhook.store.ts'
import { KEY_FINGERPRINTS_SCHEMA, SEALED_DETAILS_SCHEMA } from './journal/sealed-details.store.ts'
import { growTree, TREE_SCHEMA } from '../tiles/older-tree.store.ts'
import { APPROVALS_OF_CALLS_SCHEMA, ENDED_APPROVALS_SCHEMA } from './approvals/ended-approvals.store.ts'
import { MEMBER_RIGHTS_SCHEMA } from './keys/member-rights.store.ts'
import { ANCHORS_SCHEMA } from './publish/anchors.store.ts'
import { ANOMALIES_SCHEMA } from './bias/anomalies.store.ts'
import { CACHE_SCHEMA } from './admit/cache.store.ts'
import { CALLS_SCHEMA } from './admit/calls.store.ts'
import { LATEST_ACTS_SCHEMA } from './compliance/latest-acts.store.ts'
import { REPORTS_SCHEMA } from './compliance/reports.store.ts'
import { STATEMENTS_SCHEMA } from './compliance/statements.store.ts'
import { CONTENT_CLEANING_SCHEMA } from './content/content-cleaning.store.ts'
import { DATA_KEY_PURPOSES_SCHEMA, DATA_KEYS_SCHEMA } from './journal/data-keys.store.ts'
import { ERASED_SCHEMA, FREE_ERASED_SCHEMA } from './erasure/erased.store.ts'
import {
  CANCELLED_ERASURES_SCHEMA,
  ERASURE_SCHEMA,
  LOG_ENDS_WITH_ERASURE_SCHEMA,
} from './erasure/erasure-state.store.ts'
import { EXPORT_ACTORS_SCHEMA, EXPORTS_SCHEMA } from './export/exports.store.ts'
import { IDEMPOTENCY_SCHEMA, KEPT_ANSWERS_SCHEMA } from './admit/idempotency.store.ts'
import * as older from './older/released-tables.ts'
import { takeOver } from './older/take-over.ts'
import { POLICY_VERSIONS_SCHEMA } from './policy/policy-versions.store.ts'
import { NEWEST_IS_READ_ANEW, SNAPSHOTS_SCHEMA } from './journal/snapshots.store.ts'
import { USAGE_SCHEMA } from './usage/usage-tables.ts'

/** Applied in order, once each; a step that has been released never changes. */
export const ORGANISATION_MIGRATIONS = [
  KEYS_SCHEMA,
  older.LIMITS_SCHEMA,
  older.LEDGER_SCHEMA,
  older.COSTS_SCHEMA,
  older.SETTINGS_SCHEMA,
  older.SPENDING_SCHEMA,
  older.LOOPS_SCHEMA,
  older.UPKEEP_SCHEMA,
  TREE_SCHEMA,
  growTree,
  older.RECEIPTS_SCHEMA,
  older.RECEIPT_FACTS_SCHEMA,
  older.PUBLICATION_SCHEMA,
  older.DETAIL_RUNS_SCHEMA,
  SEALED_DETAILS_SCHEMA,
  DATA_KEYS_SCHEMA,
  KEY_FINGERPRINTS_SCHEMA,
  older.SETTLEMENTS_SCHEMA,
  older.findSettlements,
  older.SETTINGS_VERSION_SCHEMA,
  older.DAY_BEFORE_SCHEMA,
  older.DAY_COSTS_SCHEMA,
  older.CACHE_INSTRUCTIONS_SCHEMA,
  KEY_MAKERS_SCHEMA,
  IDEMPOTENCY_SCHEMA,
  ERASURE_SCHEMA,
  ERASED_SCHEMA,
  older.RETENTION_AND_LOOPS_SCHEMA,
  EXPORTS_SCHEMA,
  CANCELLED_ERASURES_SCHEMA,
  EXPORT_ACTORS_SCHEMA,
  TILE_LEVELS_SCHEMA,
  ENTRIES_SCHEMA,
  SNAPSHOTS_SCHEMA,
  PROGRESS_SCHEMA,
  FREE_ERASED_SCHEMA,
  takeOver,
  CALLS_SCHEMA,
  LOG_ENDS_WITH_ERASURE_SCHEMA,
  DATA_KEY_PURPOSES_SCHEMA,
  CONTENT_CLEANING_SCHEMA,
  POLICY_VERSIONS_SCHEMA,
  NEWEST_IS_READ_ANEW,
  WEBHOOK_SCHEMA,
  WEBHOOK_MESSAGES_SCHEMA,
  TOLD_BUDGETS_SCHEMA,
  KEPT_ANSWERS_SCHEMA,
  ENDED_APPROVALS_SCHEMA,
  CACHE_SCHEMA,
  LATEST_ACTS_SCHEMA,
  STATEMENTS_SCHEMA,
  REPORTS_SCHEMA,
  USAGE_SCHEMA,
  APPROVALS_OF_CALLS_SCHEMA,
  ANOMALIES_SCHEMA,
  KEYS_BY_MAKER_SCHEMA,
  MEMBER_RIGHTS_SCHEMA,
  ANCHORS_SCHEMA,
]
