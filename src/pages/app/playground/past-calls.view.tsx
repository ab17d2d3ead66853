// Playground: the last calls of this tab, each with its outcome. They lead to Calls.
import { LinkRow } from '../../parts/link-row.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { HeadedCard, PlainList } from '../../parts/surfaces.view.tsx'
import { exactTime } from '../../parts/times.view.tsx'
import { Note } from '../../parts/layout.view.tsx'
import { inOrganisation } from '../session.ts'
import { pastCalls } from './kept-request.ts'

export function PastCalls() {
  const calls = pastCalls()
  if (calls.length === 0) return null
  return (
    <HeadedCard title="Your last calls in this tab" isList>
      <PlainList>
        {calls.map(({ id, outcome, model, at }) => (
          <LinkRow
            key={id}
            to={inOrganisation(`/app/calls?id=${encodeURIComponent(id)}`)}
            title={model}
            about={
              <Note>
                <time dateTime={at}>{exactTime(at)}</time>
              </Note>
            }
          >
            <OutcomeBadge outcome={outcome} />
          </LinkRow>
        ))}
      </PlainList>
    </HeadedCard>
  )
}
