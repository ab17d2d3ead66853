// The tables of the public log's object. The first step is the schema of the first release.
import type { MigrationStep } from '../platform/object-migrations.ts'
import { TILE_LEVELS_SCHEMA } from '../tiles/tile-levels.store.ts'
import { BATCHES_SCHEMA } from './batches.store.ts'
import { COSIGNED_SCHEMA } from './cosigned.store.ts'
import { HEAD_SCHEMA } from './heads.store.ts'
import { SOURCES_SCHEMA } from './intake.store.ts'
import { PROGRESS_SCHEMA, ProgressStore } from './progress.store.ts'

const TABLES = [TILE_LEVELS_SCHEMA, PROGRESS_SCHEMA, BATCHES_SCHEMA, SOURCES_SCHEMA, HEAD_SCHEMA, COSIGNED_SCHEMA]

function createTables(sql: SqlStorage): void {
  for (const schema of TABLES) sql.exec(schema)
  new ProgressStore(sql).begin()
}

/** Steps run in order, once each. */
export const PUBLIC_LOG_MIGRATIONS: readonly MigrationStep[] = [createTables]
