// What an organisation's people do with the content that it keeps: read that of one call, erase it, erase all. The ledger is told:
// of a reading before anything is handed out, of an erasure once the object is gone. No text comes by here.
import { z } from 'zod'
import { contentOf } from '../../evidence/entry.ts'
import { deleteObjects } from '../journal/sealed-object.ts'
import { readJson } from '../../platform/json-object.ts'
import { appendAct, type Act } from '../acts.ts'
import type { Journal } from '../journal/journal.ts'
import type { OwnLog, RecordedCall } from '../journal/own-log.ts'
import type { TakeTurn } from '../stores.ts'
import type { KeptAnswers } from '../admit/keep-answer.ts'
import type { ContentKeys } from './content-keys.ts'
import type { ContentPlace, StoredContent } from './content-object.ts'

/**
 * Why there is no content of a call. `not_logged`: nothing was to be kept of it. `lost`: it was, and could not be. `over`: its time is.
 * `erased`: its key was destroyed. `running`: the call is not settled.
 */
export type NoContent = 'not_logged' | 'lost' | 'over' | 'erased' | 'running'

type Absent = { outcome: 'not_found' | 'not_kept' | 'unreadable' } | { outcome: 'none'; why: NoContent }

/** Where it is and with which key it opens. */
export type ContentOpened = { outcome: 'opened'; place: ContentPlace; stored: StoredContent } | Absent

export type ContentErased = { outcome: 'erased'; position: number } | Absent

type Parts = {
  ownLog: Pick<OwnLog, 'findCall'>
  journal: Journal
  keys: ContentKeys
  /** Copies of an answer for those who send its request again. */
  answers: KeptAnswers
  bucket: R2Bucket
  /** Of whoever manages the organisation. */
  takeTurn: TakeTurn
}

/** Beside a decision: where its content was to go. */
const PlannedSchema = z.object({ content: z.object({ key: z.string(), expires_at: z.iso.datetime() }) })

const StoredSchema = z.object({ content: z.object({ sha256: z.string(), bytes: z.int() }) })

type Planned = { fingerprint: string; expiresAt: number }

export class OrganisationContent {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Rejects where R2 or the index does: then ask again. */
  async open(attestationId: string, act: Act, now: number): Promise<ContentOpened> {
    const { ownLog, journal, keys, takeTurn } = this.#parts
    const call = await ownLog.findCall(attestationId, now)
    if (call.outcome !== 'found') return call
    const planned = plannedFor(call)
    if (planned === null) return none('not_logged')
    if (call.settlement === null) return none('running')
    const stored = StoredSchema.safeParse(contentOf(call.settlement.entry)).data?.content
    if (stored === undefined) return none('lost')
    if (planned.expiresAt <= now) return none('over')
    return takeTurn(() => {
      const place = keys.find(wanted(attestationId, planned), planned.fingerprint)
      if (place === null) return none('erased')
      appendAct(journal, { ...act, content: describe(call) }, now)
      return { outcome: 'opened', place, stored }
    })
  }

  /** With what is kept of its answer to be given again. Rejects where R2 or the index does: then ask again. Harmless to do again. */
  async erase(attestationId: string, act: Act, now: number): Promise<ContentErased> {
    const { ownLog, journal, keys, answers, bucket, takeTurn } = this.#parts
    const call = await ownLog.findCall(attestationId, now)
    if (call.outcome !== 'found') return call
    const planned = plannedFor(call)
    const copies = answers.find(attestationId)
    if (planned === null && copies.length === 0) return none('not_logged')
    if (call.settlement === null) return none('running')
    const place = planned && keys.find(wanted(attestationId, planned), planned.fingerprint)
    if (place === null && copies.length === 0) return none('erased')
    await deleteObjects(bucket, place === null ? copies : [place.name, ...copies])
    return takeTurn(() => {
      answers.forget(attestationId)
      return { outcome: 'erased', position: appendAct(journal, { ...act, content: describe(call) }, now) }
    })
  }

  /** From here on nobody can read any of it. The upkeep deletes the objects. Says at which position the ledger is told. */
  eraseAll(act: Act, now: number): number {
    const { journal, keys, takeTurn } = this.#parts
    return takeTurn(() => {
      keys.destroy(now)
      return appendAct(journal, act, now)
    })
  }
}

/** Where the content of a call was to go; null where none was to be kept. */
function plannedFor({ decision }: RecordedCall): Planned | null {
  const planned = PlannedSchema.safeParse(readJson(decision.facts ?? '')).data?.content
  return planned === undefined ? null : { fingerprint: planned.key, expiresAt: Date.parse(planned.expires_at) }
}

const none = (why: NoContent) => ({ outcome: 'none', why }) as const

const wanted = (attestationId: string, { expiresAt }: Planned) => ({ attestationId, kind: 'call', expiresAt }) as const

const describe = ({ decision, record }: RecordedCall) => ({
  attestation_id: record.attestation_id,
  position: decision.position,
})
