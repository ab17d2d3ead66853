// The requests that wait for a person, the oldest first.
import type { ComponentChildren } from 'preact'
import type { Key } from '../../../keys/key.schema.ts'
import { TIERS_WITH_APPROVAL, type Tier } from '../../../policies/tier.policy.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/shown-approval.schema.ts'
import type { Session } from '../../api/session.ts'
import type { Loaded } from '../../api/use-answer.ts'
import { inOrganisation } from '../../api/session.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { plural } from '../../text/format.ts'
import { titleOf } from './approval-words.ts'
import { Facts } from './facts.view.tsx'

type Given = {
  session: Session
  loaded: Loaded<List<ShownApproval>>
  keys: ReadonlyMap<string, Key>
  acts: (approval: ShownApproval) => ComponentChildren
  onRetry: () => void
}

export function Waiting({ session, loaded, keys, acts, onRetry }: Given) {
  if (loaded.state === 'loading') return <Skeleton lines={10} />
  if (loaded.state === 'refused') return <Refusal problem={loaded.problem} onRetry={onRetry} />
  const waiting = loaded.body.data.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  if (waiting.length === 0) return <NothingWaits session={session} />
  return (
    <div class="stack">
      <p class="soft small" role="status">
        {plural(waiting.length, 'request')} {waiting.length === 1 ? 'waits' : 'wait'}, the oldest first
      </p>
      {waiting.map((approval) => (
        <article key={approval.id} class="card stack">
          <h3>
            <OpenLink change={{ id: approval.id }}>{titleOf(approval)}</OpenLink>
          </h3>
          <dl class="facts">
            <Facts of={approval} keys={keys} />
          </dl>
          {acts(approval)}
        </article>
      ))}
    </div>
  )
}

function NothingWaits({ session }: { session: Session }) {
  const tier: Tier | undefined = session.organisation?.tier
  const isInTier = tier !== undefined && TIERS_WITH_APPROVAL.includes(tier)
  return (
    <Empty
      title="Nothing waits"
      action={
        isInTier ? (
          <a class="button" href={inOrganisation(session, '/app/policies')}>
            Say what needs approval
          </a>
        ) : undefined
      }
      line={`curl '${location.origin}/api/approvals?state=pending' -H "authorization: Bearer $MANAGEMENT_KEY"`}
    >
      {isInTier
        ? 'Requests that your policy names wait here until people have approved them. No provider sees them before.'
        : `Requests that wait for people are here, with the tiers ${TIERS_WITH_APPROVAL.join(', ')}. Yours is ${tier}.`}
    </Empty>
  )
}
