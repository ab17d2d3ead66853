// Routes for an organisation's webhook. Each handler reads the request, calls the service and presents the object.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access.ts'
import { managementOperations } from '../../accounts/access/operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import type { WebhookChanged } from '../../organisation/webhook/webhook.target.ts'
import type { AppContext } from '../../platform/context.ts'
import { listOf, PageQuerySchema, pageOf } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/route.ts'
import { noWebhook, presentDelivery, presentWebhook, webhookDisabled, webhookRefused } from './notifications-wire.ts'
import {
  DeliverySchema,
  SetWebhookSchema,
  TestMessageSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from './notifications.schema.ts'
import type { NotificationsRequest, NotificationsService } from './notifications.service.ts'

const asked = (c: AppContext, access: Access): NotificationsRequest => ({ access, requestId: c.get('requestId') })

type Deps = { service: NotificationsService; access: AccessControl }

export function notificationRoutes({ service, access }: Deps): Api {
  const { api, add } = managementOperations(access, { tags: ['Notifications'], security: MANAGEMENT_SECURITY })

  add(
    {
      route: 'GET /api/notifications',
      operationId: 'showWebhook',
      summary: 'Show where the organisation is notified, without the address itself',
      permission: 'settings:read',
      answers: { 200: [WebhookSchema, 'The webhook.'] },
    },
    async ({ c, caller }) =>
      c.json(presentWebhook(await reachOrganisation(c, () => service.showWebhook(asked(c, caller))))),
  )

  add(
    {
      route: 'PUT /api/notifications',
      operationId: 'setWebhook',
      summary: 'Set where the organisation is notified, and of what',
      permission: 'settings:change',
      body: SetWebhookSchema,
      answers: { 200: [WebhookWithSecretSchema, 'The webhook, with its secret where the address is new.'] },
    },
    async ({ c, caller, sent }) => {
      const { url, events } = await sent.body()
      const fault = await service.faultOf(url)
      if (fault !== null) throw webhookRefused(fault)
      const { webhook, secret } = setOf(
        await reachOrganisation(c, () => service.setWebhook(asked(c, caller), url, events)),
      )
      return c.json({ ...presentWebhook(webhook), secret })
    },
  )

  add(
    {
      route: 'DELETE /api/notifications',
      operationId: 'removeWebhook',
      summary: 'Remove the webhook, with all messages that wait',
      permission: 'settings:change',
      answers: { 200: [WebhookSchema, 'None is set any more.'] },
    },
    async ({ c, caller }) => {
      await reachOrganisation(c, () => service.removeWebhook(asked(c, caller)))
      return c.json(presentWebhook(null))
    },
  )

  add(
    {
      route: 'POST /api/notifications/rotate',
      operationId: 'rotateWebhookSecret',
      summary: 'Make a new secret; for a day messages are signed with the old one too',
      permission: 'settings:change',
      answers: { 200: [WebhookWithSecretSchema, 'The webhook with its new secret, shown once.'] },
    },
    async ({ c, caller }) => {
      const { webhook, secret } = setOf(await reachOrganisation(c, () => service.rotateWebhookSecret(asked(c, caller))))
      return c.json({ ...presentWebhook(webhook), secret })
    },
  )

  add(
    {
      route: 'POST /api/notifications/test',
      operationId: 'testWebhook',
      summary: 'Send a message of the type `webhook.test`',
      permission: 'settings:change',
      answers: { 202: [TestMessageSchema, 'It is on its way. GET /api/notifications/deliveries shows how it went.'] },
      errors: ['conflict'],
    },
    async ({ c, caller }) => {
      const changed = await reachOrganisation(c, () => service.testWebhook(asked(c, caller)))
      if (changed.outcome === 'disabled') throw webhookDisabled()
      if (changed.outcome !== 'sending') throw noWebhook()
      return c.json({ object: 'webhook_delivery', id: changed.messageId }, 202)
    },
  )

  add(
    {
      route: 'GET /api/notifications/deliveries',
      operationId: 'listDeliveries',
      summary: 'List the messages that wait and the latest hundred that do not, newest first',
      permission: 'settings:read',
      query: PageQuerySchema,
      answers: { 200: [listOf(DeliverySchema), 'A page of messages, without what they say.'] },
    },
    async ({ c, caller, sent }) => {
      const { limit, cursor = null } = sent.query()
      const messages = await reachOrganisation(c, () => service.listDeliveries(asked(c, caller), limit + 1, cursor))
      return c.json(pageOf(messages.map(presentDelivery), limit))
    },
  )

  return api
}

function setOf(changed: WebhookChanged): Extract<WebhookChanged, { outcome: 'set' }> {
  if (changed.outcome !== 'set') throw noWebhook()
  return changed
}
