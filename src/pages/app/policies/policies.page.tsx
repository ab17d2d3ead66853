// The policy page: the draft of the policy, as a form or as JSON, with its history; and the acts that put it in force.
import type { StopsSchema } from '../../../management/analytics/analytics.schema.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import type { Policy, ChangedPolicy } from '../../../management/policies/policies.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { useKeys, useLoadedNames, personOf, type Keys, type NameOf } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasCounts, hasPermission, useApi, useApiIf, callApi } from '../session.ts'
import { countByRule } from '../../text/rule-names.ts'
import { useRef, useLayoutEffect, useState } from 'preact/hooks'
import { formatDay } from '../../text/format.ts'
import { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import { withOwnMessage, type Problem } from '../../api/send-request.ts'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { AreaField } from '../../parts/fields.view.tsx'
import { info } from '../../parts/icons.ts'
import { lazy } from '../../parts/lazy.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'
import { exactTime } from '../../parts/times.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { showPendingCount } from '../frame/frame.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import type { Put } from './after-put.view.tsx'
import { formatDraftTime, keptDraft, useKeptDraft, type KeptDraft } from './kept-draft.ts'
import { ChangeWords, ExactChanges } from './policy-changes.view.tsx'
import { PolicyDock } from './policy-dock.view.tsx'
import { draftOfDocument, editingOf, NO_VERSION, parseDraft, useCasesIn, type Draft } from './policy-draft.ts'
import type { Wanted } from './put-in-force.view.tsx'
import { RuleList, type Stopped } from './rule-list.view.tsx'
import { changedRules } from './rule-words.ts'
import { untriedOf, usePolicyTrial } from './simulated-calls.ts'
import { useWaitingRequests } from './waiting-requests.ts'
import { NoticeRow, Remark, Segments, SmallLink } from '../../parts/surfaces.view.tsx'
import { Status } from '../../parts/layout.view.tsx'

function Policies() {
  const [loaded, again] = useApi<Policy>('/api/policies')
  const nameOf = useLoadedNames()
  const keys = useKeys()
  const [settings] = useApiIf<Settings>(hasPermission('settings:read'), '/api/settings')
  const [stops] = useApiIf<Infer<typeof StopsSchema>>(hasCounts(), '/api/analytics/stops')
  // The draft stays if loading the policy again fails.
  const read = useRef<Policy | null>(null)
  if (loaded.state === 'answered') read.current = loaded.body
  const refusal = loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />
  if (read.current === null && refusal !== false) return refusal
  const isLoading = settings.state === 'loading' || stops.state === 'loading'
  if (read.current === null || nameOf === null || keys === null || isLoading) return <Skeleton lines={24} />
  return (
    <>
      {refusal}
      <PolicyEditor
        loaded={read.current}
        nameOf={nameOf}
        keys={keys}
        settings={settings.state === 'answered' ? settings.body : null}
        stopped={countByRule(stops.state === 'answered' ? (stops.body?.data ?? []) : [])}
        onReadAgain={again}
      />
    </>
  )
}

const AfterPut = lazy(0, async () => (await import('./after-put.view.tsx')).AfterPut)
const History = lazy(8, async () => (await import('./version-history.view.tsx')).History)
const PutInForce = lazy(0, async () => (await import('./put-in-force.view.tsx')).PutInForce)
const TryResult = lazy(8, async () => (await import('./try-result.view.tsx')).TryResult)
const VersionDetail = lazy(12, async () => (await import('./version-history.view.tsx')).VersionDetail)

type Props = {
  loaded: Policy
  nameOf: NameOf
  keys: Keys
  settings: Settings | null
  stopped: Stopped
  onReadAgain: () => void
}

function PolicyEditor({ loaded, nameOf, keys, settings, stopped, onReadAgain }: Props) {
  const [urlParameters, changeUrlParameters] = useUrlParameters()
  const [inForce, setInForce] = useState(loaded)
  const mayChange = hasPermission('policies:change')
  const [kept, setKept] = useState(() => (mayChange ? keptDraft() : null))
  const [draft, setDraft] = useState<Draft>(() => {
    const own = draftOfDocument(loaded.document)
    return kept === null ? own : parseDraft(kept.text, own)
  })
  const [problem, setProblem] = useState<Problem | null>(null)
  const [backProblem, setBackProblem] = useState<Problem | null>(null)
  const [statusText, setStatusText] = useState('')
  const [replacedDraft, setReplacedDraft] = useState<Draft | null>(null)
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [put, setPut] = useState<Put | null>(null)
  const version = urlParameters.get('version') ?? ''
  const view = version === '' ? (urlParameters.get('view') ?? '') : 'history'
  const trial = usePolicyTrial(draft)
  const changes = findPolicyChanges(inForce.document, draft.document)
  const changed = changedRules(changes)
  const untried = untriedOf(changes)
  const waiting = useWaitingRequests([inForce.version])
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
  useKeptDraft(draft.text, isWritten, inForce.version)
  // Once it is in force or discarded, no draft is back any more.
  if (kept !== null && !isWritten) setKept(null)
  const discard = (): void => {
    setProblem(null)
    write(draftOfDocument(inForce.document))
    showToast('Your changes are discarded.', () => write(draft))
  }

  const putBack = async (old: number): Promise<void> => {
    setBackProblem(null)
    if (put?.before.version === old) return setWanted({ document: put.before.document, restores: old })
    const answer = await callApi<Policy>('GET', `/api/policies/history/${old}`)
    if (answer.outcome === 'refused') return setBackProblem(withOwnMessage(answer.problem, NO_VERSION))
    setWanted({ document: answer.body.document, restores: old })
  }
  const onPutBack = mayChange ? (old: number) => void putBack(old) : null

  const onPut = (policy: ChangedPolicy, withdrawn: number): void => {
    // A draft that is not what was put in force stays.
    if (wanted?.document === draft.document || !isWritten) {
      setDraft(draftOfDocument(policy.document))
      setReplacedDraft(null)
    }
    setWanted(null)
    setProblem(null)
    setPut(policy.version === inForce.version ? null : { policy, before: inForce, withdrawn })
    setInForce(policy)
    setStatusText('')
    if (withdrawn > 0) void showPendingCount()
    changeUrlParameters({ version: '' })
  }

  return (
    <>
      <PageHead lead={<InForce policy={inForce} nameOf={nameOf} />}>
        <Segments label="View">
          {VIEWS.map((one) => (
            <ParameterLink key={one.view} change={{ view: one.view, version: '' }} isCurrent={view === one.view}>
              {one.words}
            </ParameterLink>
          ))}
        </Segments>
      </PageHead>
      {put !== null && (
        <AfterPut
          put={put}
          keys={keys}
          onKeep={() => setPut(null)}
          onPutBack={() => setWanted({ document: put.before.document, restores: put.before.version })}
        />
      )}
      {backProblem !== null && <RefusalNotice problem={backProblem} />}
      <Status>{statusText}</Status>
      {replacedDraft !== null && (
        <p>
          <Button onClick={() => write(replacedDraft)}>Back to what you had written</Button>
        </p>
      )}
      {kept !== null && isWritten && <KeptNotice kept={kept} inForce={inForce.version} onDiscard={discard} />}
      {!mayChange && <Remark>Your role may read the policy and not change it.</Remark>}
      {version !== '' && (
        <VersionDetail
          key={version}
          version={version}
          nameOf={nameOf}
          inForce={inForce.version}
          onPutBack={onPutBack}
          onWrite={
            mayChange
              ? (old) => {
                  setReplacedDraft(replacedDraft ?? (isWritten ? draft : null))
                  setDraft(draftOfDocument(old.document))
                  setStatusText(`Version ${old.version} is written below, and not in force yet.`)
                  changeUrlParameters({ version: '', view: '' })
                }
              : null
          }
        />
      )}
      {view === 'history' && <History nameOf={nameOf} inForce={inForce.version} onPutBack={onPutBack} />}
      {view === 'json' && (
        <PolicyJson draft={draft} isReadOnly={!mayChange} onText={(text) => write(parseDraft(text, draft))} />
      )}
      {view === '' && (
        <RuleList
          problem={problem}
          changed={changed}
          stopped={stopped}
          editing={editingOf(draft.document, (document) => write(draftOfDocument(document)), problem?.fields ?? [], {
            before: inForce.document,
            useCases: useCasesIn(draft.document),
            keys,
            settings,
            isReadOnly: !mayChange,
          })}
        />
      )}
      {view !== 'history' && changes.length > 0 && (
        <div id="changes" tabIndex={-1}>
          <Section title="What changes" isCard>
            <ChangeWords changes={changes} />
            <ExactChanges changes={changes} />
          </Section>
        </div>
      )}
      {view !== 'history' && trial.tried !== null && <TryResult {...{ trial, untried, keys }} tried={trial.tried} />}
      {mayChange && view !== 'history' && (
        <PolicyDock
          trial={trial}
          untried={untried}
          changes={changes.length}
          fault={draft.fault}
          waiting={waiting.shown?.length ?? 0}
          isAsking={wanted !== null}
          onDiscard={discard}
          onPut={() => setWanted({ document: draft.document, restores: null })}
        />
      )}
      {wanted !== null && (
        <PutInForce
          inForce={inForce}
          wanted={wanted}
          tried={wanted.document === draft.document ? (trial.tried?.simulation ?? null) : null}
          waiting={waiting}
          keys={keys}
          onPut={onPut}
          onProblem={(found) => wanted.restores === null && setProblem(found)}
          onClose={() => setWanted(null)}
          onReadAgain={() => {
            setWanted(null)
            onReadAgain()
          }}
        />
      )}
    </>
  )
}

type KeptProps = { kept: KeptDraft; inForce: number; onDiscard: () => void }

const KeptNotice = ({ kept: { at, version }, inForce, onDiscard }: KeptProps) => (
  <NoticeRow
    tone={version === inForce ? undefined : 'warn'}
    icon={info}
    title={`Your draft of ${formatDraftTime(at)} is back.`}
  >
    {version !== inForce && <span>Version {inForce} came into force meanwhile. Compare before you go on.</span>}
    <SmallLink href="#changes">Compare</SmallLink>
    <LinkButton size="small" onClick={onDiscard}>
      Discard
    </LinkButton>
  </NoticeRow>
)

const VIEWS = [
  { view: '', words: 'As a form' },
  { view: 'json', words: 'As JSON' },
  { view: 'history', words: 'History' },
]

function InForce({ policy, nameOf }: { policy: Policy; nameOf: NameOf }) {
  if (policy.created_at === null) {
    return <>Nobody has made a policy yet: calls keep to what the tier and the settings allow.</>
  }
  return (
    <>
      <strong>Version {policy.version} is in force</strong> since{' '}
      <time dateTime={policy.created_at} title={exactTime(policy.created_at)}>
        {formatDay(policy.created_at.slice(0, 10))}
      </time>
      {policy.created_by !== null && `, put in force by ${personOf(nameOf, policy.created_by)}`}.
    </>
  )
}

type JsonProps = { draft: Draft; isReadOnly: boolean; onText: (text: string) => void }

const PolicyJson = ({ draft, isReadOnly, onText }: JsonProps) => (
  <AreaField
    label="The policy as JSON"
    hint="At most 16 KiB. Each member is a rule; one that is left out is not applied."
    fault={draft.fault}
    isCode
    rows={24}
    spellcheck={false}
    autocapitalize="none"
    readOnly={isReadOnly}
    value={draft.text}
    onValue={onText}
  />
)

await openPage('/app/policies', Policies)
