// Keys page: a new key, shown once, with a call that runs as it is. The page then waits for the key's first call.
import { exactTime } from '../../parts/times.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { CodeTabs } from '../../parts/code-tabs.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { save } from '../../parts/icons.ts'
import { Band } from '../../parts/ornament.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { RecordSheet } from '../../parts/record-sheet.view.tsx'
import { Step, Steps } from '../../parts/steps.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { organisation } from '../session.ts'
import { findAllowedCall } from './allowed-call.ts'
import { tabsWithSecret } from './call-snippet.ts'
import { useFirstCall } from './first-call.ts'
import { dayOf, describeMade, limitsOf, maskedKey, regionLimitOf, scopesOf, type CreatedKey } from './key-labels.tsx'
import { callPath } from './key-use.view.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { loadRuling, modelsInRegion, type Ruling } from './load-keys.ts'
import { RulesForKey } from './rules.view.tsx'

export type NewSecret = {
  created: CreatedKey
  /** The current state of the key that the new one replaces, or null. */
  old: Key | null
  /** The keys that the old key made. */
  made: readonly Key[]
}

type Props = NewSecret & {
  /** True if the address leads to another place of the page. */
  isLeaving: boolean
  onStay: () => void
  onLeave: () => void
}

/** SECURITY: the secret is in this component and its code box alone. No address, storage or log has it. */
export function NewKeyView({ isLeaving, onStay, onLeave, ...secret }: Props) {
  const [isKept, setKept] = useState(false)
  const [isDone, setDone] = useState(false)
  const answer = useAnswer(loadRuling, [])
  useUnsavedWarning(!isKept)
  const leaves = isLeaving || isDone
  useLayoutEffect(() => {
    if (leaves && isKept) onLeave()
  }, [leaves, isKept])
  const stay = (): void => {
    setDone(false)
    if (isLeaving) onStay()
  }
  const { created } = secret
  const firstCall = useFirstCall(created.id, created.scopes.includes('chat'))
  return (
    <>
      <KeysHead title="Your new key" place="New key" lead="Copy it now. It is shown once; we keep only a hash of it." />
      <Answered answer={answer} lines={30}>
        {(ruling) => (
          <div class="main-and-side">
            <NewKeySteps
              {...secret}
              ruling={ruling}
              firstCall={firstCall}
              isKept={isKept}
              onKept={() => setKept(true)}
              onDone={() => setDone(true)}
            />
            <div class="stack-m">
              {created.scopes.includes('chat') && (
                <>
                  <RulesForKey ruling={ruling} subject={created} />
                  <FirstRecord of={firstCall} />
                </>
              )}
            </div>
          </div>
        )}
      </Answered>
      {leaves && !isKept && <LeaveWithoutKey of={created} onStay={stay} onLeave={onLeave} />}
    </>
  )
}

const LeaveWithoutKey = ({ of, onStay, onLeave }: { of: Key; onStay: () => void; onLeave: () => void }) => (
  <Dialog title="Leave without the key?" onClose={onStay}>
    <p>
      You have not copied the key {of.name}, and it is never shown again. It stays in force: if no program has it,
      revoke it.
    </p>
    <p class="row">
      <Button look="first" onClick={onStay}>
        Stay
      </Button>
      <Button look="danger" onClick={onLeave}>
        Leave without it
      </Button>
    </p>
  </Dialog>
)

type StepsProps = NewSecret & {
  ruling: Ruling
  firstCall: Call | null
  isKept: boolean
  onKept: () => void
  onDone: () => void
}

function NewKeySteps({ created, old, made, ruling, firstCall, isKept, onKept, onDone }: StepsProps) {
  const { policy } = ruling
  const call = findAllowedCall(policy.document, modelsInRegion(ruling, created), created)
  const tabs = tabsWithSecret(created, call)
  const evaluation = created.evaluation ? 'For evaluation' : ''
  const limits = [scopesOf(created), evaluation, limitsOf(created), regionLimitOf(created)].filter(
    (text) => text !== '',
  )
  return (
    <Steps>
      <Step title={`Key ${created.name} created`} number={1} isDone>
        <p class="soft">
          {limits.join(', ')}.{' '}
          {created.expires_at === null ? 'It never expires.' : `Expires ${dayOf(created.expires_at)}.`}{' '}
          <button type="button" class="as-link" onClick={onDone}>
            See the key
          </button>
        </p>
        {old !== null && <OldKey of={old} made={made} />}
      </Step>
      <Step title="Keep the key" number={2} isDone={isKept}>
        <p class="soft">
          In your secret store, not in code. Anyone who has it can{' '}
          {created.scopes.includes('manage') ? 'manage' : 'call models for'} {organisation().name}.
        </p>
        <Secret of={created} onKept={onKept} />
      </Step>
      {tabs.length > 0 && (
        <Step title={created.scopes.includes('chat') ? 'Send a first call' : 'Try it'} number={3}>
          {call !== null && created.scopes.includes('chat') && (
            <CallNote version={policy.version} isHeld={call.isHeld} />
          )}
          <CodeTabs title="Terminal" what="A first call with the key" tabs={tabs} />
          {created.scopes.includes('chat') && <FirstCall of={firstCall} />}
        </Step>
      )}
    </Steps>
  )
}

const OldKey = ({ of, made }: { of: Key; made: readonly Key[] }) => (
  <p>
    The old key {maskedKey(of)}{' '}
    {of.status === 'active' && of.expires_at !== null ? (
      <>
        works on and ends <time dateTime={of.expires_at}>{exactTime(of.expires_at)}</time>. Put the new one in its place
        before that.
      </>
    ) : (
      'does not work any more.'
    )}{' '}
    {describeMade(made)}
  </p>
)

const CallNote = ({ version, isHeld }: { version: number; isHeld: boolean }) => (
  <p class="soft">
    It runs as it is copied: the copy has the whole key
    {version > 0 && `, and the model and use case are allowed by policy version ${formatNumber(version)}`}.
    {isHeld && ' A person must approve it first.'}
  </p>
)

type CopyState = 'ready' | 'copied' | 'failed'

const COPY_WORDS: Readonly<Record<CopyState, string>> = {
  ready: 'Copy key',
  copied: 'Copied',
  failed: 'Select it to copy',
}

/** Once it is copied or saved, leaving the page does not ask any more. */
function Secret({ of, onKept }: { of: CreatedKey; onKept: () => void }) {
  const [state, setState] = useState<CopyState>('ready')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(of.key)
      setState('copied')
      onKept()
    } catch {
      setState('failed')
    }
  }
  const saveAsFile = (): void => {
    saveFile({ name: 'countersign.env', content: new Blob([`GATEWAY_KEY=${of.key}\n`], { type: 'text/plain' }) })
    onKept()
  }
  return (
    <>
      <div class="secret">
        <code tabIndex={0} onCopy={onKept}>
          {of.key}
        </code>
        <Button look="first" onClick={() => void copy()}>
          <span aria-live="polite">{COPY_WORDS[state]}</span>
        </Button>
      </div>
      <p class="row small">
        <Button onClick={saveAsFile}>
          <Icon of={save} />
          Save as .env
        </Button>
        <span class="soft">Closing this page hides the key for good. If it is lost, replace it.</span>
      </p>
    </>
  )
}

const FirstCall = ({ of }: { of: Call | null }) => (
  <p class="waiting" role="status">
    {of === null ? (
      <>
        <i />
        Waiting for the first call of this key.
      </>
    ) : (
      <>
        <b>First call arrived.</b> <OutcomeBadge outcome={of.outcome} ending={of.ending} />
        <a class="to-end" href={callPath(of.id)}>
          See the call
        </a>
      </>
    )}
  </p>
)

function FirstRecord({ of }: { of: Call | null }) {
  if (of === null) {
    return (
      <section class="sheet expected" aria-label="What will be here">
        <Band />
        <div class="sheet-title">
          <h3>Signed record</h3>
          <span class="soft small">Its first call</span>
        </div>
        <p class="sheet-foot">The record of the first call will be here.</p>
      </section>
    )
  }
  return (
    <RecordSheet
      title="Signed record"
      beside={`Entry ${formatNumber(of.index)}`}
      facts={[
        ['Decision', of.signed_outcome],
        ['Decided', exactTime(of.created_at)],
        ['Model', <span class="nowrap">{of.model}</span>],
      ]}
    >
      <a href={callPath(of.id)}>See the call and check its signature</a>
    </RecordSheet>
  )
}
