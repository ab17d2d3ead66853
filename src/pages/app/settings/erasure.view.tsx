// Part of the settings: erases the organisation. Says what goes when, asks for the erasure or cancels it, and offers smaller steps.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { ErasureRecordSchema, OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { answered, bodyOf, refusalOf, sendRequest, type Answer, type Problem } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { Radio } from '../../parts/fields.view.tsx'
import { clock, close, file, key, lock, person, type IconPaths } from '../../parts/icons.ts'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { Answered, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { canCancel, showErasureNotice } from '../frame/erasure-notice.view.tsx'
import { callApi, hasPermission, inOrganisation, organisation } from '../session.ts'
import { ConfirmByName, NameForm, Part } from './part-frame.view.tsx'
import { pathOfPart, useNamed } from './settings-members.ts'
import { PlainList, CardBody, HeadedCard, SignRow, Remark } from '../../parts/surfaces.view.tsx'
import { Choices, Row, Note } from '../../parts/layout.view.tsx'

export const ErasurePart = () => {
  const { part } = useNamed()
  return (
    <Part
      id="erasure"
      title={
        <>
          Erase <bdi>{organisation().name}</bdi>
        </>
      }
      more={<SmallerSteps />}
    >
      <Foldable
        look="foot"
        summary="What goes when, and how to ask for it"
        isOpen={part === 'erasure' || organisation().erasure !== null}
      >
        {() => (
          <>
            <PlainList>
              {WHAT_GOES.map(({ when, what, icon, isLoss }) => (
                <SignRow key={when} icon={icon} tone={isLoss && 'bad'} title={<strong>{when}</strong>} about={what} />
              ))}
            </PlainList>
            <CardBody isStack>
              <Remark>
                Nothing brings it back. Keep what you must keep first:{' '}
                <a href={inOrganisation('/app/exports')}>make an export</a>.
              </Remark>
              {hasPermission('organisation:erase') ? (
                <ErasureControls />
              ) : (
                <p>Only an owner can have the organisation erased.</p>
              )}
            </CardBody>
          </>
        )}
      </Foldable>
    </Part>
  )
}

type Line = { when: string; what: string; icon: IconPaths; isLoss?: true }

const WHAT_GOES: readonly Line[] = [
  {
    when: 'At once',
    what: 'Every key is refused, and nothing more goes to a provider. People can still look, export and cancel.',
    icon: close,
    isLoss: true,
  },
  {
    when: 'After 7 days',
    what: 'The data key is destroyed, so nothing sealed can be read. Members, keys, policies, settings, usage and costs, prompts and answers are deleted. People who are in no other organisation go with it.',
    icon: close,
    isLoss: true,
  },
  {
    when: 'By day 37',
    what: 'Copies of databases, from which the operator could restore after an accident, are gone too.',
    icon: clock,
  },
  {
    when: 'What stays',
    what: 'The hashes of log entries, their tree and the ids of records, also in the public log: a record that somebody keeps can still be shown to be in the log. The signed record of the erasure stays too.',
    icon: lock,
  },
]

function ErasureControls() {
  const stored = useAnswer(loadErasure, [])
  const [, again] = stored
  /** The latest answer. It stays here because nobody is a member during an erasure, so nobody could load it again. */
  const [latest, setLatest] = useState<OrganisationErasure | null>(null)

  const erase = (isImmediate: boolean) => {
    const body = { name: organisation().name, immediately: isImmediate }
    return refusalOf(callApi<OrganisationErasure>('POST', '/api/settings/erasure', { body }), (erasure) => {
      setLatest(erasure)
      showErasureNotice(erasure)
    })
  }
  const cancel = useButtonRequest(async () => {
    const answer = await callApi<OrganisationErasure>('DELETE', '/api/settings/erasure')
    setLatest(bodyOf(answer))
    if (answer.outcome === 'answered') showErasureNotice(null)
    else again()
    return answer
  })

  return (
    <Answered answer={stored} lines={8}>
      {(erasure) => {
        const known = latest ?? erasure
        return (
          <>
            {known !== null && <ErasureState erasure={known} />}
            {cancel.problem !== null && <RefusalNotice problem={cancel.problem} />}
            {known !== null && canCancel(known) && (
              <Row>
                <Button isDisabled={cancel.isAsking} onClick={cancel.ask}>
                  Cancel the erasure
                </Button>
                <ConfirmByName title="Erase at once instead" button="Erase it at once" ask={() => erase(true)}>
                  <p>It begins now and nothing can be cancelled.</p>
                </ConfirmByName>
              </Row>
            )}
            {(known === null || known.status === 'cancelled') && <EraseForm onErase={erase} />}
          </>
        )
      }}
    </Answered>
  )
}

/** Shows the state of an erasure, and the URL of its signed record, which needs no sign-in. */
function ErasureState({ erasure }: { erasure: OrganisationErasure }) {
  const { status, due_at: dueAt, created_at: askedAt } = erasure
  if (status === 'cancelled') {
    return (
      <Remark tone="good" role="status">
        The erasure is cancelled: keys work again, and everything can be changed again.
      </Remark>
    )
  }
  return (
    <Notice
      tone="bad"
      role="status"
      title={
        canCancel(erasure) ? (
          <>
            It was asked for <Moment at={askedAt} /> and begins <Moment at={dueAt} />. Until then it can be cancelled.
          </>
        ) : (
          <RunningErasure erasure={erasure} />
        )
      }
    >
      <p>
        Its signed record will be at <CopyableValue value={erasure.record_url} what="the address of the record" />. Keep
        this address: it is read without signing in, and <code>countersign-verify</code> checks what is there.
      </p>
    </Notice>
  )
}

type ErasureRecord = Infer<typeof ErasureRecordSchema>

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
  if (record === null) return <>It has begun and cannot be cancelled. This page looks for its record.</>
  return (
    <>
      It was completed <Moment at={record.completed_at} />. <a href={path}>Its signed record</a>.
    </>
  )
}

/** Answers with null if no erasure was requested. Asks the service only if the session names an erasure. */
async function loadErasure(signal: AbortSignal): Promise<Answer<OrganisationErasure | null>> {
  if (organisation().erasure === null) return answered(null)
  const answer = await callApi<OrganisationErasure>('GET', '/api/settings/erasure', { signal })
  return answer.outcome === 'refused' && answer.problem.code === 'not_found' ? answered(null) : answer
}

const WHEN = [
  [false, 'After 7 days', 'You can cancel here until then.'],
  [true, 'At once', 'It begins now and nothing can be cancelled.'],
] as const

function EraseForm({ onErase }: { onErase: (isImmediate: boolean) => Promise<Problem | null> }) {
  const [isImmediate, setImmediate] = useState(false)
  return (
    <>
      <FieldGroup legend="When">
        <Choices>
          {WHEN.map(([isAtOnce, when, about]) => (
            <Radio
              key={when}
              name="when"
              isChosen={isAtOnce === isImmediate}
              onChoose={() => setImmediate(isAtOnce)}
              about={about}
            >
              {when}
            </Radio>
          ))}
        </Choices>
      </FieldGroup>
      <NameForm
        button={isImmediate ? 'Erase organisation at once' : 'Erase organisation in 7 days'}
        ask={() => onErase(isImmediate)}
      />
      <Note as="p">All owners get a mail. A signed record says what was erased.</Note>
    </>
  )
}

function SmallerSteps() {
  return (
    <HeadedCard level={3} isList title="Smaller steps">
      <PlainList>
        {hasPermission('keys:own') && (
          <SignRow
            icon={key}
            title={<a href={inOrganisation('/app/keys')}>Revoke keys</a>}
            about="Stops calls. Everything stays."
          />
        )}
        {hasPermission('content:erase') && (
          <SignRow
            icon={file}
            title={<a href={pathOfPart('content')}>Erase kept prompts and answers</a>}
            about="At once. Records stay."
          />
        )}
        <SignRow
          icon={person}
          title={<a href="/app/account">Leave, or erase your own account</a>}
          about={
            organisation().role === 'owner' ? 'The only owner names another one first.' : 'The organisation stays.'
          }
        />
      </PlainList>
    </HeadedCard>
  )
}
