// Limits the invitations a day, so that nobody can flood a mailbox through us. The operator is not counted.
import { createHmac } from 'node:crypto'
import { DAY_MS, type Clock } from '../../platform/time.ts'
import type { Pepper } from '../../platform/config.ts'
import type { OrganisationId, PersonId } from '../../platform/ids.ts'
import { emailKeyOf } from '../people/people.store.ts'

/** Counts a try within a window that begins with the first; one too many is not counted. */
export type TakeTry = (
  subject: string,
  window: { most: number; windowMs: number },
  now: number,
) => Promise<{ taken: true } | { taken: false; endsAt: number }>

export type InvitationLimits = {
  /** Null if the invitation may be sent, else the seconds to wait. */
  count(from: { organisation: OrganisationId; person: PersonId }, email: string): Promise<number | null>
}

const MOST_A_DAY = { organisation: 100, person: 50, address: 10 } as const

export function createInvitationLimits(deps: { takeTry: TakeTry; pepper: Pepper; clock: Clock }): InvitationLimits {
  const { takeTry, pepper, clock } = deps
  const subject = (...parts: readonly string[]): string =>
    createHmac('sha256', pepper.bytes)
      .update(JSON.stringify(['invitations-1', ...parts]))
      .digest('base64url')

  return {
    async count({ organisation, person }, email) {
      const counted = [
        ['organisation', organisation],
        ['person', person],
        ['address', emailKeyOf(email)],
      ] as const
      for (const [per, value] of counted) {
        const now = clock()
        const taken = await takeTry(subject(per, value), { most: MOST_A_DAY[per], windowMs: DAY_MS }, now)
        if (!taken.taken) return Math.max(1, Math.ceil((taken.endsAt - now) / 1000))
      }
      return null
    },
  }
}
