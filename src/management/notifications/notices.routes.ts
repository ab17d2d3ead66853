// Routes with which a member chooses what to be mailed about, and sees what was mailed.
import { SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { listNoticeReaders } from '../../organisation/notifications/notice-readers.store.ts'
import type { OwnNotices } from '../../organisation/notifications/notices.target.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import type { Api } from '../../platform/router.ts'
import { NOTICE_ACCESS } from './notices.policy.ts'
import { ChooseNoticesSchema, NoticesSchema, type NoticesResponse } from './notifications.schema.ts'

type Deps = {
  access: AccessControl
  open: OpenOrganisation
  db: D1Database
  publicOrigin: string | null
  sendsMail: boolean
}

export function noticeRoutes({ access, open, db, publicOrigin, sendsMail }: Deps): Api {
  const { api, openapi } = managementOperations(access, {
    tags: ['Notifications'],
    security: SESSION_SECURITY,
  })

  async function present(id: OrganisationId, person: string, { types, mails }: OwnNotices): Promise<NoticesResponse> {
    const readers = await listNoticeReaders(db, id, [person], Date.now())
    return {
      object: 'notices',
      types: [...types],
      sends_mail: sendsMail && readers.length > 0,
      data: mails.map(({ sentAt, ...mail }) => ({ ...mail, created_at: new Date(sentAt).toISOString() })),
    }
  }

  openapi(
    {
      route: 'GET /api/notices',
      operationId: 'showNotices',
      summary: 'Get your notices',
      description: 'Returns what you are mailed about in this organisation, and the latest mails.',
      permission: 'preferences:own',
      answers: { 200: [NoticesSchema, 'Your notices.'] },
    },
    async ({ c, caller: { organisation, manager } }) => {
      const own = await reachOrganisation(c, async () => open(organisation).notices.read(manager.id))
      return c.json(await present(organisation.id, manager.id, own))
    },
  )

  openapi(
    {
      route: 'PUT /api/notices',
      operationId: 'chooseNotices',
      summary: 'Choose your notices',
      description:
        'Replaces what you are mailed about in this organisation. A mail has counts and a link, no text of a call. There is at most one an hour of each type. Your role must be able to see what it leads to, and another role ends your choice.',
      permission: 'preferences:own',
      body: ChooseNoticesSchema,
      answers: { 200: [NoticesSchema, 'Your notices.'] },
    },
    async ({ c, caller: { organisation, manager }, sent }) => {
      const { types } = await sent.body()
      for (const type of types) access.assertMay(manager, NOTICE_ACCESS[type].needs)
      const origin = publicOrigin ?? new URL(c.req.url).origin
      const choice = { personId: manager.id, organisationId: organisation.id, origin, types }
      const chosen = await reachOrganisation(c, async () => open(organisation).notices.choose(choice))
      return c.json(await present(organisation.id, manager.id, chosen))
    },
  )

  return api
}
