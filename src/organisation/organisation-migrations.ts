// The tables of an organisation's object, in the order in which they came to be.
import { KEY_MAKERS_SCHEMA, KEYS_SCHEMA } from '../keys/keys.store.ts'
import { COSTS_SCHEMA, DAY_COSTS_SCHEMA } from '../keys/costs.store.ts'
import { DAY_BEFORE_SCHEMA, LIMITS_SCHEMA } from '../keys/limits.store.ts'
import { DETAIL_RUNS_SCHEMA } from '../ledger/details.store.ts'
import { LEDGER_SCHEMA, RECEIPT_FACTS_SCHEMA } from '../ledger/ledger.store.ts'
import { RECEIPTS_SCHEMA } from '../ledger/receipts.store.ts'
import { KEY_FINGERPRINTS_SCHEMA, SEALED_DETAILS_SCHEMA } from '../ledger/sealed-details.store.ts'
import { findSettlements, SETTLEMENTS_SCHEMA } from '../ledger/settlements.store.ts'
import { growTree, TREE_SCHEMA } from '../ledger/tree.store.ts'
import { DATA_KEYS_SCHEMA } from './data-keys.store.ts'
import { ERASED_SCHEMA } from './erasure/erased.store.ts'
import { CANCELLED_ERASURES_SCHEMA, ERASURE_SCHEMA } from './erasure/erasure-state.store.ts'
import { EXPORT_ACTORS_SCHEMA, EXPORTS_SCHEMA } from './export/exports.store.ts'
import { IDEMPOTENCY_SCHEMA } from './idempotency.store.ts'
import { LOOPS_SCHEMA } from './loops.store.ts'
import { PUBLICATION_SCHEMA } from './publication.store.ts'
import {
  CACHE_INSTRUCTIONS_SCHEMA,
  RETENTION_AND_LOOPS_SCHEMA,
  SETTINGS_SCHEMA,
  SETTINGS_VERSION_SCHEMA,
} from './settings.store.ts'
import { SPENDING_SCHEMA } from './spending.store.ts'
import { UPKEEP_SCHEMA } from './upkeep.ts'

/** Applied in order, once each; a step that has been released never changes. */
export const ORGANISATION_MIGRATIONS = [
  KEYS_SCHEMA,
  LIMITS_SCHEMA,
  LEDGER_SCHEMA,
  COSTS_SCHEMA,
  SETTINGS_SCHEMA,
  SPENDING_SCHEMA,
  LOOPS_SCHEMA,
  UPKEEP_SCHEMA,
  TREE_SCHEMA,
  growTree,
  RECEIPTS_SCHEMA,
  RECEIPT_FACTS_SCHEMA,
  PUBLICATION_SCHEMA,
  DETAIL_RUNS_SCHEMA,
  SEALED_DETAILS_SCHEMA,
  DATA_KEYS_SCHEMA,
  KEY_FINGERPRINTS_SCHEMA,
  SETTLEMENTS_SCHEMA,
  findSettlements,
  SETTINGS_VERSION_SCHEMA,
  DAY_BEFORE_SCHEMA,
  DAY_COSTS_SCHEMA,
  CACHE_INSTRUCTIONS_SCHEMA,
  KEY_MAKERS_SCHEMA,
  IDEMPOTENCY_SCHEMA,
  ERASURE_SCHEMA,
  ERASED_SCHEMA,
  RETENTION_AND_LOOPS_SCHEMA,
  EXPORTS_SCHEMA,
  CANCELLED_ERASURES_SCHEMA,
  EXPORT_ACTORS_SCHEMA,
]
