// Manages an organisation's webhook. The webhook's host is resolved here, before the object's turn.
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { EventType } from '../../notifications/events.ts'
import { judgeHost } from '../../notifications/judge-host.ts'
import type { Message } from '../../notifications/messages.store.ts'
import { judgeUrl, type UrlRules } from '../../notifications/webhook-url.policy.ts'
import type { OpenOrganisation } from '../../organisation/client.ts'
import type { ShownWebhook, WebhookChange, WebhookChanged } from '../../organisation/webhook/webhook.target.ts'
import { withinTime } from '../../platform/time.ts'
import type { WebhookFault } from './notifications-wire.ts'

type Deps = { open: OpenOrganisation; webhooks: UrlRules & { resolverUrl: string } }

export type NotificationsRequest = { access: Access; requestId: string }

export type NotificationsService = ReturnType<typeof createNotificationsService>

const LOOK_UP_LIMIT_MS = 5_000

export function createNotificationsService({ open, webhooks }: Deps) {
  async function change(
    { access, requestId }: NotificationsRequest,
    act: string,
    wanted: WebhookChange,
  ): Promise<WebhookChanged> {
    return open(access.organisation).webhook.change(wanted, { actor: actorOf(access.manager), act, requestId })
  }

  async function faultOf(url: string): Promise<WebhookFault | null> {
    const judged = judgeUrl(url, webhooks)
    if (judged.outcome === 'refused') return judged.fault
    if (judged.host === null) return null
    const leaving = new AbortController()
    const asking = {
      ...webhooks,
      fetch: async (to: string, init: RequestInit) => fetch(to, init),
      signal: leaving.signal,
    }
    const host = await withinTime(judgeHost(judged.host, asking), LOOK_UP_LIMIT_MS).catch(() => 'not_resolved' as const)
    leaving.abort()
    return host === 'good' ? null : host
  }

  return {
    faultOf,

    showWebhook: async ({ access }: NotificationsRequest): Promise<ShownWebhook | null> =>
      open(access.organisation).webhook.read(),

    setWebhook: (request: NotificationsRequest, url: string, events: readonly EventType[]) => {
      const { id: organisationId } = request.access.organisation
      return change(request, 'notifications.set', { verb: 'set', wanted: { organisationId, url, events } })
    },

    rotateWebhookSecret: (request: NotificationsRequest) => change(request, 'notifications.rotate', { verb: 'rotate' }),

    removeWebhook: (request: NotificationsRequest) => change(request, 'notifications.remove', { verb: 'remove' }),

    testWebhook: (request: NotificationsRequest) => change(request, 'notifications.test', { verb: 'test' }),

    listDeliveries: async (
      { access }: NotificationsRequest,
      limit: number,
      cursor: string | null,
    ): Promise<Message[]> => open(access.organisation).webhook.listDeliveries(limit, cursor),
  }
}
