// Erases an organisation for its owner: request, show, cancel. Also reads the signed record of any erasure. The organisation's
// object decides; D1 has an index of erasures.
import type { OrganisationsStore } from '../../accounts/organisations.store.ts'
import type { Access } from '../../accounts/access/access-control.ts'
import type { Mail, Mailer } from '../../platform/mail.ts'
import type { Act } from '../../organisation/append-act.ts'
import { erasureCancelledMail, erasureScheduledMail } from '../../organisation/erasure/erasure-mails.ts'
import type { ErasureProgress } from '../../organisation/erasure/erasure.ts'
import type { ErasuresStore, AccountRowsStore } from '../../organisation/erasure/erasures.store.ts'
import type { OpenOrganisation } from '../../organisation/organisation-client.ts'
import { DAY_MS, type Clock } from '../../platform/time.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { recordUrl, type ShownErasure } from './erasure.schema.ts'

/** The time in which an erasure can be cancelled, in milliseconds. */
export const GRACE_MS = 7 * DAY_MS

type Deps = {
  organisations: Pick<OrganisationsStore, 'findOrganisation'>
  erasures: ErasuresStore
  registered: Pick<AccountRowsStore, 'listOwners'>
  open: OpenOrganisation
  mailer: Mailer
  clock: Clock
}

/** An owner's request. `origin` is for links in mails; `later` runs work that the response does not wait for. */
export type Asking = {
  organisation: Access['organisation']
  personId: PersonId
  requestId: string
  origin: string
  later: (work: Promise<unknown>) => void
}

export type RequestErasure = { name: string; immediately: boolean }

export type ErasureRequested =
  | { outcome: 'scheduled'; erasure: ErasureProgress }
  | { outcome: 'other_name' }
  | { outcome: 'too_late' }

export type ErasureCancelled =
  | { outcome: 'cancelled'; erasure: ShownErasure }
  | { outcome: 'too_late' }
  | { outcome: 'none' }

export type ErasureService = ReturnType<typeof createErasureService>

export function createErasureService({ organisations, erasures, registered, open, mailer, clock }: Deps) {
  const mailOwners = (owners: readonly string[], content: Omit<Mail, 'to'>): Promise<unknown> =>
    Promise.all(owners.map((to) => mailer.send({ to, ...content })))

  return {
    async request(asking: Asking, { name, immediately }: RequestErasure): Promise<ErasureRequested> {
      const { organisation, personId, origin } = asking
      const found = await organisations.findOrganisation(organisation.id)
      if (found === null) return { outcome: 'too_late' }
      if (!isSameName(name, found.name)) return { outcome: 'other_name' }
      const now = clock()
      const request = {
        id: newId('era_', now),
        subject: organisation.id,
        jurisdiction: organisation.jurisdiction,
        requestedBy: personId,
        requestedAt: now,
        dueAt: now + GRACE_MS,
      }
      const order = { request, isImmediate: immediately }
      // Reads the owners first, because an immediate erasure may delete them before the response.
      const owners = await registered.listOwners(organisation.id)
      const { erasure, isNew } = await open(organisation).erasure.schedule(order, act(asking, 'organisation.erase'))
      if (erasure?.state !== 'scheduled') return { outcome: 'too_late' }
      await erasures.indexScheduled(erasure)
      // Another request may have cancelled it before D1 had a row to cancel.
      const current = await open(organisation).erasure.read()
      if (current?.id !== erasure.id) await erasures.cancel(erasure.id)
      const { id, dueAt } = erasure
      const mail = { name: found.name, id, dueAt, isImmediate: immediately, origin, recordUrl: recordUrl(origin, id) }
      if (isNew) asking.later(mailOwners(owners, erasureScheduledMail(mail)))
      return { outcome: 'scheduled', erasure }
    },

    /** Returns null if no erasure is scheduled or running. */
    show: async ({ organisation }: Pick<Asking, 'organisation'>): Promise<ErasureProgress | null> =>
      open(organisation).erasure.read(),

    /** Cancels the erasure, which allows changes again, and mails the owners. Can be repeated after an interruption. */
    async cancel(asking: Asking): Promise<ErasureCancelled> {
      const { organisation } = asking
      // Reads D1 before the object: an erasure that only D1 has was cancelled, and cannot be a later one.
      const indexed = await erasures.findScheduled(organisation.id)
      const cancelled = await open(organisation).erasure.cancel(act(asking, 'organisation.erase.cancel'))
      if (cancelled.outcome === 'too_late') return cancelled
      const erasure = cancelled.outcome === 'cancelled' ? cancelled.erasure : indexed
      if (erasure === null) return { outcome: 'none' }
      const { id } = erasure
      await erasures.cancel(id)
      const [owners, found] = await Promise.all([
        registered.listOwners(organisation.id),
        organisations.findOrganisation(organisation.id),
      ])
      if (found !== null) asking.later(mailOwners(owners, erasureCancelledMail({ name: found.name, id })))
      return { outcome: 'cancelled', erasure: { ...erasure, state: 'cancelled' } }
    },

    /** Returns the signed record as JSON. Null if the id is unknown or the erasure is not completed or is being repeated. */
    async findRecord(id: string): Promise<string | null> {
      const found = await erasures.find(id)
      return found?.state === 'completed' ? found.record : null
    },
  }
}

const act = ({ personId, requestId }: Asking, name: string): Act => ({ actor: personId, act: name, requestId })

/** Compares names in Unicode NFC, because one letter has several encodings. Ignores spaces around them. */
const isSameName = (typed: string, name: string): boolean => typed.trim().normalize() === name.trim().normalize()
