// Decides about a waiting request in place: the field that compares a text with it, the reason, and the three buttons. Asks before an
// approval if nothing was compared.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/decision'
import { requestHash } from '../../../evidence/records/canonical-json.ts'
import { readJsonObject } from '../../../evidence/records/read-json-object.ts'
import type { Problem } from '../../api/send-request.ts'
import { Button, LinkButton, useSingleRun } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { ProblemNotice } from '../../parts/answer-notices.view.tsx'
import { AreaField } from '../../parts/fields.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { blocked, check, proven } from '../../parts/icons.ts'
import { Pair, Row, Text, OnlyRead, OnlySeen } from '../../parts/layout.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { CardBody, CardFoot, WithSign } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { useNow } from '../../parts/times.view.tsx'
import { callApi } from '../session.ts'
import {
  keyNameOf,
  makerOf,
  nameOfMaker,
  titleOf,
  type Approval,
  type Decided,
  type Decision,
  DECISION_WORDS,
} from './approval-words.ts'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'

/** A recorded decision. `note` is '' if none was given. */
export type RecordedDecision = { decided: Decided; decision: Decision; note: string }

type Props = {
  of: Approval
  onDecided: (made: RecordedDecision) => void
  /** Called if this person can no longer decide: somebody else was faster, or the approval has expired. */
  onTooLate: (problem: Problem) => void
}

/** The fields and buttons, shown until the approval expires. The page shows no decision before the service confirms it. */
export function DecideRequest({ of, onDecided, onTooLate }: Props) {
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const isOver = Date.parse(of.expires_at) <= useNow()
  const comparison = compareRequest(text, of.request_hash)
  const isSame = comparison.result === 'same'
  const isAnother = comparison.result === 'another' || comparison.result === 'unreadable'

  const [step, setStep] = useState<'form' | 'asked' | 'waits'>('form')
  const [decision, setDecision] = useState<Decision>('escalate')
  /** What the keyboard continues with: the pressed button, or the field to compare. */
  const next = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    // The buttons are in sight: the page stays where it is.
    if (step === 'form') next.current?.focus({ preventScroll: next.current instanceof HTMLButtonElement })
  }, [step])
  const [isDeciding, start] = useSingleRun(async () => {
    setProblem(null)
    const body = { decision, ...(note !== '' && { reason: note }) }
    const answer = await callApi<Decided>('POST', `/api/approvals/${of.id}/decision`, { body })
    if (answer.outcome === 'answered') onDecided({ decided: answer.body, decision, note })
    else if (answer.problem.code === 'conflict') onTooLate(answer.problem)
    else setProblem(answer.problem)
  })

  const press = (button: HTMLButtonElement, one: Decision): void => {
    if (isDeciding) return
    next.current = button
    setDecision(one)
    setStep(comparison.result === 'empty' && one === 'approve' ? 'asked' : 'waits')
  }
  const compare = (): void => {
    next.current = fieldNear(next.current)
    setStep('form')
  }

  if (isOver && step !== 'waits') return <CardFoot>Its time is over: nobody can decide it any more.</CardFoot>
  return (
    <>
      <CardBody isStack isInert={step === 'waits'}>
        <div role="status">
          <ComparisonResult of={comparison} />
        </div>
        <Pair>
          <AreaField
            label="Paste the request to confirm it is this one"
            hint={`We do not keep the text. Copy it from the program that sent it, or ask ${askedFor(of)}. It stays in this browser.`}
            isCode
            isShort
            spellcheck={false}
            rows={3}
            value={text}
            onValue={setText}
          />
          <AreaField
            label="Reason (optional)"
            hint="The record has a salted hash of it. The text is kept only with content."
            fault={problem?.fields.find(({ path }) => path === 'reason')?.rule}
            isShort
            isLine
            rows={1}
            maxLength={SCHEMA.reason.maxLength}
            value={note}
            onValue={setNote}
          />
        </Pair>
        {problem !== null && <ProblemNotice problem={problem} />}
      </CardBody>
      {step === 'asked' && <NotCompared of={of} onClose={compare} onAnyway={() => setStep('waits')} />}
      {step === 'waits' && (
        <UndoDecision
          decision={decision}
          onUndo={() => setStep('form')}
          onEnd={() => {
            setStep('form')
            start()
          }}
        />
      )}
      <CardFoot look="row bar" isHidden={step === 'waits'}>
        {DECISIONS.map(({ decision: one, look, words }) => {
          const isOff = one === 'approve' && isAnother
          return (
            <Button
              key={one}
              {...(!isOff && { look: one === 'approve' && isSame ? 'first' : look })}
              isOff={isOff}
              isDisabled={isDeciding}
              label={`${words}${one === 'escalate' ? ':' : ' request:'} ${titleOf(of)}`}
              onClick={({ currentTarget }) => press(currentTarget, one)}
            >
              {one === 'approve' && <Icon of={check} />}
              <span>
                {words}
                {one !== 'escalate' && <Text isWideOnly> request</Text>}
              </span>
            </Button>
          )
        })}
        {comparison.result === 'empty' && (
          <LinkButton size="small" onClick={({ currentTarget }) => focusField(currentTarget)}>
            Compare the request
          </LinkButton>
        )}
        <Text size="small" isWideOnly>
          {isAnother
            ? 'Approve is off while another text is in the field.'
            : 'Approved, it may be sent again once, within an hour. The signature proves that you decided, not that you were right.'}
        </Text>
      </CardFoot>
    </>
  )
}

/** The field to compare of the request whose card has this element. */
const fieldNear = (element: HTMLElement | null): HTMLElement | null =>
  element?.closest('section')?.querySelector('textarea') ?? null

/** The bar of acts would lie over it. */
const intoSight = (element: Element | null): void => element?.scrollIntoView({ block: 'center' })

function focusField(near: HTMLElement): void {
  const field = fieldNear(near)
  intoSight(field)
  field?.focus()
}

/** The person to ask for the text. */
function askedFor(of: Approval): string {
  const maker = makerOf(of)
  return maker === null ? `who uses the key ${keyNameOf(of)}` : `${nameOfMaker(maker)}, who made its key`
}

const DECISIONS = [
  { decision: 'approve', words: 'Approve', look: undefined },
  { decision: 'deny', words: 'Deny', look: 'danger' },
  { decision: 'escalate', words: 'Pass on', look: 'quiet' },
] as const

function NotCompared({ of, onClose, onAnyway }: { of: Approval; onClose: () => void; onAnyway: () => void }) {
  const maker = makerOf(of)
  return (
    <Dialog title="You have not compared the request" onClose={onClose}>
      <p>
        Approve {titleOf(of)}, asked by {keyNameOf(of)}
        {maker !== null && ` of ${nameOfMaker(maker)}`}?
      </p>
      <Row>
        <Button look="first" onClick={onClose}>
          Compare first
        </Button>
        <Button onClick={onAnyway}>Approve anyway</Button>
      </Row>
    </Dialog>
  )
}

type Comparison =
  | { result: 'empty' }
  /** `why`: the text has no hash that could be compared. */
  | { result: 'unreadable'; why: string }
  | { result: 'same' | 'another'; hash: string }

/** Compares a text with a waiting request by its hash. The text stays in the browser. @param waiting the hash that waits */
function compareRequest(text: string, waiting: string): Comparison {
  if (text.trim() === '') return { result: 'empty' }
  const read = readJsonObject(new TextEncoder().encode(text))
  if (!read.readable) return { result: 'unreadable', why: 'This is not one JSON object.' }
  try {
    const hash = requestHash(read.object)
    return { result: hash === waiting ? 'same' : 'another', hash }
  } catch {
    return { result: 'unreadable', why: 'This text has no canonical form, so it has no hash.' }
  }
}

function ComparisonResult({ of }: { of: Comparison }) {
  switch (of.result) {
    case 'empty':
      return null
    case 'same':
      return (
        <Row as="p" size="small">
          <Badge tone="good" icon={proven}>
            Same request
          </Badge>
          <span>
            Its hash is the one that waits: <code>{of.hash}</code>
          </span>
        </Row>
      )
    case 'another':
      return (
        <Different title="Another request.">
          Its hash is <code>{of.hash}</code>. One changed letter is enough. Copy it again, whole, from the program.
        </Different>
      )
    case 'unreadable':
      return <Different title={of.why}>Copy the body of the request, whole, from the program.</Different>
  }
}

const Different = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div ref={intoSight}>
    <Notice tone="bad" title={<WithSign icon={blocked}>{title}</WithSign>}>
      <p>{children}</p>
    </Notice>
  </div>
)

const SECONDS = 5

/** Removes the message that a decision before this one was not sent. */
let forgetLast = (): void => {}

function UndoDecision({ decision, onUndo, onEnd }: { decision: Decision; onUndo: () => void; onEnd: () => void }) {
  const [left, setLeft] = useState(SECONDS)
  const isEnded = useRef(false)
  const id = useUniqueId()
  useUnsavedWarning(true)
  // Each second has its own timer, so after sleep or in a hidden tab the wait is longer, never shorter.
  useLayoutEffect(() => {
    const timer = setTimeout(() => {
      isEnded.current = left === 1
      if (isEnded.current) onEnd()
      else setLeft(left - 1)
    }, 1_000)
    return () => clearTimeout(timer)
  }, [left])
  useLayoutEffect(() => {
    forgetLast()
    const undoOnEscape = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onUndo()
    }
    addEventListener('keydown', undoOnEscape)
    // The browser may keep the page and its timer for the way back.
    addEventListener('pagehide', onUndo)
    return () => {
      removeEventListener('keydown', undoOnEscape)
      removeEventListener('pagehide', onUndo)
      if (!isEnded.current) forgetLast = showToast('Your decision was not sent.')
    }
  }, [])
  return (
    <CardFoot look="row between bar">
      <OnlyRead role="status" id={id}>
        {DECISION_WORDS[decision]}: signed in {SECONDS} seconds
      </OnlyRead>
      {/* Undo is at the far end, so that no double click presses it. */}
      <Text size="small" isNumber>
        <OnlySeen>
          {DECISION_WORDS[decision]}: signed in {left} s
        </OnlySeen>
      </Text>
      <Button isFocused describedBy={id} onClick={onUndo}>
        Undo
      </Button>
    </CardFoot>
  )
}
