// Part of the settings: the webhook's URL, events and secret, and the result of each message.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/webhook'
import type { Infer } from '../../../platform/once.ts'
import type {
  WebhookResponse,
  WebhookWithSecretSchema,
} from '../../../management/notifications/notifications.schema.ts'
import { EVENT_TYPES, type EventType } from '../../../notifications/webhook-events.ts'
import { refusalOf } from '../../api/send-request.ts'
import type { LoadedAnswer } from '../../api/use-answer.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { DialogButton, DialogForm, ShownOnce } from '../../parts/dialog.view.tsx'
import { Checkboxes, InputField } from '../../parts/fields.view.tsx'
import { faultsIn, focusFault, Form, useUnsavedWarning } from '../../parts/form.view.tsx'
import { Answered, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { callApi } from '../session.ts'
import { WebhookDeliveries } from './webhook-deliveries.view.tsx'
import { Part } from './part-frame.view.tsx'
import { focusPart } from './settings-members.ts'
import { CardBody, Remark, HeadedCard } from '../../parts/surfaces.view.tsx'
import { Columns, Hash, Row, Stack, Soft } from '../../parts/layout.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'

type WithSecret = Infer<typeof WebhookWithSecretSchema>

/** What is typed and not set: the address and the events. */
export type TypedWebhook = { url: string; events: EventType[] }

type Props = {
  answer: LoadedAnswer<WebhookResponse>
  mayChange: boolean
  typed: TypedWebhook | null
  onTyped: (typed: TypedWebhook | null) => void
}

export function WebhookPart({ answer, mayChange, typed, onTyped }: Props) {
  const [loaded, again] = answer
  const [sent, setSent] = useState(0)
  const [secret, setSecret] = useState<string | null>(null)
  const show = (next: string | null): void => {
    setSecret(next)
    again()
  }
  const webhook = loaded.state === 'answered' ? loaded.body : null
  const isOn = webhook !== null && webhook.state !== 'off'
  useUnsavedWarning(secret !== null)
  const wasOn = useRef(isOn)
  // The button that had the focus disappears with the webhook.
  useLayoutEffect(() => {
    if (wasOn.current && !isOn) focusPart('webhook')
    wasOn.current = isOn
  }, [isOn])
  return (
    <Part
      id="webhook"
      more={
        webhook !== null && (
          <>
            {isOn && <WebhookDeliveries sent={sent} onChanged={again} />}
            {mayChange && (
              <HeadedCard level={3} title={isOn ? 'Address and events' : 'Set a webhook'}>
                <WebhookForm key={webhook.state} {...{ webhook, typed, onTyped }} onSecret={show} />
              </HeadedCard>
            )}
          </>
        )
      }
    >
      <CardBody isStack>
        <Answered answer={answer} lines={16}>
          {(known) => (
            <>
              <WebhookFacts webhook={known} />
              {mayChange && isOn && (
                <WebhookButtons webhook={known} onChanged={again} onSecret={show} onSent={() => setSent(sent + 1)} />
              )}
            </>
          )}
        </Answered>
      </CardBody>
      {secret !== null && (
        // The secret is deleted with the dialog, and no other part of the page has it.
        <ShownOnce
          title="The secret of the webhook"
          button="I have stored it"
          onDone={() => setSecret(null)}
          link={<a href="/docs/receive-webhooks">How a receiver checks it</a>}
        >
          <p>
            Messages are signed with it, as Standard Webhooks has them. It is shown this once and stored nowhere: put it
            where your receiver reads it, then close this.
          </p>
          <p>
            <CopyableValue value={secret} what="the secret" />
          </p>
        </ShownOnce>
      )}
    </Part>
  )
}

const REASONS: Readonly<Record<NonNullable<WebhookResponse['disabled']>['reason'], string>> = {
  failing: 'it took no message for about three days',
  gone: 'it answered 410, which says that nobody is there any more',
  no_secret: 'the service has no longer its secret; set again, it gets another',
}

function WebhookFacts({ webhook }: { webhook: WebhookResponse }) {
  const { state, origin, disabled, last_delivered_at: last, previous_secret_until: until } = webhook
  if (state === 'off') return <p>No webhook is set: nothing is written or sent.</p>
  return (
    <>
      {disabled !== null && (
        <Remark tone="warn">
          The webhook was disabled <Moment at={disabled.at} />: {REASONS[disabled.reason]}. Save it again to turn it on.
        </Remark>
      )}
      <Facts
        facts={[
          ['State', state === 'on' ? 'On' : 'Disabled'],
          [
            'Address',
            <>
              <Hash>{origin}</Hash> <Soft>(the rest of it is never shown: it may hold a token)</Soft>
            </>,
          ],
          ['Last message taken', last === null ? 'none yet' : <Moment at={last} />],
          ['Messages waiting', formatNumber(webhook.waiting)],
          ['Messages given up', formatNumber(webhook.dropped)],
          ...factsIf(until !== null, [
            'Secret before',
            <>
              signs too until <Moment at={until ?? ''} />
            </>,
          ]),
        ]}
      />
    </>
  )
}

/** Each with its group of the form. */
const EVENTS: Readonly<Record<EventType, readonly [group: string, words: string]>> = {
  'loop.detected': ['Calls', 'a loop begins'],
  'answer.withheld': ['Calls', 'the policy stops a model’s answer: once a key in 60 seconds'],
  'budget.threshold_reached': ['Budgets', 'a part of a budget is reached'],
  'budget.exhausted': ['Budgets', 'a call is refused because a budget is used up'],
  'approval.requested': ['Approvals', 'a call waits for people'],
  'approval.decided': ['Approvals', 'somebody approves, denies or passes on'],
  'approval.expired': ['Approvals', 'nobody decided in time'],
  'approval.withdrawn': ['Approvals', 'the policy or the key changed while a call waited'],
  'approval.executed': ['Approvals', 'an approved call has run'],
  'anomaly.detected': ['Calls', 'calls are served differently than usual (tiers Healthcare and Enterprise)'],
  'policy.changed': ['Changes', 'the policy changes'],
  'settings.changed': ['Changes', 'settings change'],
  'key.created': ['Changes', 'a key is created, replaced or issued by the operator'],
  'key.expiring': ['Changes', 'a key ends within a week'],
  'member.changed': ['Changes', 'somebody joins, leaves, or gets another role or end of access'],
  'factor.changed': ['Changes', 'a member sets up or loses a second factor'],
  'sign_in.new_place': ['Changes', 'a member signs in from a new network'],
}

type ActsProps = { webhook: WebhookResponse; onChanged: () => void; onSecret: (secret: string | null) => void }

type FormProps = Pick<Props, 'typed' | 'onTyped'> & Omit<ActsProps, 'onChanged'>

/** Sets the webhook's URL and events. The answer to a new URL has its secret, shown once. */
function WebhookForm({ webhook, onSecret, typed, onTyped }: FormProps) {
  const isOff = webhook.state === 'off'
  const { url, events } = typed ?? { url: '', events: isOff ? [...EVENT_TYPES] : webhook.events }
  const [isOther, setOther] = useState(isOff || url !== '')
  const isEmpty = isOff && url === ''
  const [fault, setFault] = useState<string | null>(null)
  const body = { events, ...(url !== '' && { url }) }
  /** The field says it, and nothing else does. */
  const refuse = (why: string) => {
    setFault(why)
    focusFault()
    return null
  }
  const set = async () => {
    setFault(null)
    if (isEmpty) return refuse('Type the address.')
    const problem = await refusalOf(callApi<WithSecret>('PUT', '/api/notifications', { body }), ({ secret }) => {
      onTyped(null)
      setOther(false)
      onSecret(secret)
      if (secret === null) showToast('Saved. The address and its secret are the same as before.')
    })
    const refused = faultsIn(problem)('url')
    return refused === null ? problem : refuse(refused)
  }
  return (
    <Form
      button={isOff ? 'Set the webhook' : 'Save the webhook'}
      isReady={events.length > 0}
      ask={set}
      waiting="Looking the name up"
    >
      {isOther ? (
        <InputField
          label="Address"
          hint={
            isOff
              ? 'Begins with https:// and can be reached from the internet. No user name or password in it. Not shown again.'
              : 'Empty: the address stays. Another one gets another secret.'
          }
          fault={fault}
          type="text"
          inputMode="url"
          autocomplete="off"
          spellcheck={false}
          placeholder={isOff ? 'https://hooks.example.org/countersign' : `${webhook.origin}/…`}
          maxLength={SCHEMA.url.maxLength}
          value={url}
          onValue={(next) => onTyped({ url: next, events })}
        />
      ) : (
        <p>
          <LinkButton size="small" onClick={() => setOther(true)}>
            Change the address
          </LinkButton>
        </p>
      )}
      <FieldGroup legend="Send a message when" fault={events.length === 0 ? 'Choose at least one event.' : null}>
        <Columns least={17}>
          {[...Map.groupBy(EVENT_TYPES, (type) => EVENTS[type][0])].map(([name, types]) => (
            <FieldGroup key={name} legend={name}>
              <Checkboxes
                options={types}
                chosen={events}
                onChosen={(chosen) =>
                  onTyped({ url, events: [...events.filter((one) => !types.includes(one)), ...chosen] })
                }
              >
                {(type) => (
                  <span>
                    {EVENTS[type][1]}{' '}
                    <Soft>
                      <code>{type}</code>
                    </Soft>
                  </span>
                )}
              </Checkboxes>
            </FieldGroup>
          ))}
        </Columns>
      </FieldGroup>
    </Form>
  )
}

type ButtonsProps = ActsProps & { onSent: () => void }

/** The buttons that send a test, make a new secret, and remove the webhook. */
function WebhookButtons({ webhook, onChanged, onSecret, onSent }: ButtonsProps) {
  const forgetTest = useRef(() => {})
  const test = useButtonRequest(
    () => callApi<object>('POST', '/api/notifications/test', { body: {} }),
    () => {
      forgetTest.current = showToast('A test is on its way. See Messages for its result.')
      onSent()
    },
  )
  const remove = () =>
    refusalOf(callApi('DELETE', '/api/notifications'), () => {
      forgetTest.current()
      showToast('The webhook was removed.')
      onChanged()
    })
  const rotate = (close: () => void) =>
    refusalOf(callApi<WithSecret>('POST', '/api/notifications/rotate', { body: {} }), ({ secret }) => {
      close()
      onSecret(secret)
    })
  return (
    <Stack>
      <Row>
        <Button isDisabled={test.isAsking} onClick={test.ask}>
          Send a test
        </Button>
        <DialogButton label="Make a new secret">
          {(close) => (
            <DialogForm
              title="Make a new secret?"
              button="Make a new secret"
              isDanger
              ask={() => rotate(close)}
              onClose={close}
            >
              <p>
                The new one is shown once. For a day messages are signed with both, so that your receiver can change
                over; then only the new one counts. It cannot be undone.
              </p>
            </DialogForm>
          )}
        </DialogButton>
        <DialogButton label="Remove the webhook" look="danger">
          {(close) => (
            <DialogForm title="Remove the webhook?" button="Remove it" isDanger ask={remove} onClose={close}>
              <p>
                Its address, its secret, {plural(webhook.waiting, 'waiting message')} and what is known of others go at
                once. What the messages were about stays in your log. It cannot be undone; another can be set.
              </p>
            </DialogForm>
          )}
        </DialogButton>
      </Row>
      {test.problem !== null && <RefusalNotice problem={test.problem} />}
    </Stack>
  )
}
