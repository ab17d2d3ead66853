// What can be done with a webhook that is set: a test, a new secret, taking it away.
import { useEffect, useState } from 'preact/hooks'
import type { ShownWebhookWire } from '../../../management/notifications/notifications.schema.ts'
import type { Problem } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import type { Room } from './room.ts'
import { SecretShown } from './secret-shown.view.tsx'
import type { WebhookWithSecret } from './webhook-form.view.tsx'

type Given = { room: Room; webhook: ShownWebhookWire; onChanged: () => void; onSent: () => void }

type Asked = 'rotate' | 'remove' | null

export function WebhookActs({ room: { session }, webhook, onChanged, onSent }: Given) {
  const [asked, setAsked] = useState<Asked>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [said, setSaid] = useState('')
  // What had the focus goes with the webhook.
  useEffect(() => () => document.getElementById('webhook')?.focus(), [])

  const test = async (): Promise<void> => {
    const answer = await callIn<object>(session, 'POST', '/api/notifications/test', { body: {} })
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'refused') return
    setSaid('A test is on its way: what became of it is below.')
    onSent()
  }

  const rotate = async (): Promise<void> => {
    const answer = await callIn<WebhookWithSecret>(session, 'POST', '/api/notifications/rotate', { body: {} })
    setAsked(null)
    if (answer.outcome === 'refused') setProblem(answer.problem)
    else setSecret(answer.body.secret)
  }

  const remove = async (): Promise<void> => {
    const answer = await callIn<ShownWebhookWire>(session, 'DELETE', '/api/notifications')
    setAsked(null)
    if (answer.outcome === 'refused') {
      setProblem(answer.problem)
      return
    }
    onChanged()
  }

  return (
    <div class="stack">
      <p class="row">
        <button type="button" class="button" onClick={() => void test()}>
          Send a test
        </button>
        <button type="button" class="button" onClick={() => setAsked('rotate')}>
          Make a new secret
        </button>
        <button type="button" class="button danger" onClick={() => setAsked('remove')}>
          Remove the webhook
        </button>
      </p>
      <p role="status" class="soft">
        {said}
      </p>
      {problem !== null && <ProblemNotice problem={problem} />}
      {asked === 'rotate' && (
        <Sure
          title="Make a new secret?"
          text="The new one is shown once. For a day messages are signed with both, so that your receiver can change over; then the old one is nothing any more. It cannot be undone."
          verb="Make a new secret"
          onSure={() => void rotate()}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'remove' && (
        <Sure
          title="Remove the webhook?"
          text={`Its address, its secret, ${formatNumber(webhook.waiting)} waiting messages and what is known of others go at once. What the messages were about stays in the ledger. It cannot be undone; another can be set.`}
          verb="Remove it"
          onSure={() => void remove()}
          onClose={() => setAsked(null)}
        />
      )}
      {secret !== null && (
        <SecretShown
          secret={secret}
          onStored={() => {
            setSecret(null)
            onChanged()
          }}
        />
      )}
    </div>
  )
}

type Question = { title: string; text: string; verb: string; onSure: () => void; onClose: () => void }

function Sure({ title, text, verb, onSure, onClose }: Question) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="row">
        <button type="button" class="button danger" onClick={onSure}>
          {verb}
        </button>
        <button type="button" class="button" onClick={onClose}>
          Leave it
        </button>
      </p>
    </Dialog>
  )
}
