// The first page of the dashboard: what came of the last 30 days, what waits for a person, and what to begin with.
import { useAnswer } from '../../api/use-answer.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { FiguresShown } from './figures.view.tsx'
import { FirstSteps } from './first-steps.view.tsx'
import { loadOverview } from './load-overview.ts'
import { Waiting } from './waiting.view.tsx'

export function Overview({ session }: { session: Session }) {
  const [loaded, again] = useAnswer((signal) => loadOverview(session, signal), [])
  if (loaded.state === 'loading') return <Skeleton lines={30} />
  if (loaded.state === 'refused') return <Refusal problem={loaded.problem} onRetry={again} />
  const { figures, tier, waiting, keys } = loaded.body
  return (
    <>
      <FirstSteps session={session} seen={loaded.body} />
      {waiting !== null && <Waiting session={session} waiting={waiting} keys={keys} />}
      {tier !== null && <Refusal problem={tier} />}
      {figures !== null && <FiguresShown session={session} figures={figures} keys={keys} />}
      {figures === null && tier === null && (
        <p>
          What you can do here: look through <a href={inOrganisation(session, '/app/receipts')}>receipts</a>, and decide
          about <a href={inOrganisation(session, '/app/approvals')}>what waits</a>.
        </p>
      )}
    </>
  )
}
