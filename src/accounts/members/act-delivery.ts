// Delivers acts about members and invitations from D1 to the organisation's log, before the response. If that fails, the next
// change or the daily upkeep retries. Delivery is at least once: a repeated act has the same act_id.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { KeyRecord } from '../../keys/key.schema.ts'
import { causeOf, type Act } from '../../organisation/append-act.ts'
import type { MemberChange } from '../../organisation/keys/keys.target.ts'
import { closedStateOf } from '../../organisation/erasure/erasure-refusal.ts'
import { type OpenOrganisation, logUnreachable } from '../../organisation/organisation-client.ts'
import { MINUTE_MS, type Clock } from '../../platform/time.ts'
import { AppError } from '../../platform/errors.ts'
import { keysReachOf, may, ROLES } from '../access/roles.policy.ts'
import { closingErrorForPerson } from '../../organisation/refusal-errors.ts'
import { PendingActsStore, type PendingAct } from './pending-acts.store.ts'

/** A younger change is still being delivered by the request that made it. */
const PENDING_AFTER_MS = MINUTE_MS
const PAGE_SIZE = 100

export type ActDelivery = {
  /**
   * Delivers this act, after the pending acts of earlier changes of its organisation. Returns the keys of the member that worked.
   * Throws `service_unavailable` and `organisation_closing`.
   */
  deliver(pending: PendingAct): Promise<readonly KeyRecord[]>
  /** Delivers all pending acts of an organisation, so that a change that is repeated after a failure is whole. Throws as `deliver`. */
  deliverLeft(organisation: PendingAct['organisation']): Promise<void>
  /** Delivers the pending acts of all organisations, daily. An organisation that cannot be reached does not delay the others. */
  deliverPending(): Promise<void>
}

type Deps = { db: D1Database; open: OpenOrganisation; clock: Clock }

export function createActDelivery({ db, open, clock }: Deps): ActDelivery {
  const pendingActs = new PendingActsStore(db)

  async function deliverOne({ id, organisation, act, createdAt }: PendingAct): Promise<readonly KeyRecord[]> {
    const identified: Act = { ...act, content: { ...act.content, act_id: id } }
    const change = memberChangeOf(act, id, createdAt)
    const object = open(organisation)
    const keys = change === null ? [] : await object.keys.changeMember(change, identified)
    if (change === null) await object.log.recordAct(identified, factorMessageOf(act, id))
    await pendingActs.delete(id)
    return keys
  }

  async function deliverOrFail(pending: PendingAct): Promise<readonly KeyRecord[] | AppError> {
    try {
      return await deliverOne(pending)
    } catch (thrown) {
      if (closedStateOf(thrown) !== null) return closingErrorForPerson()
      logUnreachable(pending.organisation.id, thrown)
      return notRecorded()
    }
  }

  async function listPending({ id }: PendingAct['organisation'], before: number): Promise<PendingAct[]> {
    try {
      return await pendingActs.listOf(id, before)
    } catch (thrown) {
      logUnreachable(id, thrown)
      throw notRecorded()
    }
  }

  async function deliverAll(acts: readonly PendingAct[]): Promise<readonly KeyRecord[]> {
    let keys: readonly KeyRecord[] = []
    for (const one of acts) {
      const delivered = await deliverOrFail(one)
      if (delivered instanceof AppError) throw delivered
      keys = delivered
    }
    return keys
  }

  return {
    async deliver(pending) {
      const earlier = await listPending(pending.organisation, clock() - PENDING_AFTER_MS)
      return deliverAll([...earlier.filter(({ id }) => id !== pending.id), pending])
    },

    async deliverLeft(organisation) {
      await deliverAll(await listPending(organisation, Number.MAX_SAFE_INTEGER))
    },

    async deliverPending() {
      const before = clock() - PENDING_AFTER_MS
      let after = ''
      for (;;) {
        const page = await pendingActs.listAll(before, after, PAGE_SIZE)
        for (const pending of page) await deliverOrFail(pending)
        const last = page.at(-1)
        if (last === undefined) return
        after = last.id
      }
    },
  }
}

const MemberActSchema = once(() =>
  z.object({
    act: z.enum(['member.join', 'member.role', 'member.access_end', 'member.remove']),
    content: z.object({
      member_id: z.templateLiteral(['usr_', z.string()]),
      role: z.enum(ROLES),
      previous_role: z.enum(ROLES).nullable().default(null),
      revoke_keys: z.boolean().default(false),
    }),
  }),
)

const CHANGES = {
  'member.join': 'joined',
  'member.role': 'role',
  'member.access_end': 'access_end',
  'member.remove': 'removed',
} as const

/** Returns how the act changes the member's rights and keys in the organisation's object; null if it does not. */
function memberChangeOf(memberAct: Act, id: PendingAct['id'], changedAt: number): MemberChange | null {
  const read = MemberActSchema().safeParse(memberAct)
  if (!read.success) return null
  const { act, content } = read.data
  const { member_id: personId, role, previous_role, revoke_keys: revokeKeys } = content
  const isMember = act !== 'member.remove'
  return {
    personId,
    mayDecide: isMember && may(role, 'approvals:decide'),
    keysReach: isMember ? keysReachOf(role) : null,
    changedAt,
    revokeKeys,
    facts: { change: CHANGES[act], role, previous_role },
    messageId: messageIdOf(id),
  }
}

const FactorActSchema = once(() =>
  z.object({
    act: z.enum(['person.factor_added', 'person.factor_removed', 'person.factor_locked', 'person.factor_reset_done']),
    actor: z.string(),
    content: z.object({
      factor: z.enum(['passkey', 'totp']).nullable().default(null),
      member_id: z.string().optional(),
    }),
  }),
)

const FACTOR_CHANGES = {
  'person.factor_added': 'added',
  'person.factor_removed': 'removed',
  'person.factor_locked': 'locked',
  'person.factor_reset_done': 'reset',
} as const

/** Returns the webhook's message about a change of a person's second factors; undefined if the act is none. */
function factorMessageOf(made: Act, id: PendingAct['id']) {
  const read = FactorActSchema().safeParse({ content: {}, ...made })
  if (!read.success) return undefined
  const { act, actor, content } = read.data
  const data = {
    ...causeOf(made),
    member_id: content.member_id ?? actor,
    change: FACTOR_CHANGES[act],
    kind: content.factor,
  }
  return { event: { type: 'factor.changed' as const, data }, messageId: messageIdOf(id) }
}

const messageIdOf = (id: PendingAct['id']): MemberChange['messageId'] => `msg_${id.slice('act_'.length)}`

const notRecorded = (): AppError =>
  new AppError(
    'service_unavailable',
    'The change was made but is not recorded yet; the service will retry. Check the current state before you repeat it.',
    { headers: { 'x-should-retry': 'false' } },
  )
