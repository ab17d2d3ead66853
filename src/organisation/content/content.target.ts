// Opens the stored content of one call, erases it, or erases all content of an organisation. Opening is logged before anything is
// returned; erasing is logged after the R2 object is deleted. No text enters the organisation's object.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { contentOf } from '../../evidence/entry.ts'
import { deleteObjects } from '../journal/archive-bucket.store.ts'
import { readJson } from '../../platform/json.ts'
import { appendAct, type Act } from '../append-act.ts'
import { answerCopiesOf } from '../admit/answer-reuse.ts'
import type { RecordedCall } from '../journal/log-reader.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { ContentPlace, StoredContent } from './content-object.ts'

/**
 * Why a call has no content. `not_logged`: none was to be stored. `lost`: storing it failed. `over`: it has expired. `erased`:
 * its key was destroyed. `running`: the call is not settled.
 */
export type NoContent = 'not_logged' | 'lost' | 'over' | 'erased' | 'running'

type Absent = { outcome: 'not_found' | 'not_kept' | 'unreadable' } | { outcome: 'none'; why: NoContent }

/** `place`: the R2 object's name and the key that opens it. */
export type ContentOpened = { outcome: 'opened'; place: ContentPlace; stored: StoredContent } | Absent

export type ContentErased = { outcome: 'erased'; position: number } | Absent

/** Stored beside a decision: the R2 object that was planned for its content. */
const PlannedSchema = once(() => z.object({ content: z.object({ key: z.string(), expires_at: z.iso.datetime() }) }))

const StoredSchema = once(() => z.object({ content: z.object({ sha256: z.string(), bytes: z.int() }) }))

type Planned = { fingerprint: string; expiresAt: number }

export class ContentTarget extends FeatureTarget<'env' | 'stores' | 'turns' | 'logReader'> {
  /** Returns where a call's content is stored, and its key. Rejects if R2 or the public log's index fails; then retry. */
  async open(attestationId: string, act: Act): Promise<ContentOpened> {
    const { logReader, stores, turns } = this.parts
    const now = Date.now()
    const call = await logReader.findCall(attestationId, now)
    if (call.outcome !== 'found') return call
    const planned = plannedFor(call)
    if (planned === null) return none('not_logged')
    if (call.settlement === null) return none('running')
    const stored = StoredSchema().safeParse(contentOf(call.settlement.entry)).data?.content
    if (stored === undefined) return none('lost')
    if (planned.expiresAt <= now) return none('over')
    return turns.takeUntilClosed(() => {
      const place = stores.content.find(contentIdentity(attestationId, planned), planned.fingerprint)
      if (place === null) return none('erased')
      appendAct(stores.journal, { ...act, content: describeCall(call) }, now)
      return { outcome: 'opened', place, stored }
    })
  }

  /** Erases a call's content, and its copies for repeated requests. Safe to repeat. Rejects as `open` does. */
  async erase(attestationId: string, act: Act): Promise<ContentErased> {
    const { env, logReader, stores, turns } = this.parts
    const now = Date.now()
    const answers = answerCopiesOf(stores)
    const call = await logReader.findCall(attestationId, now)
    if (call.outcome !== 'found') return call
    const planned = plannedFor(call)
    const copies = answers.find(attestationId)
    if (planned === null && copies.length === 0) return none('not_logged')
    if (call.settlement === null) return none('running')
    const place = planned && stores.content.find(contentIdentity(attestationId, planned), planned.fingerprint)
    if (place === null && copies.length === 0) return none('erased')
    await deleteObjects(env.FILES, place === null ? copies : [place.name, ...copies])
    return turns.takeUntilClosed(() => {
      answers.forget(attestationId)
      return { outcome: 'erased', position: appendAct(stores.journal, { ...act, content: describeCall(call) }, now) }
    })
  }

  /** Destroys the key, so that nobody can read any content. The alarm deletes the objects. Returns the entry's position. */
  eraseAll(act: Act): number {
    return this.parts.turns.change(
      ({ journal, content }, now) => {
        content.destroy(now)
        return appendAct(journal, act, now)
      },
      (_, now) => now,
    )
  }
}

/** Returns where a call's content was planned to be stored; null if none was to be stored. */
function plannedFor({ decision }: RecordedCall): Planned | null {
  const planned = PlannedSchema().safeParse(readJson(decision.facts ?? '')).data?.content
  return planned === undefined ? null : { fingerprint: planned.key, expiresAt: Date.parse(planned.expires_at) }
}

const none = (why: NoContent) => ({ outcome: 'none', why }) as const

const contentIdentity = (attestationId: string, { expiresAt }: Planned) =>
  ({ attestationId, kind: 'call', expiresAt }) as const

const describeCall = ({ decision, record }: RecordedCall) => ({
  attestation_id: record.attestation_id,
  position: decision.position,
})
