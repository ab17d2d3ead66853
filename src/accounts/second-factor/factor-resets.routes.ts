// Routes for who has lost all second factors: managers ask and agree, the person uses a mailed link, and the operator helps members of
// several organisations. No route sets or shows a factor of somebody else.
import { runAfterResponse, type AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
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
import { signInError } from '../sign-in/sign-in-errors.ts'
import { RequestResetSchema } from '../sign-in/sign-in.schema.ts'
import type { FactorResetsService, Moved, ResetRefused } from './factor-resets.service.ts'
import type { FactorReset } from './factor-resets.store.ts'
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

export function factorResetRoutes({ access, readCaller, members, service, operatorToken, publicOrigin }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Members'], security: SESSION_SECURITY })
  const open = publicOperations({ tags: ['People'] }, api)
  const people = sessionOperations(access, { tags: ['People'], security: SESSION_SECURITY }, api)
  const operator = operatorOperations(operatorToken, api)

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
      return answer(c, await service.askByManager(id, granted.organisation.id, needed, by), 202)
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
      const reset = await service.findOpen(id)
      if (reset === null) throw resetError('none')
      return c.json(presentReset(reset))
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
      return answer(c, await service.agree(id, by))
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
      return answer(c, await service.cancel(id, await byOf(c, manager)))
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
      return answer(c, await service.cancel(personId, await byOf(c, { id: personId })))
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
      const { afterwards } = await service.requestLink(email, caller)
      runAfterResponse(c, afterwards)
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
      const done = await service.finish(token, password, caller, c.get('requestId'))
      if (done.outcome !== 'moved') throw done.outcome === 'used' ? signInError('used') : wrongPassword()
      sessionCookie.clear(c)
      return answer(c, done)
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
      const id = personIn(c)
      const origin = publicOrigin ?? new URL(c.req.url).origin
      const asked = id && (await service.askByOperator(id, reason, { requestId: c.get('requestId'), origin }))
      if (asked === null || asked.outcome === 'none') throw noSuchPerson()
      return answer(c, asked, 202)
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
    return { by: id, requestId: c.get('requestId'), origin, network }
  }

  async function findManaged(c: AppContext, granted: Access) {
    const found = await findMember(c, granted)
    const needed: Permission = found.member.role === 'owner' ? 'owners:name' : 'members:manage'
    access.assertMay(granted.manager, needed)
    return { ...found, needed, by: await byOf(c, found.manager) }
  }

  return api
}

const OPEN_ERRORS = ['origin_refused', 'invalid_request', 'rate_limit_exceeded', 'internal_error'] as const

function personIn(c: AppContext): PersonId | null {
  const id = c.req.param('person_id') ?? ''
  return parseId('usr_', id) === null ? null : `usr_${id.slice('usr_'.length)}`
}

function answer(c: AppContext, moved: Moved | ResetRefused, status: 200 | 202 = 200): Response {
  if (moved.outcome !== 'moved') throw resetError(moved.outcome)
  runAfterResponse(c, moved.afterwards)
  return c.json(presentReset(moved.reset), status)
}

const presentReset = (reset: FactorReset) =>
  toWire(FactorResetSchema(), { ...reset, object: 'factor_reset', status: reset.state })

const BY_OPERATOR = 'Write to the operator of the service, who can help.'

const CONFLICTS: Record<Exclude<ResetRefused['outcome'], 'none'>, string> = {
  no_factor: 'This person has no second factor. They sign in with the password alone.',
  is_open: 'A reset is open already. Agree to it, or cancel it first.',
  elsewhere: `This person is a member of another organisation too, so its managers would have to agree. ${BY_OPERATOR}`,
  no_second: `Nobody else here can agree: it takes a second owner or admin, and for an owner a second owner. ${BY_OPERATOR}`,
  own: 'You cannot reset your own second factors. Ask two other owners or admins.',
  by_asker: 'You asked for this reset, so another owner or admin must agree.',
  overtaken: 'This reset was agreed to, cancelled or used meanwhile, so nothing was done.',
}

const resetError = (outcome: ResetRefused['outcome']): AppError =>
  outcome === 'none'
    ? new AppError('not_found', 'No reset of this person’s second factors is open.')
    : new AppError('conflict', CONFLICTS[outcome])

const wrongPassword = (): AppError =>
  new AppError('invalid_credentials', 'The password is wrong. Type it again; the link stays valid.', {
    param: 'password',
  })

const noSuchPerson = (): AppError => new AppError('not_found', 'There is no person with this id. Check the id.')
