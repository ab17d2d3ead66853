// Routes with which an organisation sets, tests and removes its webhook, and lists its messages.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { actorOf, type Access, type AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { EVENT_TYPES } from '../../notifications/webhook-events.ts'
import { findWebhookFault, type WebhookRules } from '../../notifications/check-host.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { WebhookChange, WebhookChanged } from '../../organisation/notifications/webhook.target.ts'
import type { AppContext } from '../../platform/context.ts'
import { listSchema, PageQuerySchema, pageOf } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import { noWebhook, presentDelivery, presentWebhook, webhookDisabled, webhookRefused } from './present-webhook.ts'
import {
  DeliverySchema,
  SetWebhookSchema,
  TestMessageSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from './notifications.schema.ts'

type Deps = { open: OpenOrganisation; webhooks: WebhookRules; access: AccessControl }

export function notificationRoutes({ open, webhooks, access }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Notifications'], security: MANAGEMENT_SECURITY })

  const webhookOf = ({ organisation }: Access) => open(organisation).webhook

  const change = (c: AppContext, caller: Access, wanted: WebhookChange): Promise<WebhookChanged> => {
    const act = { actor: actorOf(caller.manager), act: `notifications.${wanted.verb}`, requestId: c.get('requestId') }
    return reachOrganisation(c, async () => webhookOf(caller).change(wanted, act))
  }

  openapi(
    {
      route: 'GET /api/notifications',
      operationId: 'showWebhook',
      summary: 'Get the webhook',
      description: 'Returns where the organisation is notified, without the address itself.',
      permission: 'settings:read',
      answers: { 200: [WebhookSchema, 'The webhook.'] },
    },
    async ({ c, caller }) => c.json(presentWebhook(await reachOrganisation(c, async () => webhookOf(caller).read()))),
  )

  openapi(
    {
      route: 'PUT /api/notifications',
      operationId: 'setWebhook',
      summary: 'Set the webhook',
      description: 'Sets where the organisation is notified, and of what.',
      permission: 'settings:change',
      proof: 'fresh',
      body: SetWebhookSchema,
      answers: { 200: [WebhookWithSecretSchema, 'The webhook, with its secret where the address is new.'] },
    },
    async ({ c, caller, sent }) => {
      const { url, events = EVENT_TYPES } = await sent.body()
      // The host is looked up before the object's turn, so that no call waits for it.
      const fault = url === undefined ? null : await findWebhookFault(url, webhooks)
      if (fault !== null) throw webhookRefused(fault)
      const wanted = { organisationId: caller.organisation.id, url, events }
      const { webhook, secret } = assertWebhookSet(await change(c, caller, { verb: 'set', wanted }))
      return c.json({ ...presentWebhook(webhook), secret })
    },
  )

  openapi(
    {
      route: 'DELETE /api/notifications',
      operationId: 'removeWebhook',
      summary: 'Remove the webhook',
      description: 'Removes the webhook, with all messages that wait.',
      permission: 'settings:change',
      proof: 'fresh',
      answers: { 200: [WebhookSchema, 'None is set any more.'] },
    },
    async ({ c, caller }) => {
      await change(c, caller, { verb: 'remove' })
      return c.json(presentWebhook(null))
    },
  )

  openapi(
    {
      route: 'POST /api/notifications/rotate',
      operationId: 'rotateWebhookSecret',
      summary: 'Rotate the webhook’s secret',
      description: 'Creates a new secret. For a day messages are signed with the old one too.',
      permission: 'settings:change',
      proof: 'fresh',
      answers: { 200: [WebhookWithSecretSchema, 'The webhook with its new secret, shown once.'] },
    },
    async ({ c, caller }) => {
      const { webhook, secret } = assertWebhookSet(await change(c, caller, { verb: 'rotate' }))
      return c.json({ ...presentWebhook(webhook), secret })
    },
  )

  openapi(
    {
      route: 'POST /api/notifications/test',
      operationId: 'testWebhook',
      summary: 'Test the webhook',
      description: 'Sends a message of the type `webhook.test`.',
      permission: 'settings:change',
      answers: { 202: [TestMessageSchema, 'It is on its way. GET /api/notifications/deliveries shows how it went.'] },
      errors: ['conflict'],
    },
    async ({ c, caller }) => {
      const changed = await change(c, caller, { verb: 'test' })
      if (changed.outcome === 'disabled') throw webhookDisabled()
      if (changed.outcome !== 'sending') throw noWebhook()
      return c.json({ object: 'webhook_delivery', id: changed.messageId }, 202)
    },
  )

  openapi(
    {
      route: 'GET /api/notifications/deliveries',
      operationId: 'listDeliveries',
      summary: 'List deliveries',
      description: 'Lists the messages that wait and the latest hundred that do not, newest first.',
      permission: 'settings:read',
      query: PageQuerySchema,
      answers: { 200: [() => listSchema(DeliverySchema()), 'A page of messages, without what they say.'] },
    },
    async ({ c, caller, sent }) => {
      const { limit, cursor = null } = sent.query()
      const messages = await reachOrganisation(c, async () => webhookOf(caller).listDeliveries(limit + 1, cursor))
      return c.json(pageOf(messages.map(presentDelivery), limit))
    },
  )

  return api
}

function assertWebhookSet(changed: WebhookChanged): Extract<WebhookChanged, { outcome: 'set' }> {
  if (changed.outcome !== 'set') throw noWebhook()
  return changed
}
