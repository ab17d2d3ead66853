// Sets the address of the webhook and what it is told of. A new address is answered with its secret, shown once.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type {
  ShownWebhookWire,
  WebhookWithSecretSchema,
} from '../../../management/notifications/notifications.schema.ts'
import { EVENT_TYPES, type EventType } from '../../../notifications/events.ts'
import type { Problem } from '../../api/call.ts'
import { Field } from '../../parts/field.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { useLeaving } from '../../parts/use-leaving.ts'
import { callIn } from '../call-in.ts'
import type { Room } from './room.ts'
import { SecretShown } from './secret-shown.view.tsx'

export type WebhookWithSecret = z.infer<typeof WebhookWithSecretSchema>

const EVENTS: Readonly<Record<EventType, string>> = {
  'loop.detected': 'a loop begins',
  'budget.threshold_reached': 'a part of a budget is reached',
  'budget.exhausted': 'a call is refused because a budget is used up',
  'approval.requested': 'a call waits for people',
  'approval.decided': 'somebody approves, denies or passes on',
  'approval.expired': 'nobody decided in time',
  'anomaly.detected': 'calls are served otherwise than usual (tiers Healthcare and Enterprise)',
}

type Given = { room: Room; webhook: ShownWebhookWire; onChanged: () => void }

export function WebhookForm({ room, webhook, onChanged }: Given) {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<readonly EventType[]>(webhook.state === 'off' ? EVENT_TYPES : webhook.events)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isSending, setSending] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [said, setSaid] = useState('')

  useLeaving(url !== '')

  const send = async (): Promise<void> => {
    if (isSending || events.length === 0) return
    setSending(true)
    setSaid('')
    const answer = await callIn<WebhookWithSecret>(room.session, 'PUT', '/api/notifications', { body: { url, events } })
    setSending(false)
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'refused') return
    setUrl('')
    if (answer.body.secret !== null) setSecret(answer.body.secret)
    else {
      setSaid('Saved: the address and its secret are the same as before.')
      onChanged()
    }
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <h3>{webhook.state === 'off' ? 'Set a webhook' : 'Change the address or what it is told of'}</h3>
      <Field
        label="Address"
        hint={
          webhook.state === 'off'
            ? 'https, a public name, port 443 or from 1024 on, without credentials. It is not shown again.'
            : 'Type the whole address, also where only the events change. The same address keeps its secret.'
        }
        fault={problem?.fields.find(({ path }) => path === 'url')?.rule ?? null}
      >
        {(control) => (
          <input
            {...control}
            type="text"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            placeholder="https://hooks.example.org/countersign"
            required
            maxLength={2048}
            value={url}
            onInput={({ currentTarget: { value } }) => setUrl(value)}
          />
        )}
      </Field>
      <fieldset class="stack">
        <legend>Tell it when</legend>
        {EVENT_TYPES.map((type) => (
          <label key={type} class="choice">
            <input
              type="checkbox"
              checked={events.includes(type)}
              onChange={({ currentTarget: { checked } }) =>
                setEvents(EVENT_TYPES.filter((one) => (one === type ? checked : events.includes(one))))
              }
            />
            <span>
              {EVENTS[type]} <code class="soft">{type}</code>
            </span>
          </label>
        ))}
      </fieldset>
      {problem !== null && <ProblemNotice problem={problem} />}
      <p class="row">
        <button type="submit" class="button first" aria-disabled={isSending || events.length === 0}>
          {webhook.state === 'off' ? 'Set the webhook' : 'Save the webhook'}
        </button>
        <span role="status" class="soft">
          {isSending ? 'Looking the name up' : events.length === 0 ? 'Choose at least one event' : said}
        </span>
      </p>
      {secret !== null && (
        <SecretShown
          secret={secret}
          onStored={() => {
            setSecret(null)
            onChanged()
          }}
        />
      )}
    </form>
  )
}
