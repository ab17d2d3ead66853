// Lists the person's sessions and ends them. A session shows only its times and how it began.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { SessionSchema } from '../../../accounts/sign-in/sign-in.schema.ts'
import { refusalOf, type Problem } from '../../api/call.ts'
import { tellTabs } from '../../api/sign-in.ts'
import { ActButton } from '../../parts/button.view.tsx'
import { DialogForm, DialogButton } from '../../parts/dialog.view.tsx'
import { Done, ProblemNotice } from '../../parts/notices.view.tsx'
import type { Column } from '../../parts/table.view.tsx'
import { ListTable } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { callApi, useApiList } from '../session.ts'
import { Section } from '../../parts/blocks.view.tsx'

type Begun = z.infer<typeof SessionSchema>

/** @param on a count of acts elsewhere on the page that end sessions: a change loads the list again */
export function Sessions({ on }: { on: number }) {
  const listed = useApiList<Begun>('/api/auth/sessions', {}, [on])
  const [ended, setEnded] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  const end = async (id: string): Promise<void> => {
    const answer = await callApi('DELETE', `/api/auth/sessions/${id}`)
    const isEnded = answer.outcome === 'answered'
    setProblem(isEnded ? null : answer.problem)
    setEnded(isEnded ? id : null)
    listed.again()
  }

  const columns: readonly Column<Begun>[] = [
    { name: 'Began', cell: (row) => <Moment at={row.created_at} /> },
    { name: 'By', cell: ({ method }) => methodWords(method) },
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
    <Section title="Sessions">
      <p class="soft">Where you are signed in. The last use is known to the hour; no address and no browser is kept.</p>
      {ended !== null && (
        <Done key={ended}>
          <p>The session is ended. Whoever uses it has to sign in.</p>
        </Done>
      )}
      {problem !== null && <ProblemNotice problem={problem} />}
      <ListTable
        listed={listed}
        noun="session"
        empty={<p>There is none.</p>}
        caption="Your sessions, newest first"
        isCaptionHidden
        columns={columns}
        keyOf={({ id }) => id}
      />
      <DialogButton label="End all sessions" look="danger">
        {(close) => (
          <DialogForm title="End all sessions" button="End all, this one too" isDanger ask={endAll} onClose={close}>
            <p>You are signed out everywhere, here too. Keys go on working.</p>
          </DialogForm>
        )}
      </DialogButton>
    </Section>
  )
}

export const methodWords = (method: string): string => (method === 'password' ? 'password' : `provider “${method}”`)

const endAll = () =>
  refusalOf(callApi('POST', '/api/auth/logout-everywhere'), () => {
    tellTabs(null)
    location.replace('/sign-in')
  })
