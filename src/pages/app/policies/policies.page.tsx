// The policies page: the policy in force, a form and JSON to change it, a simulation on past calls, and its history.
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { Problem } from '../../api/send-request.ts'
import { useUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { AreaField } from '../../parts/fields.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { useKeys, useLoadedNames, type Keys, type NameOf } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, useApi } from '../session.ts'
import { parseDraft, draftOfDocument, type Draft, editingOf } from './policy-draft.ts'
import { History, VersionDetail } from './version-history.view.tsx'
import { PolicyForm } from './policy-form.view.tsx'
import { PutInForce } from './put-in-force.view.tsx'
import { Simulation } from './simulation.view.tsx'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

function Policies() {
  const [loaded, again] = useApi<Policy>('/api/policies')
  const nameOf = useLoadedNames()
  const keys = useKeys()
  // The draft stays if loading the policy again fails.
  const read = useRef<Policy | null>(null)
  if (loaded.state === 'answered') read.current = loaded.body
  const refusal = loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />
  if (read.current === null && refusal !== false) return refusal
  if (read.current === null || nameOf === null || keys === null) return <Skeleton lines={24} />
  return (
    <>
      {refusal}
      <Editor loaded={read.current} nameOf={nameOf} keys={keys} onReadAgain={again} />
    </>
  )
}

type Props = {
  loaded: Policy
  nameOf: NameOf
  keys: Keys
  onReadAgain: () => void
}

function Editor({ loaded, nameOf, keys, onReadAgain }: Props) {
  const [urlParameters, changeUrlParameters] = useUrlParameters()
  const [inForce, setInForce] = useState(loaded)
  const [draft, setDraft] = useState<Draft>(() => draftOfDocument(loaded.document))
  const [problem, setProblem] = useState<Problem | null>(null)
  const [statusText, setStatusText] = useState('')
  const [replacedDraft, setReplacedDraft] = useState<Draft | null>(null)
  const mayChange = hasPermission('policies:change')
  const version = urlParameters.get('version') ?? ''
  const isJson = urlParameters.get('view') === 'json'
  const write = (written: Draft): void => {
    setDraft(written)
    setStatusText('')
    setReplacedDraft(null)
  }

  // Another person may have put a policy in force. Loading it again keeps the draft.
  useLayoutEffect(() => {
    setInForce(loaded)
    setProblem(null)
  }, [loaded])
  const isWritten = draft.text !== draftOfDocument(inForce.document).text
  useUnsavedWarning(isWritten)

  return (
    <>
      <p role="status">{statusText}</p>
      {replacedDraft !== null && (
        <p>
          <Button onClick={() => write(replacedDraft)}>Back to what you had written</Button>
        </p>
      )}
      {version !== '' && (
        <>
          <p>
            <ParameterLink change={{ version: '' }}>The policy in force</ParameterLink>
          </p>
          <VersionDetail
            key={version}
            version={version}
            nameOf={nameOf}
            inForce={inForce.version}
            onRestore={
              mayChange
                ? (old) => {
                    setReplacedDraft(replacedDraft ?? (isWritten ? draft : null))
                    setDraft(draftOfDocument(old.document))
                    setStatusText(`Version ${old.version} is written below, and not in force yet.`)
                    changeUrlParameters({ version: '' })
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
              <ParameterLink key={view} change={{ view }} class="button" isCurrent={(view === 'json') === isJson}>
                {words}
              </ParameterLink>
            ))}
          </p>
        </nav>
        {isJson ? (
          <PolicyJson draft={draft} isReadOnly={!mayChange} onText={(text) => write(parseDraft(text, draft))} />
        ) : (
          <PolicyForm
            isReadOnly={!mayChange}
            editing={editingOf(draft.document, (document) => write(draftOfDocument(document)), problem?.fields ?? [])}
          />
        )}
        {mayChange && (
          <>
            <PutInForce
              inForce={inForce}
              draft={draft}
              problem={problem}
              onProblem={setProblem}
              onPut={(policy, sent) => {
                setInForce(policy)
                // The draft may have changed while the request was being sent. The new draft then stays.
                setDraft((now) => (now === sent ? draftOfDocument(policy.document) : now))
                setStatusText(`Version ${policy.version} is in force.`)
                setReplacedDraft(null)
              }}
              onDiscard={() => {
                setProblem(null)
                write(draftOfDocument(inForce.document))
              }}
              onReadAgain={onReadAgain}
            />
            <Simulation document={draft.document} isReady={draft.fault === null} keys={keys} />
          </>
        )}
        <History nameOf={nameOf} inForce={inForce.version} />
      </div>
    </>
  )
}

const VIEWS = [
  { view: '', words: 'As a form' },
  { view: 'json', words: 'As JSON' },
]

function InForce({ policy, nameOf }: { policy: Policy; nameOf: NameOf }) {
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

type JsonProps = { draft: Draft; isReadOnly: boolean; onText: (text: string) => void }

const PolicyJson = ({ draft, isReadOnly, onText }: JsonProps) => (
  <AreaField
    label="The policy as JSON"
    hint="At most 16 KiB. Each member is a rule; one that is left out is not applied."
    fault={draft.fault}
    class="code"
    rows={24}
    spellcheck={false}
    autocapitalize="none"
    readOnly={isReadOnly}
    value={draft.text}
    onValue={onText}
  />
)

await openPage('/app/policies', Policies)
