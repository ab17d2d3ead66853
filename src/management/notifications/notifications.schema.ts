// Request and response shapes of the notification routes: the webhook, its test message and its deliveries.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { NOTICE_TYPES } from '../../notifications/notices.words.ts'
import { EVENT_TYPES } from '../../notifications/webhook-events.ts'
import { MOST_URL_CHARACTERS } from '../../notifications/webhook-url.policy.ts'

const time = once(() => z.iso.datetime().nullable())
const events = once(() => z.array(z.enum(EVENT_TYPES)))

export const SetWebhookSchema = once(() =>
  z
    .strictObject({
      url: z.string().min(1).max(MOST_URL_CHARACTERS).optional().meta({
        description:
          'Where messages go: https, a public name, port 443 or from 1024 on, without credentials. It is never shown again, but for its origin. Absent: the address that is set stays.',
        example: 'https://hooks.example.org/countersign',
      }),
      events: events().min(1).max(EVENT_TYPES.length).optional().meta({
        description: 'What to be told of. Absent: all, if an address is sent. Without an address it is required.',
      }),
    })
    .refine(({ url, events: chosen }) => url !== undefined || chosen !== undefined, {
      path: ['events'],
      message: 'is required without a url',
    })
    .meta({ id: 'SetWebhook' }),
)

const webhookShape = once(() => ({
  object: z.literal('webhook'),
  state: z.enum(['off', 'on', 'disabled']).meta({
    description: '`off`: none is set, and nothing is written or sent. `disabled`: set it again to turn it on.',
  }),
  origin: z.string().nullable().meta({ example: 'https://hooks.example.org' }),
  events: events(),
  created_at: time(),
  secret_created_at: time(),
  previous_secret_until: time().meta({ description: 'Until then messages are signed with the secret before, too.' }),
  disabled: z
    .strictObject({
      at: z.iso.datetime(),
      reason: z.enum(['failing', 'gone', 'no_secret']).meta({
        description:
          '`failing`: it took nothing for about three days. `gone`: it answered 410. `no_secret`: the service has lost its secret; set again, it gets another.',
      }),
    })
    .nullable(),
  last_delivered_at: time(),
  waiting: z.int().meta({ description: 'Messages that are still to be delivered: 500 at most.' }),
  dropped: z.int().meta({
    description: 'Messages that were given up, since more than 500 waited or the webhook was disabled.',
  }),
}))

export const WebhookSchema = once(() => z.strictObject(webhookShape()).meta({ id: 'Webhook' }))
export type WebhookResponse = Infer<typeof WebhookSchema>

export const WebhookWithSecretSchema = once(() =>
  z
    .strictObject({
      ...webhookShape(),
      secret: z
        .string()
        .nullable()
        .meta({
          description: 'What messages are signed with, shown this once. Null: the same as before.',
          example: `whsec_${'A'.repeat(43)}=`,
        }),
    })
    .meta({ id: 'WebhookWithSecret' }),
)

const noticeTypes = once(() => z.array(z.enum(NOTICE_TYPES)).max(NOTICE_TYPES.length))

export const ChooseNoticesSchema = once(() =>
  z
    .strictObject({ types: noticeTypes().meta({ description: 'What you are mailed about. Empty: nothing.' }) })
    .meta({ id: 'ChooseNotices' }),
)

export const NoticesSchema = once(() =>
  z
    .strictObject({
      object: z.literal('notices'),
      types: noticeTypes(),
      sends_mail: z
        .boolean()
        .meta({ description: 'False: this service sends no mail, or your address was never confirmed.' }),
      data: z
        .array(
          z.strictObject({
            type: z.enum(NOTICE_TYPES),
            count: z.int().meta({ description: 'How often it happened since the mail before.' }),
            detail: z.string().nullable().meta({ description: 'What the mail said of the latest one.' }),
            created_at: z.iso.datetime(),
            outcome: z.enum(['sent', 'failed']),
          }),
        )
        .meta({ description: 'The mails to you of the last 90 days, newest first: 100 at most.' }),
    })
    .meta({ id: 'Notices' }),
)
export type NoticesResponse = Infer<typeof NoticesSchema>

export const TestMessageSchema = once(() =>
  z.strictObject({ object: z.literal('webhook_delivery'), id: z.string() }).meta({ id: 'TestMessage' }),
)

export const DeliverySchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The `webhook-id` of the message, the same at every attempt.' }),
      object: z.literal('webhook_delivery'),
      type: z.enum([...EVENT_TYPES, 'webhook.test']),
      created_at: z.iso.datetime(),
      state: z.enum(['waiting', 'delivered', 'failed', 'dropped']),
      attempts: z.int(),
      next_attempt_at: time(),
      last_attempt: z
        .strictObject({
          at: z.iso.datetime(),
          outcome: z.enum([
            'delivered',
            'refused',
            'redirected',
            'timed_out',
            'unreachable',
            'address_not_public',
            'address_not_resolved',
          ]),
          status: z.int().nullable().meta({ description: 'The HTTP status of the receiver, where it answered.' }),
        })
        .nullable(),
    })
    .meta({ id: 'WebhookDelivery' }),
)
export type Delivery = Infer<typeof DeliverySchema>
