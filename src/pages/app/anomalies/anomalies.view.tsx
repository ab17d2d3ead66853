// Bias detection: how groups of calls were served, beside one another, and what was unusual. Always with what it does not say.
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { useKeyNames } from '../use-keys.ts'
import { callIn } from '../call-in.ts'
import { PERIOD_FILTERS, PERIOD_NOTE, periodIn } from '../evidence/period.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { useStatements } from '../statements/use-statements.ts'
import { useNames } from '../use-names.ts'
import { GROUPING_WORDS, OUTCOME_WORDS } from './bias-words.ts'
import { Comparisons } from './comparisons.view.tsx'
import { FoundAnomalies } from './found-anomalies.view.tsx'

const choices = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, name]) => ({ value, name }))

const FILTERS: readonly Filter[] = [
  ...PERIOD_FILTERS,
  { name: 'by', label: 'Groups', kind: 'choice', all: 'By cohort', choices: choices(GROUPING_WORDS).slice(1) },
  {
    name: 'outcome',
    label: 'What is compared',
    kind: 'choice',
    all: 'Answered',
    choices: choices(OUTCOME_WORDS).slice(1),
  },
  { name: 'reference', label: 'Beside the group', kind: 'text' },
]

export const Anomalies = ({ session }: { session: Session }) => (
  <ForRoles session={session} permission="audit:read" what="bias detection">
    <Detection session={session} />
  </ForRoles>
)

function Detection({ session }: { session: Session }) {
  const [members] = useAddress()
  const asked = {
    ...periodIn(members),
    by: members.get('by'),
    outcome: members.get('outcome'),
    reference: members.get('reference'),
  }
  const key = JSON.stringify(asked)
  return (
    <>
      <Filters filters={FILTERS} members={members} />
      <p class="soft small no-print">{PERIOD_NOTE} At most 92. The ledger says that you asked, and what was found.</p>
      <Detected key={key} session={session} asked={asked} />
    </>
  )
}

type Given = { session: Session; asked: Readonly<Record<string, string | null>> }

function Detected({ session, asked }: Given) {
  const [loaded, again] = useAnswer(
    (signal) => callIn<BiasDetection>(session, 'GET', '/api/compliance/bias-detection', { query: asked, signal }),
    [session],
  )
  const statements = useStatements(session)
  const nameOf = useNames(session)
  const keyNames = useKeyNames(session)
  if (loaded.state === 'loading' || keyNames === null || statements.loaded.state === 'loading') {
    return <Skeleton lines={30} />
  }
  if (loaded.state === 'refused') return <Refusal problem={loaded.problem} onRetry={again} />
  const shared = { session, statements, nameOf, keyNames, detection: loaded.body }
  return (
    <>
      <div class="notice stack">
        {loaded.body.cannot_show.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      <Comparisons {...shared} />
      <FoundAnomalies {...shared} />
    </>
  )
}
