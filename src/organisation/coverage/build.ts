// Describes this build of the software for the log: which it is, the forms that it writes, and what its log covers.
import { ANCHOR_FORMAT } from '../../evidence/bundles/anchor.ts'
import { EVIDENCE_FORMAT } from '../../evidence/bundles/logged-record.ts'
import { ANSWER_FORM } from '../../evidence/records/answer-outline.ts'
import { COVERAGE_FORM, coverageKey } from '../../evidence/records/coverage-entry.ts'
import { FACTS_FORM } from '../../evidence/records/facts-commitment.ts'
import { OUTCOME_PROFILE, READING_PROFILE } from '../../evidence/records/reading-words.ts'
import { AUDIT_SCHEMA } from '../../evidence/verify/export-lines.ts'
import { describeSoftware } from '../../platform/build.ts'
import { readConfig } from '../../platform/config.ts'
import { DAY_MS } from '../../platform/time.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { readEndpointSettings } from '../../providers/endpoint-settings.ts'
import { catalogueSha256 } from '../../providers/model-catalogue.ts'
import { ENDPOINT_IDS } from '../../providers/provider-registry.ts'
import type { Build } from '../journal/journal.ts'
import { ALSO, DECIDES, READS, WRITES_NONE } from './surface.ts'

/** Returns null in unit tests, where nothing was built. Throws ConfigError. */
export function describeBuild(env: Cloudflare.Env): Build | null {
  const { environment } = readConfig(env)
  const software = describeSoftware(env, environment)
  if (software === null) return null
  const endpoints = readEndpointSettings(env, environment)
  const withKey = (isOn: boolean) => ENDPOINT_IDS.filter((id) => (endpoints[id].apiKey !== null) === isOn).toSorted()
  const content = {
    v: COVERAGE_FORM,
    software,
    forms: {
      anchor: ANCHOR_FORMAT,
      answer: ANSWER_FORM,
      bundle: EVIDENCE_FORMAT,
      export: AUDIT_SCHEMA,
      facts: FACTS_FORM,
      outcome: OUTCOME_PROFILE,
      reading: READING_PROFILE,
      record: '1',
    },
    catalogue: catalogueSha256(),
    decides: DECIDES,
    also: ALSO,
    reads: READS,
    enumerated_by: 'api_document',
    endpoints: { on: withKey(true), off: withKey(false) },
    writes_none: WRITES_NONE,
    at_capacity: { sent: 'nothing', status: 503 },
    // An open reading is settled after the next UTC day; a chat after fifteen minutes.
    settles_within_s: (2 * DAY_MS) / 1000,
  }
  return { content, key: coverageKey(content, sha256Hex), worker: software.worker?.id ?? null }
}
