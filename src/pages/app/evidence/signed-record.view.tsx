// A call's signed record as a sheet, checked in this browser: alone by its signature, or with all its proofs. The seal is there only
// once the check has passed by a key that may be trusted.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import type { PublishedKeyHistory } from '../../../evidence/records/attestation.schema.ts'
import type { Finding } from '../../../evidence/verify/verification-finding.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import { answered, bothOf, sendRequest, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Button } from '../../parts/button.view.tsx'
import { Check, CheckList, SheetChecks } from '../../parts/check-list.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { blocked, unproven } from '../../parts/icons.ts'
import { Seal, SealRoom } from '../../parts/ornament.view.tsx'
import type { Outcome } from '../../../evidence/records/call-endings.ts'
import { Note, Row, Soft, Text, Urgent } from '../../parts/layout.view.tsx'
import type { Fact } from '../../parts/page-blocks.view.tsx'
import { RecordSheet, SignedOutcome } from '../../parts/record-sheet.view.tsx'
import { checkedRecord } from '../playground-link.view.tsx'
import { organisation } from '../session.ts'
import { formatMoment, formatNumber, plural } from '../../text/format.ts'
import { withSpaces } from '../../text/reword-text.ts'
import { ruleName } from '../../text/rule-names.ts'
import type * as CheckerModule from './check-receipt-in-browser.ts'
import type { SignedCallRecord } from './check-receipt-in-browser.ts'
import type { LoadedReceipt } from './receipt.view.tsx'

type Checker = typeof CheckerModule

/** Loads the code that checks, which only those need who look at a record. */
const loadChecker = async (): Promise<Answer<Checker>> => answered(await import('./check-receipt-in-browser.ts'))

type RecordProps = {
  id: string
  record: SignedCallRecord
  outcome: Outcome
  ending?: string | null
  /** The body of the request that the record must be about. */
  request?: object
  /** The number of its entry. */
  beside?: ComponentChildren
  /** What can be done with it. */
  children?: ComponentChildren
}

/** A record without its proofs: its signature is checked by the keys that the service publishes. */
export const SignedRecord = ({ id, record, outcome, ending = null, request, beside, children }: RecordProps) => (
  <CheckedSheet
    title="Signed record"
    beside={beside}
    facts={factsOf(record, outcome, ending)}
    valid={request === undefined ? 'Signature valid.' : 'Signature valid. Of exactly this request.'}
    check={(checker, keys) => checker.checkRecordAlone({ id, record, request, keys })}
    on={[id, record, request]}
  >
    {children}
  </CheckedSheet>
)

type CheckedProps = {
  title: string
  beside?: ComponentChildren
  facts: readonly Fact[]
  /** The words for a verdict that is valid. */
  valid?: string | undefined
  /** Null until there is something to check. */
  check: ((checker: Checker, keys: PublishedKeyHistory) => Finding[]) | null
  /** What the check goes by: a change checks again. */
  on: readonly unknown[]
  /** Between the verdict and the checks. */
  note?: ComponentChildren
  children?: ComponentChildren
}

/** Something signed as a sheet, checked in this browser by the keys that the service publishes. */
export function CheckedSheet({ title, beside, facts, valid, check, on, note, children }: CheckedProps) {
  const [loaded, again] = useAnswer(
    (signal) => bothOf(loadChecker(), sendRequest<PublishedKeyHistory>('GET', '/v1/attestation/keys', { signal })),
    [],
  )
  const code = loaded.state === 'answered' ? loaded.body : null
  const findings = useMemo(() => code && check && check(...code), [code, ...on])
  useLayoutEffect(() => {
    if (findings !== null) localStorage.setItem(checkedRecord(organisation().id), '')
  }, [findings])
  return (
    <RecordSheet title={title} beside={beside} facts={facts}>
      <Verdict
        of={code && findings && code[0].verdictOf(findings)}
        isFailed={loaded.state === 'refused'}
        isByDevelopmentKey={code?.[1].note !== undefined}
        valid={valid}
        onLoad={again}
      />
      {note}
      {findings !== null && <Findings findings={findings} />}
      {findings === null && loaded.state !== 'refused' && <SheetChecks summary="Checks" isOpen={false} />}
      {children}
    </RecordSheet>
  )
}

type WholeProps = {
  /** Null until it is loaded: then the sheet is of the record that the list has. */
  evidence: LoadedReceipt | null
  /** The same call in the list of calls, which must say what is signed. */
  call: Call | null
}

/** A record with its proofs, settlement and people's decisions. */
export function ProvenRecord({ evidence, call }: WholeProps) {
  const receipt = evidence?.receipt
  const record = receipt === undefined ? call?.record : receipt.attestation
  const outcome = receipt === undefined ? call?.outcome : receipt.outcome
  const proof = receipt?.organisation_log.proof
  const index = proof?.leaf_index ?? call?.index
  return (
    <CheckedSheet
      title="Signed record"
      beside={index !== undefined && `Entry ${formatNumber(index)}`}
      facts={
        record == null || outcome == null
          ? [['Leaf', <code>{proof?.leaf_hash ?? call?.leaf_hash}</code>]]
          : factsOf(record, outcome, call?.ending ?? null)
      }
      check={
        evidence &&
        ((checker, keys) => {
          const compared = call && checker.compareListedCall(call, evidence.receipt)
          return [...checker.checkLoadedReceipt({ ...evidence, keys }), ...(compared === null ? [] : [compared])]
        })
      }
      on={[evidence, call]}
      note={
        receipt?.details === 'expired' && (
          <Note as="p">The details are not kept any more. The log entry and its proofs are.</Note>
        )
      }
    />
  )
}

const factsOf = (record: SignedCallRecord, outcome: Outcome, ending: string | null): readonly Fact[] => [
  [
    'Decision',
    <>
      <SignedOutcome {...{ outcome, ending }} signed={record.outcome} />
      {outcome === 'held' && <Note>, since nothing was sent</Note>}
    </>,
  ],
  ['Decided', formatMoment(new Date(record.timestamp), false)],
  ['Model', <Text isOneLine>{record.model}</Text>],
  ['Rules applied', record.policy_applied.map(ruleName).join(', ')],
  ['Request hash', <code>{record.request_hash}</code>],
]

type VerdictProps = Pick<CheckedProps, 'valid'> & {
  /** Null while it is checked. */
  of: ReturnType<Checker['verdictOf']> | null
  isFailed: boolean
  /** True if the list of keys has a note that nobody should trust them. */
  isByDevelopmentKey: boolean
  onLoad: () => void
}

function Verdict({ of: verdict, isFailed, isByDevelopmentKey, valid = 'Signature valid.', onLoad }: VerdictProps) {
  if (isFailed) {
    return (
      <Row role="status">
        <Text tone="fault">Nothing was checked: the code or the keys could not be loaded.</Text>
        <Button onClick={onLoad}>Load it again</Button>
      </Row>
    )
  }
  if (verdict === null) {
    return (
      <>
        <SealRoom />
        <Soft as="p">Checking {HOW}</Soft>
      </>
    )
  }
  const shown = verdict === 'valid' && isByDevelopmentKey ? 'development key' : verdict
  const icon = <Icon of={shown === 'not valid' ? blocked : unproven} />
  return (
    <>
      {shown === 'valid' ? <Seal /> : shown === 'development key' ? <Urgent>{icon}</Urgent> : icon}
      <Text as="p" role="status" {...(shown === 'not valid' && { tone: 'fault' })}>
        <strong>{shown === 'valid' ? valid : VERDICT_WORDS[shown]}</strong> Checked {HOW}
      </Text>
    </>
  )
}

const HOW = 'in this browser, by the keys this service publishes.'

const VERDICT_WORDS = {
  'not valid': 'Not valid: do not rely on it.',
  'not proven': 'Not proven.',
  'development key': 'Development key: unchanged, but not by a key to rely on.',
} as const

/** The sentence for each kind of document if all of its checks pass. */
const PASS_SENTENCES: Partial<Readonly<Record<Finding['kind'], string>>> = {
  receipt: 'A key of the list has signed it as a whole, so nothing in it was changed since it was answered.',
  record: 'A key of the list has signed it, and nothing in it was changed.',
  organisation_log: 'The path leads from its entry to a signed head of the organisation’s log.',
  public_log: 'The path leads from its entry to a signed head of the public log.',
  anchor: 'The organisation’s log is anchored in the public log, and continues what was anchored.',
  settlement: 'How it ended is in the same log, as the entry that settles this record.',
  subject: 'The record that people decided about is signed, and of the same request.',
  acceptance: 'The decision of a person is signed, and about that record.',
  approval: 'The state of the approval follows from the signed decisions.',
  'audit entry':
    'What the list says is what is signed, but for key, request, provider, use case, comparison group, reason, policy version and approval, which are in no signed record.',
}

/** Each check with its result. Open where one has failed. */
function Findings({ findings }: { findings: readonly Finding[] }) {
  const faults = findings.filter(({ valid }) => !valid).length
  const count = plural(findings.length, 'check')
  return (
    <SheetChecks summary={faults === 0 ? count : `${formatNumber(faults)} of ${count} failed`} isOpen={faults > 0}>
      <CheckList>
        {findings.map(({ kind, valid, code, reason, subject }) => (
          <Check
            key={`${kind} ${subject}`}
            name={withSpaces(kind)}
            tone={valid ? (code === null ? 'good' : 'warn') : 'bad'}
          >
            {reason ?? PASS_SENTENCES[kind]}
          </Check>
        ))}
      </CheckList>
      <Note as="p">
        The record has no provider, use case and id of an approval. Its own id is a hash of them, which an export of the
        log lets you check. To rely on the service’s word for nothing, keep its keys from a day on which you trust them,
        and check the saved file with the command or at <a href="/verify">Verify</a> with the network off.
      </Note>
    </SheetChecks>
  )
}
