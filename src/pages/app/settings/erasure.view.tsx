// Settings section: erases the organisation. Shows the effects, requests or cancels the erasure, and shows its state.
import { useLayoutEffect, useState } from 'preact/hooks'
import type * as z from 'zod'
import type { ErasureRecordSchema, OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import { answered, sendRequest, refusalOf, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Radio } from '../../parts/fields.view.tsx'
import { Answered, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { canCancel, showErasureNotice } from '../frame/erasure-notice.view.tsx'
import { callApi, hasPermission, organisation } from '../session.ts'
import { ConfirmByName, SettingsSection } from './settings-form.view.tsx'

export const ErasureSection = () => (
  <SettingsSection id="erasure">
    <Facts facts={WHAT_GOES} />
    {hasPermission('organisation:erase') ? <ErasureControls /> : <p>Only an owner can have the organisation erased.</p>}
  </SettingsSection>
)

const WHAT_GOES = [
  [
    'What goes',
    'Everything sealed, by destroying its key; keys, settings, policies, members and invitations, usage and costs, prompts and answers. People who are in no other organisation go with it.',
  ],
  [
    'By when',
    'Seven days after it is asked for, or at once. Copies of databases, from which the operator could restore after an accident, lapse 30 days later.',
  ],
  [
    'What stays',
    'The hashes of the ledger (leaf hashes), their tree and the ids of receipts, also in the public log: a receipt that somebody kept can still be shown to be in the log. A hash says nothing by itself. The signed record of the erasure stays too.',
  ],
  [
    'Before it',
    <>
      <a href="#export">Export</a> what you must keep: nothing brings it back.
    </>,
  ],
] as const

function ErasureControls() {
  const stored = useAnswer(loadErasure, [])
  const [, again] = stored
  const [isAsking, setAsking] = useState(false)
  /** The latest answer. It stays here because nobody is a member during an erasure, so nobody could load it again. */
  const [latest, setLatest] = useState<OrganisationErasure | null>(null)

  const erase = (isImmediate: boolean) => {
    const body = { name: organisation().name, immediately: isImmediate }
    return refusalOf(callApi<OrganisationErasure>('POST', '/api/settings/erasure', { body }), (erasure) => {
      setLatest(erasure)
      setAsking(false)
      showErasureNotice(erasure)
    })
  }
  const cancel = useButtonRequest(async () => {
    const answer = await callApi<OrganisationErasure>('DELETE', '/api/settings/erasure')
    setLatest(answer.outcome === 'answered' ? answer.body : null)
    if (answer.outcome === 'answered') showErasureNotice(null)
    else again()
    return answer
  })

  return (
    <Answered answer={stored} lines={3}>
      {(erasure) => {
        const known = latest ?? erasure
        const isScheduled = known !== null && canCancel(known)
        return (
          <>
            {known !== null && <ErasureState erasure={known} />}
            {cancel.problem !== null && <RefusalNotice problem={cancel.problem} />}
            {isScheduled && (
              <p class="row">
                <Button look="first" isDisabled={cancel.isAsking} onClick={cancel.ask}>
                  Cancel the erasure
                </Button>
                <Button look="danger" onClick={() => setAsking(true)}>
                  Erase at once instead
                </Button>
              </p>
            )}
            {(known === null || known.status === 'cancelled') && (
              <p>
                <Button look="danger" onClick={() => setAsking(true)}>
                  Erase the organisation
                </Button>
              </p>
            )}
            {isAsking && <EraseDialog isScheduled={isScheduled} onErase={erase} onClose={() => setAsking(false)} />}
          </>
        )
      }}
    </Answered>
  )
}

/** Answers with null if no erasure was requested. Asks the service only if the session names an erasure. */
async function loadErasure(signal: AbortSignal): Promise<Answer<OrganisationErasure | null>> {
  if (organisation().erasure === null) return answered(null)
  const answer = await callApi<OrganisationErasure>('GET', '/api/settings/erasure', { signal })
  return answer.outcome === 'refused' && answer.problem.code === 'not_found' ? answered(null) : answer
}

type DialogProps = {
  /** True if an erasure is scheduled already. The form can then only start it now. */
  isScheduled: boolean
  onErase: (isImmediate: boolean) => ReturnType<typeof refusalOf>
  onClose: () => void
}

function EraseDialog({ isScheduled, onErase, onClose }: DialogProps) {
  const [isImmediate, setImmediate] = useState(isScheduled)
  return (
    <ConfirmByName
      title="Erase the organisation"
      name={organisation().name}
      verb={isImmediate ? 'Erase it at once' : 'Erase it in seven days'}
      act={() => onErase(isImmediate)}
      onClose={onClose}
    >
      <fieldset class="stack">
        <legend>When</legend>
        {!isScheduled && (
          <Radio name="when" isChosen={!isImmediate} onChoose={() => setImmediate(false)}>
            <span>
              <strong>After seven days.</strong> From now on every key is refused, calls under way end and nothing can
              be changed. People can look, export and cancel until then.
            </span>
          </Radio>
        )}
        <Radio name="when" isChosen={isImmediate} onChoose={() => setImmediate(true)}>
          <span>
            <strong>At once.</strong> It begins now and nothing can be cancelled.
          </span>
        </Radio>
      </fieldset>
      <p>
        Everything sealed, keys, settings, members, usage and costs go. Leaf hashes, ids of receipts and the signed
        record of the erasure stay. All owners are told by mail.
      </p>
    </ConfirmByName>
  )
}

/** Shows the state of an erasure, and the URL of its signed record, which needs no sign-in. */
function ErasureState({ erasure }: { erasure: OrganisationErasure }) {
  const { status, due_at: dueAt, created_at: askedAt } = erasure
  if (status === 'cancelled') {
    return (
      <p class="notice good" role="status">
        The erasure is cancelled: keys work again, and everything can be changed again.
      </p>
    )
  }
  return (
    <div class="notice bad stack" role="status">
      {canCancel(erasure) ? (
        <p>
          It was asked for <Moment at={askedAt} /> and begins <Moment at={dueAt} />. Until then it can be cancelled.
        </p>
      ) : (
        <RunningErasure erasure={erasure} />
      )}
      <p>
        Its signed record will be at <CopyableValue value={erasure.record_url} what="the address of the record" />. Keep
        this address: it is read without signing in, and <code>countersign-verify</code> checks what is there.
      </p>
    </div>
  )
}

type ErasureRecord = z.infer<typeof ErasureRecordSchema>

const LOOK_AGAIN_MS = 2_000

/** Waits for the erasure's record by asking repeatedly. The record exists when the erasure is completed. */
function RunningErasure({ erasure: { id } }: { erasure: OrganisationErasure }) {
  const [record, setRecord] = useState<ErasureRecord | null>(null)
  const [attempts, setAttempts] = useState(0)
  const path = `/v1/erasures/${encodeURIComponent(id)}`
  useLayoutEffect(() => {
    if (record !== null) return undefined
    const look = async (): Promise<void> => {
      await refusalOf(sendRequest<ErasureRecord>('GET', path), setRecord)
      setAttempts(attempts + 1)
    }
    const timer = setTimeout(() => void look(), LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [attempts, record])
  if (record === null) return <p>It has begun and cannot be cancelled. This page looks for its record.</p>
  return (
    <p>
      It was completed <Moment at={record.completed_at} />. <a href={path}>Its signed record</a>.
    </p>
  )
}
