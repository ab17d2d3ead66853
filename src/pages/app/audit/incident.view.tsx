// Whether a call is an incident: a person says so by a statement, which the checklist and reports have then.
import type { Session } from '../../api/session.ts'
import { StatementNote } from '../statements/statement-note.view.tsx'
import { useStatements } from '../statements/use-statements.ts'
import { useNames } from '../use-names.ts'

export function Incident({ session, trace }: { session: Session; trace: string }) {
  const statements = useStatements(session)
  const nameOf = useNames(session)
  return (
    <section class="card stack" aria-labelledby="incident">
      <h3 id="incident">Is it an incident?</h3>
      <p>Whoever states so marks it: its receipt can be found again by that. What happened is reported elsewhere.</p>
      <StatementNote
        session={session}
        statements={statements}
        subject={`incident:${trace}`}
        what="this call as an incident"
        nameOf={nameOf}
      />
    </section>
  )
}
