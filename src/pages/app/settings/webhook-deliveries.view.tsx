// Webhook settings: lists the messages to the webhook, the newest first, with the result of each.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Delivery } from '../../../management/notifications/notifications.schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { columnsOf, type View } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { EmptyNotice, HeadedCard } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { formatMinute, formatNumber } from '../../text/format.ts'
import { useApiList } from '../session.ts'
import { useView } from '../use-view.ts'
import type { Tone } from '../../parts/drawn.ts'

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
    <HeadedCard level={3} isList title="Messages" act={<Button onClick={again}>Look again</Button>}>
      <DataGrid
        label="Messages, the newest first"
        noun="message"
        columns={COLUMNS}
        rows={listed}
        keyOf={({ id }) => id}
        view={useView()}
        empty={
          <EmptyNotice title="No message yet">
            What is sent to the webhook, and how it ended: the latest hundred. Send a test to see one.
          </EmptyNotice>
        }
      />
    </HeadedCard>
  )
}

const STATES: Readonly<Record<Delivery['state'], { word: string; tone: Tone | undefined }>> = {
  waiting: { word: 'waits', tone: 'warn' },
  delivered: { word: 'taken', tone: undefined },
  failed: { word: 'failed', tone: 'bad' },
  dropped: { word: 'given up', tone: 'bad' },
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

/** How a message ended, after its state: “after 2 attempts the receiver refused it (500), 29 Nov 2026, 13:46”. */
function resultText(
  { state, attempts, last_attempt: last, next_attempt_at: next }: Delivery,
  { isLocal }: View,
): string {
  const tried = attempts > 1 ? `after ${formatNumber(attempts)} attempts ` : ''
  const code = last?.status == null ? '' : ` (${last.status})`
  return [
    last === null ? '' : `${tried}${OUTCOMES[last.outcome]}${code}, ${formatMinute(last.at, isLocal)}`,
    state === 'waiting' && next !== null ? `next ${formatMinute(next, isLocal)}` : '',
  ]
    .filter(Boolean)
    .join('; ')
}

const message = columnsOf<Delivery>()

const COLUMNS = [
  message.own({
    id: 'message',
    head: 'Message',
    kind: 'name',
    cell: ({ type, id }) => (
      <>
        {type}
        <code title={id}>
          …{id.slice(-6)} <CopyButton text={id} what="the id of the message" />
        </code>
      </>
    ),
    plain: ({ type, id }) => `${type} (${id})`,
  }),
  message.moment({ id: 'written', head: 'Written', of: 'created_at', phone: 'title-end' }),
  message.own({
    id: 'result',
    head: 'Result',
    kind: 'wide',
    cell: (of, view) => (
      <>
        <Badge tone={STATES[of.state].tone}>{STATES[of.state].word}</Badge> {resultText(of, view)}
      </>
    ),
    plain: (of, view) => `${STATES[of.state].word}: ${resultText(of, view)}`,
  }),
]
