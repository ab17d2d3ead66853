// What was decided about a request: the steps in order, the signed decision, and the next step.
import type { NamedApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableText, CopyableValue } from '../../parts/copy-button.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { save } from '../../parts/icons.ts'
import { saveFile } from '../../parts/save-button.view.tsx'
import { Hash, Note, Pair, Stack, Text } from '../../parts/layout.view.tsx'
import { lazy } from '../../parts/lazy.view.tsx'
import { Facts, Notice, type Fact } from '../../parts/page-blocks.view.tsx'
import { CardBody, CardFoot, Remark } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { Timeline, type TimelineStep } from '../../parts/timeline.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatEuro, formatMoment } from '../../text/format.ts'
import { personOf, type NameOf } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { decidersOf, DECISION_WORDS, keyNameOf, makerOf, nameOfMaker, STATES, type Approval } from './approval-words.ts'
import type { RecordedDecision } from './decide-request.view.tsx'
import { TimeLeftText } from './state-badge.view.tsx'
import { providerLabel } from '../../text/provider-label.ts'

const CheckedSheet = lazy(9, async () => (await import('../evidence/signed-record.view.tsx')).CheckedSheet)
const DecisionNotes = lazy(3, async () => (await import('./decision-notes.view.tsx')).DecisionNotes)

/** The next request that this person may decide, and how many there are. */
export type NextRequest = { id: string | null; count: number }

type Props = {
  of: NamedApprovalWithRecords
  own: RecordedDecision | null
  next: NextRequest
  /** Why this person cannot decide, where it goes on waiting. */
  why?: string
}

export function DecidedRequest({ of, own, next, why }: Props) {
  const { decisions, state } = of
  const nameOf = decidersOf(of)
  const salt = own?.decided.reason_salt ?? null
  return (
    <>
      <CardBody isStack>
        <p role="status">{own !== null && resultText(own)}</p>
        {own !== null && salt !== null && <KeepReason note={own.note} salt={salt} />}
        <Pair>
          <Stack>
            <Timeline label="What happened" steps={stepsOf(of)} />
            {state !== 'pending' && <Facts facts={idFacts(of, 'Signed record')} />}
            {decisions.length > 0 && hasPermission('content:read') && (
              <DecisionNotes key={decisions.length} id={of.id} nameOf={nameOf} />
            )}
          </Stack>
          <Stack>
            {decisions.map((decision) => (
              <SignedDecision key={decision.decided_at + decision.decided_by} {...{ of, decision, nameOf }} />
            ))}
          </Stack>
        </Pair>
      </CardBody>
      <CardFoot look="row">
        {next.id !== null && (
          <ParameterLink look="first" change={{ id: next.id }}>
            Review the next request
          </ParameterLink>
        )}
        <SaveDecision of={of} />
        <Text size="small">{why ?? nextText(next)}</Text>
      </CardFoot>
    </>
  )
}

const nextText = ({ count }: NextRequest): string =>
  count === 0 ? 'No other request waits for you.' : `${count} more ${count === 1 ? 'waits' : 'wait'} for you.`

type SignedProps = {
  of: NamedApprovalWithRecords
  decision: NamedApprovalWithRecords['decisions'][number]
  nameOf: NameOf
}

/** The signed record of a person's decision as a sheet, checked in this browser: its signature, and that it is about this refusal. */
function SignedDecision({ of, decision: { decision, acceptance, counts }, nameOf }: SignedProps) {
  if (acceptance === null) {
    return <Remark>The signed record of this decision is not kept any more. Its entry in the log is.</Remark>
  }
  const { attestation: subject, attestation_id: subjectId } = of
  return (
    <CheckedSheet
      title="Signed decision"
      facts={[
        [
          'Decision',
          <>
            {DECISION_WORDS[decision]}{' '}
            <Note>
              signed as <code>{acceptance.decision}</code>
            </Note>{' '}
            {!counts && <Badge>Counts no more</Badge>}
          </>,
        ],
        ['Signed', formatMoment(new Date(acceptance.timestamp), false)],
        ['Decided by', `${nameOf(acceptance.reviewer_ref)}, ${acceptance.reviewer_authority.replace(/^role:/, '')}`],
        ['About record', <code>{acceptance.subject_id}</code>],
        ['Record hash', <code>{acceptance.subject_hash}</code>],
      ]}
      check={(checker, keys) => checker.checkDecision({ acceptance, subject, subjectId, keys })}
      on={[acceptance, subject, subjectId]}
    />
  )
}

/** The latest decision as the file that countersign-verify takes. */
function SaveDecision({ of }: { of: NamedApprovalWithRecords }) {
  const acceptance = of.decisions.findLast((decision) => decision.acceptance !== null)?.acceptance ?? null
  if (acceptance === null) return null
  const content = (): Blob => new Blob([JSON.stringify(acceptance, null, 2)], { type: 'application/json' })
  return (
    <Button onClick={() => saveFile({ name: `acceptance-${acceptance.acceptance_id}.json`, content: content() })}>
      <Icon of={save} />
      Save decision
    </Button>
  )
}

/** The ids of a request. @param named what its record is called */
export const idFacts = (
  { request_hash: hash, attestation_id: record }: Approval,
  named = 'Record of the hold',
): readonly Fact[] => [
  ['Request hash', <CopyableValue value={hash} what="the hash of the request" />],
  [
    named,
    <a href={inOrganisation(`/app/calls?id=${record}`)}>
      <Hash>{record}</Hash>
    </a>,
  ],
]

function resultText({ decided, decision }: RecordedDecision): string {
  if (decision === 'deny') return 'You denied it. It does not run. Sent again, it asks anew.'
  if (decision === 'escalate') return 'You passed it on. It goes on waiting, and somebody else decides.'
  return decided.state === 'pending'
    ? 'You approved it. One more person must approve it.'
    : 'You approved it. The same request may be sent again within an hour, once.'
}

function stepsOf(of: NamedApprovalWithRecords): readonly TimelineStep[] {
  const maker = makerOf(of)
  return [
    {
      name: 'Asked',
      at: of.created_at,
      text: `Key ${keyNameOf(of)}${maker === null ? '' : `, made by ${nameOfMaker(maker)}`}`,
    },
    ...of.decisions.map(({ decision, decided_by: by, decided_at: at, counts }) => ({
      id: at + by,
      name: `${DECISION_WORDS[decision]} by ${personOf(decidersOf(of), by)}`,
      at,
      text: counts ? '' : 'It counts no more: this person may not decide now.',
    })),
    ...endOf(of),
  ]
}

function endOf(of: NamedApprovalWithRecords): readonly TimelineStep[] {
  const { ended_at: at, state, id, expires_at: until, facts } = of
  const name = STATES[state].words
  switch (state) {
    case 'pending':
      return [{ name: `${name} for another person`, state: 'now', text: <TimeLeftText until={until} /> }]
    case 'approved':
      return [
        {
          name: 'Waits for the program',
          state: 'now',
          text: (
            <>
              <TimeLeftText until={until} /> to send the same request again, with the header{' '}
              <code>x-aqta-approval</code>: <CopyableValue value={id} what="the id of the approval" />
            </>
          ),
        },
        {
          name: 'Runs once',
          state: 'later',
          text: `${providerLabel(facts.provider)}, at most ${formatEuro(facts.most_cost_eur)}`,
        },
      ]
    case 'claimed':
      return [{ name, state: 'now', text: providerLabel(facts.provider) }]
    case 'executed':
      return [{ name, at, text: providerLabel(facts.provider) }]
    case 'denied':
      return [{ name: 'Does not run', at, text: 'Sent again, it asks anew.' }]
    case 'expired':
      return [{ name, at, text: 'Its time was over. It did not run.' }]
    case 'withdrawn':
      return [{ name, at, text: 'The policy or the key changed. It did not run.' }]
  }
}

/** Shows, only once, the bytes that later prove that this reason was given. */
const KeepReason = ({ note, salt }: { note: string; salt: string }) => (
  <Notice tone="warn" title="Keep your reason: it is shown only now">
    <p>
      The record of your decision has the SHA-256 of these 32 bytes and your reason. With both, anybody can check later
      that this was the reason; without the bytes nobody can find it by guessing. They are not shown again, except where
      your organisation keeps content.
    </p>
    <CopyableText line={note} what="the reason" />
    <CopyableText line={salt} what="the bytes before it, in hexadecimal" />
  </Notice>
)
