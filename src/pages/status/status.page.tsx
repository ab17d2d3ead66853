// The status page: whether the service answers, the dates of the published figures, and the head of the public log.
import { Button } from '../parts/button.view.tsx'
import { useState } from 'preact/hooks'
import type * as z from 'zod'
import type { HealthSchema } from '../../health.schema.ts'
import type { PublicTreeHeadSchema } from '../../evidence/bundles/log-proofs.schema.ts'
import { sendRequest, type Answer } from '../api/send-request.ts'
import { useAnswer, type Loaded } from '../api/use-answer.ts'
import { CopyableValue } from '../parts/copy-button.view.tsx'
import { Facts, Section } from '../parts/page-blocks.view.tsx'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { formatDay, formatMoment, formatNumber, formatRelative, plural } from '../text/format.ts'
import { showInIsland } from '../parts/island.ts'
import '../search/open-search.ts'

type Health = z.infer<typeof HealthSchema>
type Head = z.infer<typeof PublicTreeHeadSchema>

/** An answer with the time of its arrival. */
type Timed<T> = { body: T; at: Date }

export function Status() {
  const [askedAt, setAskedAt] = useState(() => new Date())
  return (
    <>
      <p class="row">
        <span>
          Asked <time dateTime={askedAt.toISOString()}>{formatMoment(askedAt, false)}</time>.
        </span>
        <Button onClick={() => setAskedAt(new Date())}>Ask again</Button>
      </p>
      <Answers key={askedAt.getTime()} />
    </>
  )
}

function Answers() {
  const [health] = useAnswer((signal) => timed(sendRequest<Health>('GET', '/healthz', { signal })), [])
  const [head] = useAnswer((signal) => timed(sendRequest<Head>('GET', '/v1/public/transparency/sth', { signal })), [])
  return (
    <>
      <p class="only-read" role="status">
        {statusText(health)}
      </p>
      <Section title="Service" isCard>
        <Service health={health} />
      </Section>
      <Section title="Published figures" isCard>
        <Figures health={health} />
      </Section>
      <Section title="Public log" isCard>
        <Log head={head} />
      </Section>
    </>
  )
}

async function timed<T>(request: Promise<Answer<T>>): Promise<Answer<Timed<T>>> {
  const answer = await request
  return answer.outcome === 'refused' ? answer : { ...answer, body: { body: answer.body, at: new Date() } }
}

function statusText(health: Loaded<Timed<Health>>): string {
  if (health.state === 'loading') return ''
  return health.state === 'answered' ? 'The service is up.' : 'The service did not answer as it should.'
}

function Service({ health }: { health: Loaded<Timed<Health>> }) {
  if (health.state === 'loading') return <Skeleton lines={2} />
  if (health.state === 'refused') {
    return (
      <>
        <p class="badge bad">Not answering as it should</p>
        <ProblemNotice problem={health.problem} />
      </>
    )
  }
  return (
    <>
      <p class="badge good">Up</p>
      <p>It answered this browser.</p>
    </>
  )
}

function Figures({ health }: { health: Loaded<Timed<Health>> }) {
  if (health.state === 'loading') return <Skeleton lines={2} />
  if (health.state === 'refused') return <p>Not known while the service does not answer.</p>
  const { dataset } = health.body.body
  if (dataset === null) return <p>No figures are published, or the storage did not say in time which.</p>
  const { at } = health.body
  const age = (date: string): string => `${plural(daysBetween(new Date(date), at), 'day')} old`
  return (
    <Facts
      facts={[
        ['Archive date', `${formatDay(dataset.archiveDate)} (${age(dataset.archiveDate)})`],
        ['Published', `${formatDay(dataset.publishedOn)} (${age(dataset.publishedOn)})`],
      ]}
    />
  )
}

const daysBetween = (from: Date, to: Date): number => Math.floor((to.getTime() - from.getTime()) / 86_400_000)

function Log({ head }: { head: Loaded<Timed<Head>> }) {
  if (head.state === 'loading') return <Skeleton lines={3} />
  if (head.state === 'refused') return <ProblemNotice problem={head.problem} />
  const { body, at } = head.body
  const signed = new Date(body.timestamp)
  return (
    <Facts
      facts={[
        [
          'Head signed',
          <>
            <time dateTime={body.timestamp}>{formatMoment(signed, false)}</time> ({formatRelative(signed, at)})
          </>,
        ],
        ['Leaves', formatNumber(body.tree_size)],
        ['Root', <CopyableValue value={body.root_hash} what="the root" />],
        ['Key', <CopyableValue value={body.key_id} what="the key’s id" />],
      ]}
    />
  )
}

showInIsland(<Status />)
