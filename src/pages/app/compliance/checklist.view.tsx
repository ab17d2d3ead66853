// The checklist: the score and, never without it, every control with what it looked at.
import type { z } from 'zod'
import type { ComplianceScoreSchema } from '../../../management/compliance/compliance.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { formatDay } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import type { Statements } from '../statements/use-statements.ts'
import { ControlCard } from './control-card.view.tsx'
import { ScoreFigure } from './score-figure.view.tsx'

type Score = z.infer<typeof ComplianceScoreSchema>

type Given = { session: Session; statements: Statements; nameOf: (id: string) => string }

export function Checklist({ session, statements, nameOf }: Given) {
  const [loaded, again] = useAnswer(
    (signal) => callIn<Score>(session, 'GET', '/api/compliance/score', { signal }),
    [session],
  )
  if (loaded.state === 'loading') return <Skeleton lines={40} />
  if (loaded.state === 'refused') return <Refusal problem={loaded.problem} onRetry={again} />
  const { score, controls, checked_at, checklist, law_as_of, cannot_show } = loaded.body
  return (
    <>
      <section class="card stack" aria-labelledby="score">
        <h2 id="score">The checklist of the last 30 days</h2>
        <ScoreFigure score={score} controls={controls} />
        <p>
          It measures what this gateway has evidence of, and not the organisation. Checklist {checklist}, about the law
          as of {formatDay(law_as_of)}; found <Moment at={checked_at} />. It is no legal advice, no certificate, and no
          finding that a law is kept or broken.
        </p>
      </section>
      <section class="stack" aria-labelledby="controls">
        <h2 id="controls">The controls</h2>
        <p class="soft">
          Weight 3: without it the record cannot be trusted. 2: an article names it. 1: good practice. 0: not scored.
        </p>
        {controls.map((control) => (
          <ControlCard key={control.id} control={control} {...{ session, statements, nameOf }} />
        ))}
      </section>
      <section class="card stack" aria-labelledby="cannot-show">
        <h2 id="cannot-show">What this cannot show</h2>
        <ul class="stack">
          {cannot_show.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
    </>
  )
}
