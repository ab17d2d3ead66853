// What can be done with a webhook that is set: a test, a new secret, taking it away.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { ShownWebhookWire } from '../../../management/notifications/notifications.schema.ts'
import type { Problem } from '../../api/call.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { plural } from '../../text/format.ts'
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
  const [isTesting, setTesting] = useState(false)
  const [said, setSaid] = useState('')
  // What had the focus goes with the webhook.
  useLayoutEffect(() => () => document.getElementById('webhook')?.focus(), [])

  const test = async (): Promise<void> => {
    if (isTesting) return
    setTesting(true)
    setSaid('')
    const answer = await callIn<object>(session, 'POST', '/api/notifications/test', { body: {} })
    setTesting(false)
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    if (answer.outcome === 'refused') return
    setSaid('A test is on its way: what became of it is below.')
    onSent()
  }

  const rotate = async (): Promise<Problem | null> => {
    const answer = await callIn<WebhookWithSecret>(session, 'POST', '/api/notifications/rotate', { body: {} })
    if (answer.outcome === 'refused') return answer.problem
    setAsked(null)
    setSecret(answer.body.secret)
    return null
  }

  const remove = async (): Promise<Problem | null> => {
    const answer = await callIn<ShownWebhookWire>(session, 'DELETE', '/api/notifications')
    if (answer.outcome === 'refused') return answer.problem
    setAsked(null)
    onChanged()
    return null
  }

  return (
    <div class="stack">
      <p class="row">
        <button type="button" class="button" aria-disabled={isTesting} onClick={() => void test()}>
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
        <DialogForm
          title="Make a new secret?"
          button="Make a new secret"
          isDanger
          ask={rotate}
          onClose={() => setAsked(null)}
        >
          <p>
            The new one is shown once. For a day messages are signed with both, so that your receiver can change over;
            then the old one is nothing any more. It cannot be undone.
          </p>
        </DialogForm>
      )}
      {asked === 'remove' && (
        <DialogForm title="Remove the webhook?" button="Remove it" isDanger ask={remove} onClose={() => setAsked(null)}>
          <p>
            Its address, its secret, {plural(webhook.waiting, 'waiting message')} and what is known of others go at
            once. What the messages were about stays in the ledger. It cannot be undone; another can be set.
          </p>
        </DialogForm>
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
