// An organisation with people of each role who are signed in, and the routes of its members with a mailer that collects.
import { createExecutionContext, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createAccessControl } from '../../../../src/accounts/access/access-control.ts'
import type { Role } from '../../../../src/accounts/access/roles.policy.ts'
import { createActDelivery } from '../../../../src/accounts/members/act-delivery.ts'
import { createMembers } from '../../../../src/accounts/members/create-members.ts'
import { MembersStore } from '../../../../src/accounts/members/members.store.ts'
import { FactorsStore } from '../../../../src/accounts/second-factor/factors.store.ts'
import { SessionsStore } from '../../../../src/accounts/people/sessions.store.ts'
import type { Mail } from '../../../../src/platform/mail.ts'
import { keyRoutes } from '../../../../src/management/keys/keys.routes.ts'
import { createChatGate } from '../../../../src/organisation/admit/chat-gate.ts'
import { organisationOpener } from '../../../../src/organisation/organisation-client.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { newId, type OrganisationId, type PersonId } from '../../../../src/platform/ids.ts'
import { renderError } from '../../../../src/platform/render-error.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { createApi } from '../../../../src/platform/router.ts'
import { contentOf, type DetailsRow } from '../../../support/entry-content.ts'
import { addMember as insertMember, addPerson as insertPerson, beginSession } from '../../../support/unit/session.ts'
import { startService } from '../../../support/unit/service.ts'

export const ORIGIN = 'http://countersign.test'

type Answer = { status: number; body: Record<string, unknown>; cookie: string | null }

export type Somebody = {
  id: PersonId
  email: string
  /** Asks as this person, from a page of ours. A body that is a stream is sent as it comes. */
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
}

type Options = { sends?: boolean; fails?: boolean; loseLedger?: () => boolean; isOver?: () => boolean }

export async function foundOrganisation(options: Options = {}) {
  const founded = await startService().createOrganisation()
  const organisationId: OrganisationId = `org_${founded.slice('org_'.length)}`
  const mails: Mail[] = []
  const hashed: string[] = []
  const sessions = new SessionsStore(env.DB)
  const config = readConfig(env)
  const reallyOpen = organisationOpener(env.ORGANISATIONS, false)
  const open: typeof reallyOpen = (address) => {
    if (options.loseLedger?.() === true) throw new Error('unreachable')
    return reallyOpen(address)
  }
  const { peppers, signingPepper: pepper } = config
  const gate = createChatGate(reallyOpen, Date.now)
  const access = createAccessControl({
    sessions,
    factors: new FactorsStore(env.DB),
    gate,
    peppers,
    publicOrigin: null,
    clock: Date.now,
  })
  const members = createMembers({
    db: env.DB,
    open,
    access,
    sessions,
    members: new MembersStore(env.DB, []),
    mailer: {
      sends: options.sends ?? true,
      async send(mail) {
        mails.push(mail)
        return options.fails === true ? 'failed' : 'sent'
      },
    },
    signUp: {
      assertMayTry: async () => {},
      rememberNetwork: async () => {},
      passwordFault: (password) => (password.length < 15 ? 'at least 15 characters' : null),
      hash(password) {
        hashed.push(password)
        return `hash of ${password.length}`
      },
    },
    countTry: async (_, __, now) =>
      options.isOver?.() === true ? { isCounted: false, endsAt: now + 61_000 } : { isCounted: true },
    pepper,
    publicOrigin: null,
    clock: Date.now,
  })
  const app = createApi()
  app.use(requestContext)
  app.onError(renderError)
  app.route('/', members.routes)
  app.route('/', keyRoutes({ open: reallyOpen, access, clock: Date.now, pepper }))

  async function ask(
    cookie: string | null,
    [method, path, body, headers = {}]: Parameters<Somebody['ask']>,
  ): Promise<Answer> {
    const sent = new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        origin: ORIGIN,
        ...(cookie !== null && { cookie: `__Host-session=${cookie}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof ReadableStream ? body : JSON.stringify(body) }),
    })
    const response = await app.fetch(sent, env, createExecutionContext())
    const answer: Record<string, unknown> = await response.json()
    return { status: response.status, body: answer, cookie: response.headers.get('set-cookie') }
  }

  /** `role` null: a member of nothing. `signedInAt`: a while ago, it is no fresh sign-in. */
  async function addPerson(
    role: Role | null,
    {
      email,
      signedInAt = Date.now(),
      isProven = true,
    }: { email?: string; signedInAt?: number; isProven?: boolean } = {},
  ): Promise<Somebody> {
    const person = { id: newId('usr_', Date.now()), emailProvenAt: isProven ? 1 : null }
    const id = await insertPerson({ ...person, email: email ?? `${person.id}@example.org` })
    if (role !== null) await addMember(id, role)
    const { token } = await beginSession(id, signedInAt)
    return { id, email: email ?? `${id}@example.org`, ask: (...asked) => ask(token, asked) }
  }

  const addMember = (id: PersonId, role: Role) => insertMember(organisationId, id, role)

  return {
    organisationId,
    /** Delivers what is left, as the daily upkeep does. */
    deliverPending: () => createActDelivery({ db: env.DB, open, clock: Date.now }).deliverPending(),
    mails,
    hashed,
    addPerson,
    addMember,
    /** Somebody who is signed in nowhere. */
    nobody: (...asked: Parameters<Somebody['ask']>) => ask(null, asked),
    roles: async () => {
      const { results } = await env.DB.prepare('SELECT person_id, role FROM members WHERE organisation_id = ?')
        .bind(organisationId)
        .all<{ person_id: string; role: Role }>()
      return Object.fromEntries(results.map(({ person_id: id, role }) => [id, role]))
    },
    /** The rights that its turns know of a member whose role has changed. */
    rights: async (personId: string): Promise<unknown> =>
      runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisationId)), (_, { storage }) =>
        storage.sql.exec('SELECT may_decide, keys_reach FROM member_rights WHERE person_id = ?', personId).one(),
      ),
    /** The webhook's messages that wait, oldest first. */
    messages: async (): Promise<{ data: object }[]> =>
      runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisationId)), (_, { storage }) =>
        storage.sql
          .exec<{ body: string }>('SELECT body FROM webhook_messages ORDER BY id')
          .toArray()
          .map(({ body }) => JSON.parse(body) as { data: object }),
      ),
    /** Returns what the ledger says after its founding, oldest first. */
    acts: async (): Promise<Record<string, unknown>[]> =>
      runInDurableObject(
        env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisationId)),
        (_, { storage: { sql } }) =>
          sql
            .exec<DetailsRow<ArrayBuffer>>(
              'SELECT kind, entry, facts FROM entries WHERE position > 0 ORDER BY position',
            )
            .toArray()
            .map(contentOf),
      ),
  }
}

/** The token of the last mail's link. */
export const tokenOf = (text: string | undefined): string => /\/invite#(\S+)/.exec(text ?? '')?.[1] ?? ''

export const pendingActs = async (): Promise<number> =>
  (await env.DB.prepare('SELECT count(*) AS n FROM pending_acts').first<{ n: number }>())?.n ?? 0
