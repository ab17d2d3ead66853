// Where the organisation is told of what happens in it, of what, and what became of each message.
import { useState } from 'preact/hooks'
import type { ShownWebhookWire } from '../../../management/notifications/notifications.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import { Deliveries } from './deliveries.view.tsx'
import type { Room } from './room.ts'
import { Section } from './section.view.tsx'
import { WebhookActs } from './webhook-acts.view.tsx'
import { WebhookForm } from './webhook-form.view.tsx'

export function WebhookSection({ room }: { room: Room }) {
  const { session } = room
  const [loaded, again] = useAnswer(
    (signal) => callIn<ShownWebhookWire>(session, 'GET', '/api/notifications', { signal }),
    [],
  )
  const [sent, setSent] = useState(0)
  return (
    <Section id="webhook">
      <p>
        Signed messages to one address of yours: a budget that is reached, a loop, a call that waits for people. They
        say ids, names of models, amounts and times, and never the text of a call.
      </p>
      {loaded.state === 'loading' && <Skeleton lines={16} />}
      {loaded.state === 'refused' && <ProblemNotice problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' && (
        <>
          <Facts webhook={loaded.body} />
          {room.mayChange && (
            <>
              {loaded.body.state !== 'off' && (
                <WebhookActs room={room} webhook={loaded.body} onChanged={again} onSent={() => setSent(sent + 1)} />
              )}
              <WebhookForm room={room} webhook={loaded.body} onChanged={again} />
            </>
          )}
          {loaded.body.state !== 'off' && <Deliveries session={session} sent={sent} onChanged={again} />}
        </>
      )}
    </Section>
  )
}

const REASONS: Readonly<Record<NonNullable<ShownWebhookWire['disabled']>['reason'], string>> = {
  failing: 'it took no message for about three days',
  gone: 'it answered 410, which says that nobody is there any more',
  no_secret: 'the service has no longer its secret; set again, it gets another',
}

function Facts({ webhook }: { webhook: ShownWebhookWire }) {
  const { state, origin, disabled, last_delivered_at: last, previous_secret_until: until } = webhook
  if (state === 'off') return <p>No webhook is set: nothing is written or sent.</p>
  return (
    <>
      {disabled !== null && (
        <p class="notice warn">
          The webhook was disabled <Moment at={disabled.at} />: {REASONS[disabled.reason]}. Set its address again to
          turn it on.
        </p>
      )}
      <dl class="facts">
        <dt>State</dt>
        <dd>{state === 'on' ? 'on' : 'disabled'}</dd>
        <dt>Address</dt>
        <dd>
          <span class="hash">{origin}</span>{' '}
          <span class="soft">(the rest of it is never shown: it may hold a token)</span>
        </dd>
        <dt>Last message taken</dt>
        <dd>{last === null ? 'none yet' : <Moment at={last} />}</dd>
        <dt>Waiting, given up</dt>
        <dd>
          {formatNumber(webhook.waiting)}, {formatNumber(webhook.dropped)}
        </dd>
        {until !== null && (
          <>
            <dt>Secret before</dt>
            <dd>
              signs too until <Moment at={until} />
            </dd>
          </>
        )}
      </dl>
    </>
  )
}
