// The organisation's policy: what is in force, a form and the JSON to change it, past calls to try it on, and its history.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { useLeaving } from '../../parts/use-leaving.ts'
import { callIn } from '../call-in.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { mayIn } from '../may-in.ts'
import { useKeys } from '../use-keys.ts'
import { useLoadedNames } from '../use-names.ts'
import { draftFrom, draftOf, type Draft } from './draft.ts'
import { editingOf } from './editing.ts'
import { History, OldVersion } from './history.view.tsx'
import { PolicyForm } from './policy-form.view.tsx'
import { PolicyJson } from './policy-json.view.tsx'
import { PutInForce } from './put-in-force.view.tsx'
import { Simulation } from './simulation.view.tsx'

export function Policies({ session }: { session: Session }) {
  return (
    <ForRoles session={session} permission="policies:read" what="policies">
      <OwnPolicy session={session} />
    </ForRoles>
  )
}

function OwnPolicy({ session }: { session: Session }) {
  const [loaded, again] = useAnswer<Policy>((signal) => callIn<Policy>(session, 'GET', '/api/policies', { signal }), [])
  const nameOf = useLoadedNames(session)
  const keys = useKeys(session)
  // Where it is read again in vain, what is written stays.
  const read = useRef<Policy | null>(null)
  if (loaded.state === 'answered') read.current = loaded.body
  const refusal = loaded.state === 'refused' && <Refusal problem={loaded.problem} onRetry={again} />
  if (read.current === null && refusal !== false) return refusal
  if (read.current === null || nameOf === null || keys === null) return <Skeleton lines={24} />
  return (
    <>
      {refusal}
      <Editor session={session} loaded={read.current} nameOf={nameOf} keys={keys} onReadAgain={again} />
    </>
  )
}

type Given = {
  session: Session
  loaded: Policy
  nameOf: (id: string) => string
  keys: ReadonlyMap<string, Key>
  onReadAgain: () => void
}

function Editor({ session, loaded, nameOf, keys, onReadAgain }: Given) {
  const [address, changeAddress] = useAddress()
  const [inForce, setInForce] = useState(loaded)
  const [draft, setDraft] = useState<Draft>(() => draftOf(loaded.document))
  const [problem, setProblem] = useState<Problem | null>(null)
  const [said, setSaid] = useState('')
  const [replaced, setReplaced] = useState<Draft | null>(null)
  const mayChange = mayIn(session, 'policies:change')
  const version = address.get('version') ?? ''
  const isJson = address.get('view') === 'json'
  const write = (written: Draft): void => {
    setDraft(written)
    setSaid('')
    setReplaced(null)
  }

  // Read again because somebody else had put another: what is written here stays.
  useLayoutEffect(() => {
    setInForce(loaded)
    setProblem(null)
  }, [loaded])
  const isWritten = draft.text !== draftOf(inForce.document).text
  useLeaving(isWritten)

  return (
    <>
      <p role="status">{said}</p>
      {replaced !== null && (
        <p>
          <button type="button" class="button" onClick={() => write(replaced)}>
            Back to what you had written
          </button>
        </p>
      )}
      {version !== '' && (
        <>
          <p>
            <OpenLink change={{ version: '' }}>The policy in force</OpenLink>
          </p>
          <OldVersion
            key={version}
            session={session}
            version={version}
            nameOf={nameOf}
            inForce={inForce.version}
            onBringBack={
              mayChange
                ? (old) => {
                    setReplaced(replaced ?? (isWritten ? draft : null))
                    setDraft(draftOf(old.document))
                    setSaid(`Version ${old.version} is written below, and not in force yet.`)
                    changeAddress({ version: '' })
                  }
                : null
            }
          />
        </>
      )}
      <div class="stack-l" hidden={version !== ''}>
        <InForce policy={inForce} nameOf={nameOf} />
        {!mayChange && <p class="notice">Your role may read the policy and not change it.</p>}
        <h2>Rules</h2>
        <nav aria-label="How the policy is shown">
          <p class="row">
            {VIEWS.map(({ view, words }) => (
              <OpenLink key={view} change={{ view }} class="button" isCurrent={(view === 'json') === isJson}>
                {words}
              </OpenLink>
            ))}
          </p>
        </nav>
        {isJson ? (
          <PolicyJson draft={draft} isReadOnly={!mayChange} onText={(text) => write(draftFrom(text, draft))} />
        ) : (
          <PolicyForm
            session={session}
            isReadOnly={!mayChange}
            editing={editingOf(draft.document, (document) => write(draftOf(document)), problem?.fields ?? [])}
          />
        )}
        {mayChange && (
          <>
            <PutInForce
              session={session}
              inForce={inForce}
              draft={draft}
              problem={problem}
              onProblem={setProblem}
              onPut={(policy, sent) => {
                setInForce(policy)
                // What was written while it was on its way is not lost.
                setDraft((now) => (now === sent ? draftOf(policy.document) : now))
                setSaid(`Version ${policy.version} is in force.`)
                setReplaced(null)
              }}
              onDiscard={() => {
                setProblem(null)
                write(draftOf(inForce.document))
              }}
              onReadAgain={onReadAgain}
            />
            <Simulation session={session} document={draft.document} isReady={draft.fault === null} keys={keys} />
          </>
        )}
        <History session={session} nameOf={nameOf} inForce={inForce.version} />
      </div>
    </>
  )
}

const VIEWS = [
  { view: '', words: 'As a form' },
  { view: 'json', words: 'As JSON' },
]

function InForce({ policy, nameOf }: { policy: Policy; nameOf: (id: string) => string }) {
  if (policy.created_at === null) {
    return (
      <p>
        Nobody has made a policy yet: calls keep to what the tier and the settings allow. A policy only narrows that.
      </p>
    )
  }
  return (
    <p>
      <strong>Version {policy.version} is in force</strong>, made <Moment at={policy.created_at} />
      {policy.created_by !== null && ` by ${nameOf(policy.created_by)}`}. It only narrows what the tier and the settings
      allow.
    </p>
  )
}
