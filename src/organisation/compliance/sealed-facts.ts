// Whether all that is sealed has its key.
import type { DataFacts } from '../../reports/controls/facts.ts'

/** What is planned is still in the database, and has no key yet. */
const QUERY = `
  SELECT COUNT(*) AS objects, COUNT(*) - COUNT(data_keys.key) AS withoutKey,
    EXISTS (SELECT 1 FROM data_keys WHERE purpose = 'content' AND key IS NOT NULL) AS hasContentKey
  FROM sealed_details
  LEFT JOIN data_keys ON data_keys.number = sealed_details.data_key AND data_keys.purpose = 'ledger'
  WHERE sealed_details.data_key IS NOT NULL`

export function readSealed(sql: SqlStorage): DataFacts['sealed'] {
  const { objects, withoutKey, hasContentKey } = sql
    .exec<{ objects: number; withoutKey: number; hasContentKey: number }>(QUERY)
    .one()
  return { objects, withoutKey, hasContentKey: hasContentKey === 1 }
}
