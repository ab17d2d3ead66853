// Routes for a member's own saved views of lists. A view is a preference, so the organisation's log has no entry about it.
import type { Api } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access-control.ts'
import { managementOperations } from '../access/access-operations.ts'
import { ViewsSchema } from './members.schema.ts'
import type { MembersStore } from './members.store.ts'

type Deps = { access: AccessControl; members: MembersStore }

export function viewRoutes({ access, members }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Members'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'GET /api/views',
      operationId: 'showViews',
      summary: 'Get your saved views',
      description: 'Returns your own saved views of the lists of the dashboard, in this organisation.',
      permission: 'preferences:own',
      answers: { 200: [ViewsSchema, 'Your views.'] },
    },
    async ({ c, caller: { organisation, manager } }) => c.json(await members.readViews(organisation.id, manager.id)),
  )

  openapi(
    {
      route: 'PUT /api/views',
      operationId: 'putViews',
      summary: 'Replace your saved views',
      description: 'Replaces all of your saved views in this organisation.',
      permission: 'preferences:own',
      body: ViewsSchema,
      answers: { 200: [ViewsSchema, 'Your views.'] },
    },
    async ({ c, caller: { organisation, manager }, sent }) => {
      const views = await sent.body()
      await members.replaceViews(organisation.id, manager.id, views)
      return c.json(views)
    },
  )

  return api
}
