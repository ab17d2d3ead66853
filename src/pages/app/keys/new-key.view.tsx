// Keys page: a new key, shown once, with a call that runs as it is. The page then waits for the key's first call.
import { exactTime } from '../../parts/times.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { CodeTabs } from '../../parts/code-tabs.view.tsx'
import { Secret } from '../../parts/secret.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { clock, save } from '../../parts/icons.ts'
import { lazy } from '../../parts/lazy.view.tsx'
import { MainAndSide, Row, Soft, Stack, Text } from '../../parts/layout.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { RecordSheet } from '../../parts/record-sheet.view.tsx'
import { WithSign } from '../../parts/surfaces.view.tsx'
import { Step, Steps } from '../../parts/steps.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { callApi, organisation } from '../session.ts'
import { findAllowedCall } from './allowed-call.ts'
import { tabsWithSecret } from './call-snippet.ts'
import {
  callsModels,
  dayOf,
  describeMade,
  limitsOf,
  maskedKey,
  regionLimitOf,
  scopesOf,
  type CreatedKey,
  type KeyWithMade,
} from './key-labels.tsx'
import { callPath } from './key-use.view.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { latestCalls, loadRuling, modelsInRegion, type Ruling } from './load-keys.ts'
import { RulesForKey } from './rules.view.tsx'

const SignedRecord = lazy(8, async () => (await import('../evidence/signed-record.view.tsx')).SignedRecord)

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
  const isForCalls = callsModels(created)
  const firstCall = useFirstCall(created.id, isForCalls)
  return (
    <>
      <KeysHead title="Your new key" place="New key" lead="Copy it now. It is shown once; we keep only a hash of it." />
      <Answered answer={answer} lines={30}>
        {(ruling) => (
          <MainAndSide>
            <NewKeySteps
              {...secret}
              ruling={ruling}
              firstCall={firstCall}
              isKept={isKept}
              onKept={() => setKept(true)}
              onDone={() => setDone(true)}
            />
            <Stack gap={5}>
              {isForCalls && (
                <>
                  <RulesForKey ruling={ruling} subject={created} />
                  <FirstRecord of={firstCall} />
                </>
              )}
            </Stack>
          </MainAndSide>
        )}
      </Answered>
      {leaves && !isKept && <LeaveWithoutKey of={created} onStay={stay} onLeave={onLeave} />}
    </>
  )
}

const PACE_MS = 3_000

/** Waits for the key's first call, without haste, and not while nobody looks; null until then. @param isAwaited false for a key that calls no models */
function useFirstCall(id: string, isAwaited: boolean): Call | null {
  const [call, setCall] = useState<Call | null>(null)
  const isOver = call !== null || !isAwaited
  useLayoutEffect(() => {
    if (isOver) return undefined
    const leaving = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const look = async (): Promise<void> => {
      const found = document.hidden ? null : await firstCallOf(id, leaving.signal).catch(() => null)
      if (leaving.signal.aborted) return
      if (found === null) wait()
      else setCall(found)
    }
    const wait = (): void => {
      timer = setTimeout(() => void look(), PACE_MS)
    }
    wait()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [id, isOver])
  return call
}

/** Asks for calls only once the key was used: a list of calls is more work for the service than a key. */
async function firstCallOf(id: string, signal: AbortSignal): Promise<Call | null> {
  const key = await callApi<KeyWithMade>('GET', `/api/keys/${id}`, { signal })
  if (key.outcome === 'refused' || key.body.last_used_at === null) return null
  const calls = await latestCalls(id, signal)
  return calls.outcome === 'answered' ? (calls.body.at(-1) ?? null) : null
}

const LeaveWithoutKey = ({ of, onStay, onLeave }: Pick<Props, 'onStay' | 'onLeave'> & { of: Key }) => (
  <Dialog title="Leave without the key?" onClose={onStay}>
    <p>
      You have not copied the key {of.name}, and it is never shown again. It stays in force: if no program has it,
      revoke it.
    </p>
    <Row>
      <Button look="first" onClick={onStay}>
        Stay
      </Button>
      <Button look="danger" onClick={onLeave}>
        Leave without it
      </Button>
    </Row>
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
  const isForCalls = callsModels(created)
  const evaluation = created.evaluation && 'For evaluation'
  const limits = [scopesOf(created), evaluation, limitsOf(created), regionLimitOf(created)].filter(Boolean)
  return (
    <Steps>
      <Step title={`Key ${created.name} created`} number={1} isDone>
        <Soft as="p">
          {limits.join(', ')}.{' '}
          {created.expires_at === null ? 'It never expires.' : `Expires ${dayOf(created.expires_at)}.`}{' '}
          <LinkButton onClick={onDone}>See the key</LinkButton>
        </Soft>
        {old !== null && <OldKey of={old} made={made} />}
      </Step>
      <Step title="Keep the key" number={2} isDone={isKept}>
        <Soft as="p">
          In your secret store, not in code. Anyone who has it can{' '}
          {created.scopes.includes('manage') ? 'manage' : 'call models for'} {organisation().name}.
        </Soft>
        <KeepKey of={created} onKept={onKept} />
      </Step>
      {tabs.length > 0 && (
        <Step title={isForCalls ? 'Send a first call' : 'Try it'} number={3} isDone={firstCall !== null}>
          {call !== null && isForCalls && (
            <Soft as="p">
              It runs as it is copied: the copy has the whole key
              {policy.version > 0 &&
                `, and the model and use case are allowed by policy version ${formatNumber(policy.version)}`}
              .{call.isHeld && ' A person must approve it first.'}
            </Soft>
          )}
          <CodeTabs title="Terminal" what="A first call with the key" tabs={tabs} />
          {isForCalls && <FirstCall of={firstCall} />}
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

/** Once it is copied or saved, leaving the page does not ask any more. */
function KeepKey({ of, onKept }: { of: CreatedKey; onKept: () => void }) {
  const saveAsFile = (): void => {
    saveFile({ name: 'countersign.env', content: new Blob([`GATEWAY_KEY=${of.key}\n`], { type: 'text/plain' }) })
    onKept()
  }
  return (
    <>
      <Secret text={of.key} noun="key" onCopied={onKept} />
      <Row size="small">
        <Button onClick={saveAsFile}>
          <Icon of={save} />
          Save as .env
        </Button>
      </Row>
    </>
  )
}

const FirstCall = ({ of }: { of: Call | null }) => (
  <Row gap={2} role="status">
    {of === null ? (
      <WithSign icon={clock}>Waiting for the first call of this key.</WithSign>
    ) : (
      <>
        <b>First call arrived.</b> <OutcomeBadge outcome={of.outcome} ending={of.ending} />
        <Text isAtEnd>
          <a href={callPath(of.id)}>See the call</a>
        </Text>
      </>
    )}
  </Row>
)

const FirstRecord = ({ of }: { of: Call | null }) =>
  of === null ? (
    <RecordSheet title="Signed record" beside="Its first call" isExpected facts={[]}>
      The record of the first call will be here.
    </RecordSheet>
  ) : (
    of.record && (
      <SignedRecord
        id={of.id}
        record={of.record}
        outcome={of.outcome}
        ending={of.ending}
        beside={`Entry ${formatNumber(of.index)}`}
      />
    )
  )
