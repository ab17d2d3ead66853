// What a log covers, `coverage-1`: the content of an entry that says which software writes the decisions after it.
import type { JsonObject } from '../../platform/json.ts'
import { canonicalJson } from './canonical-json.ts'
import type { HashText } from './facts-commitment.ts'

export const COVERAGE_FORM = 'coverage-1'

const KEY_DIGITS = 32

/** Returns 32 hex digits, the same for all entries of one build of the software with the same settings. */
export function coverageKey(content: JsonObject, hash: HashText): string {
  const { at: _at, kind: _kind, policy_version: _policy, retention_days: _days, ...surface } = content
  return hash(canonicalJson(surface)).slice(0, KEY_DIGITS)
}
