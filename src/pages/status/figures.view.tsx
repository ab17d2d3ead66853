// The card of the published figures: how old they are, and how much of that had passed when they were published.
import { Skeleton } from '../parts/answer-notices.view.tsx'
import { Facts } from '../parts/page-blocks.view.tsx'
import { formatDay, plural } from '../text/format.ts'
import type { Health } from '../../health.schema.ts'
import type { Asked } from './ask-components.ts'
import { bodyOf } from './log-head.view.tsx'

export const Figures = ({ health }: { health: Asked<Health> | null }) => (
  <section class="card flush" aria-labelledby="figures">
    <div class="card-head">
      <h2 id="figures">Age of the published figures</h2>
    </div>
    <div class="card-body">{health === null ? <Skeleton lines={6} /> : <Age health={health} />}</div>
  </section>
)

function Age({ health }: { health: Asked<Health> }) {
  const body = bodyOf(health)
  if (body === null) return <p>Not known while the service does not answer.</p>
  if (body.dataset === null) return <p>No figures are published, or the storage did not say in time which.</p>
  const { archiveDate, publishedOn } = body.dataset
  const age = daysBetween(archiveDate, health.at)
  const before = daysBetween(archiveDate, new Date(publishedOn))
  return (
    <>
      <p class="age">
        <b>{plural(age, 'day')}</b> <span class="soft">since the day they count, {formatDay(archiveDate)}</span>
      </p>
      <svg class="bar" role="img" aria-label={`Published after ${before} of ${plural(age, 'day')}`}>
        <rect width="100%" height="100%" class="since" />
        <rect width={`${Math.min(100, (100 * before) / Math.max(1, age))}%`} height="100%" />
      </svg>
      <p class="ends soft small">
        <span>Published after {plural(before, 'day')}</span>
        <span>Today</span>
      </p>
      <Facts
        facts={[
          ['Archive date', formatDay(archiveDate)],
          ['Published', formatDay(publishedOn)],
        ]}
      />
    </>
  )
}

const DAY_MS = 86_400_000

const daysBetween = (from: string, to: Date): number => Math.floor((to.getTime() - new Date(from).getTime()) / DAY_MS)
