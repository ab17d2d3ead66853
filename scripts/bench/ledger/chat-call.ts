// What a chat call leaves in the ledger, of the usual size and as varied as it is: ids and hashes differ, names repeat.
import { describeDecision, type UnsignedRecord } from '../../../src/evidence/records/record.ts'
import type { EntryContent } from '../../../src/evidence/entry.ts'
import { newRequestId } from '../../../src/platform/ids.ts'

export type ChatCall = { attestationId: string; record: UnsignedRecord; facts: EntryContent; settlement: EntryContent }

const ORGANISATION_ID = `org_${'0'.repeat(36)}`
const KEY_ID = `key_${'0'.repeat(36)}`

/** @param position of the call's decision, which its settlement names */
export function typicalCall(position: number, now: number): ChatCall {
  const attestationId = crypto.randomUUID()
  const tokens = 20 + Math.floor(Math.random() * 2000)
  const record = describeDecision(
    {
      attestationId,
      traceId: `tr_${randomHex(16)}`,
      organisationId: ORGANISATION_ID,
      requestHash: randomHex(32),
      model: 'gpt-4.1-mini',
      outcome: 'ALLOWED',
      policies: ['loop_guard', 'model_allowlist', 'rate_limit'],
      costPreventedMicroeur: 0,
      decidedAt: now,
    },
    '0'.repeat(43),
  )
  const facts = {
    reason: null,
    key_id: KEY_ID,
    request_id: newRequestId(now),
    provider: 'openai',
    stream: false,
    content_kinds: ['text'],
    bytes: tokens * 4,
    reserve_microeur: tokens,
    use_case: null,
  }
  const settlement = {
    settles: position,
    ended: 'completed',
    cost_microeur: tokens,
    estimated: false,
    usage: { input_uncached: tokens, cache_read: 0, cache_write: 0, output_visible: tokens % 700, reasoning: 0 },
    upstream_ms: 300 + tokens,
    finish_reason: 'stop',
    error_cause: null,
  }
  return { attestationId, record, facts, settlement }
}

const randomHex = (bytes: number): string => crypto.getRandomValues(new Uint8Array(bytes)).toHex()
