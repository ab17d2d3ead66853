// Webhook settings: lists the messages to the webhook, the newest first, with the result of each.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Delivery } from '../../../management/notifications/notifications.schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { EmptyNotice, figures, ListTable } from '../../parts/list-table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { useApiList } from '../session.ts'
import { PartCard } from './part-frame.view.tsx'

const LOOK_AGAIN_MS = 2_000

type Props = {
  /** The number of tests sent from this page. A change loads the list again. */
  sent: number
  /** Called when a message has a result, which may have changed the webhook. */
  onChanged: () => void
}

export function WebhookDeliveries({ sent, onChanged }: Props) {
  const listed = useApiList<Delivery>('/api/notifications/deliveries', {}, [sent])
  const { rows, state, again } = listed
  // The page waits only for the first attempt, because the next one is minutes away.
  const isWaiting = state === 'ready' && rows.some((row) => row.state === 'waiting' && row.attempts === 0)
  useLayoutEffect(() => {
    if (!isWaiting) return undefined
    const timer = setTimeout(again, LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, rows])
  const results = rows.map(({ id, state: result, attempts }) => `${id} ${result} ${attempts}`).join(', ')
  const known = useRef('')
  useLayoutEffect(() => {
    if (state !== 'ready' || known.current === results) return
    known.current = results
    onChanged()
  }, [state, results])

  return (
    <PartCard title="Messages" act={<Button onClick={again}>Look again</Button>}>
      <div class="body">
        <ListTable
          listed={listed}
          noun="message"
          empty={
            <EmptyNotice title="No message yet">
              What is sent to the webhook, and how it ended: the latest hundred. Send a test to see one.
            </EmptyNotice>
          }
          caption="Messages, the newest first"
          isCaptionHidden
          columns={[
            { name: 'Message', cell: ({ type }) => <code>{type}</code> },
            { name: 'Written', cell: ({ created_at: at }) => <Moment at={at} /> },
            { name: 'Result', cell: (message) => <Result message={message} /> },
            figures<Delivery>('Attempts', ({ attempts }) => formatNumber(attempts)),
            { name: 'Id', cell: ({ id }) => <CopyableValue value={id} what="the id of the message" /> },
          ]}
          keyOf={({ id }) => id}
        />
      </div>
    </PartCard>
  )
}

const STATES: Readonly<Record<Delivery['state'], { word: string; look: string }>> = {
  waiting: { word: 'waits', look: 'warn' },
  delivered: { word: 'taken', look: '' },
  failed: { word: 'failed', look: 'bad' },
  dropped: { word: 'given up', look: 'bad' },
}

const OUTCOMES: Readonly<Record<NonNullable<Delivery['last_attempt']>['outcome'], string>> = {
  delivered: 'the receiver took it',
  refused: 'the receiver refused it',
  redirected: 'the receiver sent it elsewhere, which is not followed',
  timed_out: 'the receiver did not answer in time',
  unreachable: 'the receiver could not be reached',
  address_not_public: 'its address is not on the public internet',
  address_not_resolved: 'its name could not be looked up',
}

function Result({ message }: { message: Delivery }) {
  const { state, last_attempt: last, next_attempt_at: next } = message
  return (
    <>
      <span class={`badge ${STATES[state].look}`.trimEnd()}>{STATES[state].word}</span>
      {last !== null && (
        <>
          {' '}
          {OUTCOMES[last.outcome]}
          {last.status !== null && ` (${last.status})`}, <Moment at={last.at} />
        </>
      )}
      {state === 'waiting' && next !== null && (
        <>
          {'; next '}
          <Moment at={next} />
        </>
      )}
    </>
  )
}
