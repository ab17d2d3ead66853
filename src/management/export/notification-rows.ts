// Export rows of an organisation's webhook and its deliveries.
import type { Message } from '../../notifications/messages.store.ts'
import type { ShownWebhook } from '../../organisation/webhook/webhook.target.ts'
import { presentDelivery, presentWebhook } from '../notifications/notifications-wire.ts'
import { DeliverySchema, WebhookSchema } from '../notifications/notifications.schema.ts'
import type { Row } from './row.ts'

const MEMBERS = new Set([...Object.keys(WebhookSchema.shape), ...Object.keys(DeliverySchema.shape)])
MEMBERS.delete('id')

export const NOTIFICATION_COLUMNS = ['id', ...MEMBERS]

/** The webhook's row, of which there is one at most. */
export const describeWebhook = (webhook: ShownWebhook): Row => ({ id: 'webhook', ...presentWebhook(webhook) })

export const describeDelivery = (message: Message): Row => presentDelivery(message)
