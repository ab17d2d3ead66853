// Where one is signed in, and ending it there. Of a session are known its times and how it began, and nothing else.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { SessionSchema } from '../../../accounts/sign-in/sign-in.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useList } from '../../api/use-list.ts'
import { tellTabs } from '../../api/tabs.ts'
import { ActButton } from '../../parts/act-button.view.tsx'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Done } from '../../parts/done.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { callIn } from '../call-in.ts'

type Begun = z.infer<typeof SessionSchema>

/** @param on counts what ends sessions elsewhere on the page */
export function Sessions({ session, on }: { session: Session; on: number }) {
  const listed = useList<Begun>(
    (cursor, signal) => callIn<List<Begun>>(session, 'GET', '/api/auth/sessions', { query: { cursor }, signal }),
    [on],
  )
  const [ended, setEnded] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isEndingAll, setEndingAll] = useState(false)

  const end = async (id: string): Promise<void> => {
    const answer = await callIn(session, 'DELETE', `/api/auth/sessions/${id}`)
    const isEnded = answer.outcome === 'answered'
    setProblem(isEnded ? null : answer.problem)
    setEnded(isEnded ? id : null)
    listed.again()
  }

  const columns: readonly Column<Begun>[] = [
    { name: 'Began', cell: (row) => <Moment at={row.created_at} /> },
    { name: 'By', cell: ({ method }) => (method === 'password' ? 'password' : `provider “${method}”`) },
    { name: 'Last used', cell: (row) => <Moment at={row.last_seen_at} /> },
    { name: 'Ends at the latest', cell: (row) => <Moment at={row.expires_at} /> },
    {
      name: 'End it',
      cell: (row) =>
        row.current ? (
          <span class="badge soft">this one</span>
        ) : (
          <ActButton act={() => end(row.id)}>
            End<span class="only-read"> the session</span>
          </ActButton>
        ),
    },
  ]

  return (
    <section class="stack">
      <h2>Sessions</h2>
      <p class="soft">Where you are signed in. The last use is known to the hour; no address and no browser is kept.</p>
      {ended !== null && (
        <Done key={ended}>
          <p>The session is ended. Whoever uses it has to sign in.</p>
        </Done>
      )}
      {problem !== null && <ProblemNotice problem={problem} />}
      <ListOf listed={listed} noun="session" empty={<p>There is none.</p>}>
        {(rows) => (
          <Table
            caption="Your sessions, newest first"
            isCaptionHidden
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </ListOf>
      <p>
        <button type="button" class="button danger" onClick={() => setEndingAll(true)}>
          End all sessions
        </button>
      </p>
      {isEndingAll && <EndAll session={session} onClose={() => setEndingAll(false)} />}
    </section>
  )
}

function EndAll({ session, onClose }: { session: Session; onClose: () => void }) {
  const endAll = async (): Promise<Problem | null> => {
    const answer = await callIn(session, 'POST', '/api/auth/logout-everywhere')
    if (answer.outcome === 'refused') return answer.problem
    tellTabs(null)
    location.replace('/sign-in')
    return null
  }
  return (
    <DialogForm title="End all sessions" button="End all, this one too" isDanger ask={endAll} onClose={onClose}>
      <p>You are signed out everywhere, here too. Keys go on working.</p>
    </DialogForm>
  )
}
