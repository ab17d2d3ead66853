// Where an organisation is notified. Each handler: read what is asked, do the verb, show the object.
import { createRoute } from '@hono/zod-openapi'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  MANAGEMENT_SECURITY,
  organisationHeader,
} from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import type { WebhookChanged } from '../../organisation/webhook/webhook.target.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { bodyOf, readForm, readQuery } from '../../platform/form.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/list.schema.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { noWebhook, presentDelivery, presentWebhook, webhookDisabled, webhookRefused } from './notifications-wire.ts'
import {
  DeliverySchema,
  SetWebhookSchema,
  TestMessageSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from './notifications.schema.ts'
import type { NotificationsRequest, NotificationsService } from './notifications.service.ts'

const shared = { tags: ['Notifications'], security: MANAGEMENT_SECURITY }
const request = { headers: organisationHeader }

const routes = {
  showWebhook: createRoute({
    ...shared,
    method: 'get',
    path: '/api/notifications',
    operationId: 'showWebhook',
    summary: 'Show where the organisation is notified, without the address itself',
    request,
    responses: { 200: managementJsonResponse(WebhookSchema, 'The webhook.'), ...errorResponses(ACCESS_CODES) },
  }),
  setWebhook: createRoute({
    ...shared,
    method: 'put',
    path: '/api/notifications',
    operationId: 'setWebhook',
    summary: 'Set where the organisation is notified, and of what',
    request: { ...request, ...bodyOf(SetWebhookSchema) },
    responses: {
      200: managementJsonResponse(WebhookWithSecretSchema, 'The webhook, with its secret where the address is new.'),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES]),
    },
  }),
  removeWebhook: createRoute({
    ...shared,
    method: 'delete',
    path: '/api/notifications',
    operationId: 'removeWebhook',
    summary: 'Remove the webhook, with all messages that wait',
    request,
    responses: {
      200: managementJsonResponse(WebhookSchema, 'None is set any more.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused']),
    },
  }),
  rotateWebhookSecret: createRoute({
    ...shared,
    method: 'post',
    path: '/api/notifications/rotate',
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret; for a day messages are signed with the old one too',
    request,
    responses: {
      200: managementJsonResponse(WebhookWithSecretSchema, 'The webhook with its new secret, shown once.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused']),
    },
  }),
  testWebhook: createRoute({
    ...shared,
    method: 'post',
    path: '/api/notifications/test',
    operationId: 'testWebhook',
    summary: 'Send a message of the type `webhook.test`',
    request,
    responses: {
      202: managementJsonResponse(
        TestMessageSchema,
        'It is on its way. GET /api/notifications/deliveries shows how it went.',
      ),
      ...errorResponses([...ACCESS_CODES, 'origin_refused', 'conflict']),
    },
  }),
  listDeliveries: createRoute({
    ...shared,
    method: 'get',
    path: '/api/notifications/deliveries',
    operationId: 'listDeliveries',
    summary: 'List the messages that wait and the latest hundred that do not, newest first',
    request: { ...request, query: PageQuerySchema },
    responses: {
      200: managementJsonResponse(listOf(DeliverySchema), 'A page of messages, without what they say.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
}

type Deps = { service: NotificationsService; access: AccessControl }

export function notificationRoutes({ service, access }: Deps): Api {
  const api = createApi()

  const asked = async (
    c: AppContext,
    permission: 'settings:read' | 'settings:change',
  ): Promise<NotificationsRequest> => ({
    access: await access.requireAccess(c, permission),
    requestId: c.get('requestId'),
  })
  const mayRead = async (c: AppContext) => asked(c, 'settings:read')
  const mayChange = async (c: AppContext) => asked(c, 'settings:change')

  mountFor(api, routes.showWebhook, mayRead, async (c, by) =>
    c.json(presentWebhook(await reachOrganisation(c, () => service.showWebhook(by)))),
  )

  mountFor(api, routes.setWebhook, mayChange, async (c, by) => {
    const { url, events } = await readForm(c, SetWebhookSchema)
    const fault = await service.faultOf(url)
    if (fault !== null) throw webhookRefused(fault)
    const { webhook, secret } = setOf(await reachOrganisation(c, () => service.setWebhook(by, url, events)))
    return c.json({ ...presentWebhook(webhook), secret })
  })

  mountFor(api, routes.removeWebhook, mayChange, async (c, by) => {
    await reachOrganisation(c, () => service.removeWebhook(by))
    return c.json(presentWebhook(null))
  })

  mountFor(api, routes.rotateWebhookSecret, mayChange, async (c, by) => {
    const { webhook, secret } = setOf(await reachOrganisation(c, () => service.rotateWebhookSecret(by)))
    return c.json({ ...presentWebhook(webhook), secret })
  })

  mountFor(api, routes.testWebhook, mayChange, async (c, by) => {
    const changed = await reachOrganisation(c, () => service.testWebhook(by))
    if (changed.outcome === 'disabled') throw webhookDisabled()
    if (changed.outcome !== 'sending') throw noWebhook()
    return c.json({ object: 'webhook_delivery', id: changed.messageId }, 202)
  })

  mountFor(api, routes.listDeliveries, mayRead, async (c, by) => {
    const { limit, cursor = null } = readQuery(c, PageQuerySchema)
    const messages = await reachOrganisation(c, () => service.listDeliveries(by, limit + 1, cursor))
    return c.json(pageOf(messages.map(presentDelivery), limit))
  })

  return api
}

function setOf(changed: WebhookChanged): Extract<WebhookChanged, { outcome: 'set' }> {
  if (changed.outcome !== 'set') throw noWebhook()
  return changed
}
