// Brings what changed among an organisation's members to its ledger: before the change is answered, and where that failed,
// with its next change or by the daily upkeep. At least once: what is brought twice has the same act_id.
import type { Act } from '../../organisation/acts.ts'
import { sealedBy } from '../../organisation/erasure/sealed.ts'
import type { OpenOrganisation } from '../../organisation/organisation-stub.ts'
import { MINUTE_MS, type Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { organisationErased } from '../organisation-refusals.ts'
import { memberKeys } from './member-keys.ts'
import { logUnreached } from './reach.ts'
import { PendingActsStore, type PendingAct } from './pending-acts.store.ts'

/** A younger change is still being delivered by the request that made it. */
const LEFT_AFTER_MS = MINUTE_MS
const PAGE = 100

export type ActDelivery = {
  /** This act, after what earlier changes of its organisation have left. Throws `service_unavailable`, and `organisation_closing`. */
  deliver(pending: PendingAct): Promise<void>
  /** Daily: what all organisations' changes have left. One that cannot be reached does not keep the others waiting. */
  deliverLeft(): Promise<void>
}

type Deps = { db: D1Database; open: OpenOrganisation; clock: Clock }

export function createActDelivery({ db, open, clock }: Deps): ActDelivery {
  const pendingActs = new PendingActsStore(db)
  const keys = memberKeys(open)

  async function bring({ id, organisation, act, createdAt }: PendingAct): Promise<void> {
    const identified: Act = { ...act, content: { ...act.content, act_id: id } }
    const personId = personWhoseKeysGo(act)
    const made = personId && { personId, before: createdAt + LEFT_AFTER_MS }
    if (made !== null) await keys.revokeAll(organisation, made, { ...identified, act: 'key.revoke' })
    await open(organisation).recordAct(identified)
    await pendingActs.delete(id)
  }

  /** The error for a failed delivery; null where it succeeded, and where the organisation is being erased. */
  async function failureOf(pending: PendingAct): Promise<AppError | null> {
    try {
      await bring(pending)
      return null
    } catch (thrown) {
      if (sealedBy(thrown) !== null) return organisationErased()
      logUnreached(pending.organisation.id, thrown)
      return notRecorded()
    }
  }

  async function listLeft({ id, organisation }: PendingAct): Promise<PendingAct[]> {
    try {
      const left = await pendingActs.listOf(organisation.id, clock() - LEFT_AFTER_MS)
      return left.filter((one) => one.id !== id)
    } catch (thrown) {
      logUnreached(organisation.id, thrown)
      throw notRecorded()
    }
  }

  return {
    async deliver(pending) {
      for (const one of [...(await listLeft(pending)), pending]) {
        const failure = await failureOf(one)
        if (failure !== null) throw failure
      }
    },

    async deliverLeft() {
      const before = clock() - LEFT_AFTER_MS
      let after = ''
      for (;;) {
        const page = await pendingActs.listAll(before, after, PAGE)
        for (const pending of page) await failureOf(pending)
        const last = page.at(-1)
        if (last === undefined) return
        after = last.id
      }
    },
  }
}

/** Whose keys are to be revoked with this act; null: nobody's. */
function personWhoseKeysGo({ act, content }: Act): `usr_${string}` | null {
  const person = content?.['member_id']
  const isWanted = act === 'member.remove' && content?.['revoke_keys'] === true
  return isWanted && typeof person === 'string' && person.startsWith('usr_') ? `usr_${person.slice(4)}` : null
}

const notRecorded = (): AppError =>
  new AppError(
    'service_unavailable',
    'The change is made, but could not be recorded yet; it will be. Look at what there is before you repeat it.',
    { headers: { 'x-should-retry': 'false' } },
  )
