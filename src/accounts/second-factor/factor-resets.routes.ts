// Routes for who has lost all second factors: managers ask and agree, the person uses a mailed link, and the operator helps members of
// several organisations. No route sets or shows a factor of somebody else.
import type { AppContext } from '../../platform/context.ts'
import { parseId, type PersonId } from '../../platform/ids.ts'
import { publicOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import { toWire } from '../../platform/wire.ts'
import type { Access } from '../access/access-control.ts'
import { managementOperations, sessionOperations } from '../access/access-operations.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { Permission } from '../access/roles.policy.ts'
import { sessionCookie } from '../access/session-cookie.ts'
import { memberError } from '../members/member-errors.ts'
import { operatorOperations } from '../operator/operator-operations.ts'
import { RequestResetSchema } from '../sign-in/sign-in.schema.ts'
import type { FactorResetsService } from './factor-resets.service.ts'
import type { FactorReset } from './factor-resets.store.ts'
import { OPEN_ERRORS } from '../sign-in/sign-in-errors.ts'
import type { SecondFactorDeps } from './second-factor-deps.ts'
import {
  FactorResetLinkSchema,
  FactorResetSchema,
  FinishFactorResetSchema,
  OperatorFactorResetSchema,
} from './second-factor.schema.ts'

const OF_MEMBER = '/api/members/factor-resets/{person_id}'
const OWN = '/api/auth/factor-reset'

type Deps = SecondFactorDeps & { service: FactorResetsService }

export function factorResetRoutes({ access, readCaller, members, service, operatorTokens, publicOrigin }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Members'], security: SESSION_SECURITY })
  const open = publicOperations({ tags: ['People'] }, api)
  const people = sessionOperations(access, { tags: ['People'], security: SESSION_SECURITY }, api)
  const operator = operatorOperations(operatorTokens, api)

  openapi(
    {
      route: `POST ${OF_MEMBER}`,
      operationId: 'askFactorReset',
      summary: 'Ask for a factor reset',
      description:
        'For a member who has lost all second factors. A second manager must agree within 24 hours. 24 hours after that, the member gets a link, and uses it with the password.',
      permission: 'members:manage',
      proof: 'fresh',
      answers: { 202: [FactorResetSchema, 'It waits for a second manager.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: granted }) => {
      const { id, by, needed } = await findManaged(c, granted)
      const asked = await service.askByManager(id, granted.organisation.id, needed, by)
      return c.json(presentReset(asked), 202)
    },
  )

  openapi(
    {
      route: `GET ${OF_MEMBER}`,
      operationId: 'showFactorReset',
      summary: 'Get a factor reset',
      permission: 'members:manage',
      answers: { 200: [FactorResetSchema, 'The reset that is open.'] },
    },
    async ({ c, caller: granted }) => {
      const { id } = await findMember(c, granted)
      return c.json(presentReset(await service.findOpen(id)))
    },
  )

  openapi(
    {
      route: `POST ${OF_MEMBER}/agreement`,
      operationId: 'agreeFactorReset',
      summary: 'Agree to a factor reset',
      description: 'For another manager than who asked, and not for the member.',
      permission: 'members:manage',
      proof: 'fresh',
      answers: { 200: [FactorResetSchema, 'It is due 24 hours from now.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: granted }) => {
      const { id, by } = await findManaged(c, granted)
      return c.json(presentReset(await service.agree(id, by)))
    },
  )

  openapi(
    {
      route: `DELETE ${OF_MEMBER}`,
      operationId: 'cancelFactorReset',
      summary: 'Cancel a factor reset',
      description: 'Cancels it, whoever asked. The member’s sign-in with a second factor does the same.',
      permission: 'members:manage',
      answers: { 200: [FactorResetSchema, 'It is cancelled.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: granted }) => {
      const { id, manager } = await findMember(c, granted)
      return c.json(presentReset(await service.cancel(id, await byOf(c, manager))))
    },
  )

  people.openapi(
    {
      route: `DELETE ${OWN}`,
      operationId: 'cancelOwnFactorReset',
      summary: 'Cancel your factor reset',
      answers: { 200: [FactorResetSchema, 'It is cancelled.'] },
      errors: ['not_found', 'conflict', 'rate_limit_exceeded'],
    },
    async ({ c, caller: { personId } }) => {
      return c.json(presentReset(await service.cancel(personId, await byOf(c, { id: personId }))))
    },
  )

  open.openapi(
    {
      route: `POST ${OWN}`,
      security: [],
      operationId: 'requestFactorResetLink',
      summary: 'Request a factor reset link',
      description: 'Sends a link by e-mail, valid for 24 hours, if a reset of the person’s second factors is due.',
      body: RequestResetSchema,
      answers: { 202: [FactorResetLinkSchema, 'The same whether or not a reset is due, or there is an account.'] },
      errors: OPEN_ERRORS,
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const { email } = await sent.body()
      await service.requestLink(c, email, caller)
      return c.json({ object: 'factor_reset_link', status: 'requested' }, 202)
    },
  )

  open.openapi(
    {
      route: `POST ${OWN}/confirm`,
      security: [],
      operationId: 'finishFactorReset',
      summary: 'Remove your second factors',
      description:
        'Removes them all, with the recovery codes, by the link that was sent and the password. All sessions end.',
      body: FinishFactorResetSchema,
      answers: { 200: [FactorResetSchema, 'They are removed. Sign in with the password.'] },
      errors: [...OPEN_ERRORS, 'invalid_credentials'],
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const { token, password } = await sent.body()
      const done = await service.finish(token, password, { c, caller })
      sessionCookie.clear(c)
      return c.json(presentReset(done))
    },
  )

  operator.openapi(
    {
      route: 'POST /api/operator/people/{person_id}/factor-reset',
      operationId: 'askFactorResetByOperator',
      summary: 'Reset a person’s factors',
      description:
        'For members of several organisations, and of one without a second manager. Due after 72 hours. All owners and admins of the person’s organisations are mailed, and can cancel it.',
      body: OperatorFactorResetSchema,
      answers: { 202: [FactorResetSchema, 'It is due 72 hours from now.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, sent }) => {
      const { reason } = await sent.body()
      const origin = publicOrigin ?? new URL(c.req.url).origin
      return c.json(presentReset(await service.askByOperator(personIn(c), reason, { c, origin })), 202)
    },
  )

  async function findMember(c: AppContext, { organisation, manager }: Access) {
    if (manager.kind === 'key') throw new TypeError('no permission over members is a key’s')
    const id = personIn(c)
    const member = id && (await members.find(organisation.id, id))
    if (id === null || member === null) throw memberError('not_found')
    return { id, member, manager }
  }

  async function byOf(c: AppContext, { id }: { id: PersonId }) {
    const { origin, network } = await readCaller(c)
    return { by: id, c, origin, network }
  }

  async function findManaged(c: AppContext, granted: Access) {
    const found = await findMember(c, granted)
    const needed: Permission = found.member.role === 'owner' ? 'owners:name' : 'members:manage'
    access.assertMay(granted.manager, needed)
    return { ...found, needed, by: await byOf(c, found.manager) }
  }

  return api
}

function personIn(c: AppContext): PersonId | null {
  const id = c.req.param('person_id') ?? ''
  return parseId('usr_', id) === null ? null : `usr_${id.slice('usr_'.length)}`
}

const presentReset = (reset: FactorReset) =>
  toWire(FactorResetSchema(), { ...reset, object: 'factor_reset', status: reset.state })
