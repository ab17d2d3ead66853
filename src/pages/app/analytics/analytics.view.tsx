// Calls and their costs over time: filters in the address, charts, all figures, and the same as files.
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { ForRoles } from '../for-roles.view.tsx'
import { readAddress } from './asked.ts'
import { Counted } from './counted.view.tsx'
import { Filters } from './filters.view.tsx'
import { loadAnalytics, loadChoices } from './load-analytics.ts'

export function Analytics({ session }: { session: Session }) {
  return (
    <ForRoles session={session} permission="usage:read" what="analytics">
      <AnalyticsOf session={session} />
    </ForRoles>
  )
}

function AnalyticsOf({ session }: { session: Session }) {
  const [members] = useAddress()
  const asked = readAddress(members, Date.now())
  const [choices] = useAnswer((signal) => loadChoices(session, asked, signal), [asked.start, asked.end])
  const [loaded, again] = useAnswer((signal) => loadAnalytics(session, asked, signal), [JSON.stringify(asked)])
  if (loaded.state === 'loading') return <Skeleton lines={45} />
  if (loaded.state === 'refused' && loaded.problem.code === 'tier_required') return <Refusal problem={loaded.problem} />
  return (
    <>
      <Filters asked={asked} choices={choices.state === 'answered' ? choices.body : null} />
      {loaded.state === 'refused' ? (
        <Refusal problem={loaded.problem} onRetry={again} />
      ) : (
        <Counted
          session={session}
          asked={asked}
          found={loaded.body}
          keys={choices.state === 'answered' ? choices.body.keys : []}
        />
      )}
    </>
  )
}
