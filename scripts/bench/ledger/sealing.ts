// Puts away what five hundred chat calls left, as the organisation's object does, up to where R2 would take it.
import { receiptEntry } from '../../../src/evidence/records/receipt-entry.ts'
import { packEntries, type KeptEntry } from '../../../src/organisation/journal/archive-object.ts'
import { encodeEntry } from '../../../src/evidence/entry.ts'
import { DAY_MS } from '../../../src/platform/clock.ts'
import { importSealingKey, seal } from '../../../src/platform/seal.ts'
import { typicalCall } from './chat-call.ts'

const CALLS = 500

/** How many entries were sealed, and the bytes of their objects. */
export async function sealBatches(times: number): Promise<{ leaves: number; bytes: number }> {
  const entries = typicalEntries()
  const key = await importSealingKey(crypto.getRandomValues(new Uint8Array(32)))
  let bytes = 0
  for (let n = 0; n < times; n++) bytes += (await seal(key, `ledger/${n}`, await packEntries(entries))).byteLength
  return { leaves: times * entries.length, bytes }
}

function typicalEntries(): KeptEntry[] {
  const at = Date.UTC(2026, 0, 1)
  return Array.from({ length: CALLS }, (_, n) => {
    const position = 2 * n
    const { record, facts, settlement } = typicalCall(position, at + 1000 * n)
    const times = { at: at + 1000 * n, expiresAt: at + 1000 * n + 365 * DAY_MS }
    const entry = Uint8Array.from(receiptEntry(record))
    const settled = encodeEntry('settlement', {
      ...settlement,
      kind: 'settlement',
      at: new Date(times.at).toISOString(),
    })
    return [
      { position, kind: 'chat_decision', ...times, entry, facts: JSON.stringify(facts) },
      { position: position + 1, kind: 'settlement', ...times, entry: settled, facts: null },
    ]
  }).flat()
}
