// Requests that wait for people, and what became of those that did.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/shown-approval.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { callIn } from '../call-in.ts'
import { showWaiting } from '../frame/waiting.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { useKeys } from '../use-keys.ts'
import { useLoadedNames } from '../use-names.ts'
import { ApprovalCard } from './approval-card.view.tsx'
import { DecidedApprovals } from './decided.view.tsx'
import { useDeciding } from './use-deciding.tsx'
import { Waiting } from './waiting.view.tsx'

export function Approvals({ session }: { session: Session }) {
  return (
    <ForRoles session={session} permission="approvals:read" what="approvals">
      <AllApprovals session={session} />
    </ForRoles>
  )
}

const NO_KEYS: ReadonlyMap<string, Key> = new Map()

/** As many as can wait at once. */
const MOST_WAITING = 100

function AllApprovals({ session }: { session: Session }) {
  const [address] = useAddress()
  const id = address.get('id') ?? ''
  const keys = useKeys(session)
  const nameOf = useLoadedNames(session)
  const [made, setMade] = useState(0)
  const [visits, setVisits] = useState(0)
  const [waiting, again] = useAnswer<List<ShownApproval>>(
    (signal) =>
      callIn<List<ShownApproval>>(session, 'GET', '/api/approvals', {
        query: { state: 'pending', limit: MOST_WAITING },
        signal,
      }),
    [made, visits],
  )
  // Others decide too: whoever comes back to the page sees what is left.
  useLayoutEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') setVisits((times) => times + 1)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const { acts, dialogs, said } = useDeciding(session, keys ?? NO_KEYS, () => {
    setMade((times) => times + 1)
    void showWaiting(session)
  })

  // All of it at once: what comes later would push down what is there.
  if (keys === null || nameOf === null || waiting.state === 'loading') return <Skeleton lines={24} />
  return (
    <>
      <p role="status">{said}</p>
      {id !== '' && (
        <>
          <p>
            <OpenLink change={{ id: '' }}>All approvals</OpenLink>
          </p>
          <ApprovalCard
            key={id}
            session={session}
            id={id}
            keys={keys}
            nameOf={nameOf}
            acts={acts}
            made={made + visits}
          />
        </>
      )}
      <div class="stack-l" hidden={id !== ''}>
        <section class="stack" aria-labelledby="waiting-now">
          <h2 id="waiting-now">Waiting</h2>
          <Waiting session={session} loaded={waiting} keys={keys} acts={acts} onRetry={again} />
        </section>
        <section class="stack" aria-labelledby="decided-before">
          <h2 id="decided-before">Decided</h2>
          <DecidedApprovals session={session} keys={keys} nameOf={nameOf} made={made} />
        </section>
      </div>
      {dialogs}
    </>
  )
}
