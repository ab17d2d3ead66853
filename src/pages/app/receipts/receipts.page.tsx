// The receipts page: the list of medical receipts, or one receipt if the URL names it.
import { Button } from '../../parts/button.view.tsx'
import type { MedicalReceipt } from '../../../management/receipts/receipts.schema.ts'
import { useUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { Skeleton, Answered } from '../../parts/answer-notices.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { EmptyNotice, ListTable } from '../../parts/list-table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { BrowserChecks } from '../evidence/browser-checks.view.tsx'
import {
  useReceipt,
  type LoadedReceipt,
  PrintSource,
  Proofs,
  Decision,
  Ending,
  PeoplesDecisions,
} from '../evidence/receipt.view.tsx'
import { OUTCOME_CHOICES, OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { ReceiptsExport } from '../evidence/evidence-exports.view.tsx'
import {
  outcomeFilter,
  PERIOD_FILTERS,
  PERIOD_NOTE,
  periodIn,
  UnreadableEntries,
  useLogList,
} from '../evidence/log-list.view.tsx'
import { openPage } from '../open-page.tsx'
import { inOrganisation } from '../session.ts'
import { Section } from '../../parts/page-blocks.view.tsx'
import { ServiceChecks } from './service-checks.view.tsx'

function Receipts() {
  const [members] = useUrlParameters()
  const id = members.get('id') ?? ''
  return id === '' ? <ReceiptList members={members} /> : <ReceiptDetail key={id} id={id} />
}

const FILTERS: readonly Filter[] = [
  ...PERIOD_FILTERS,
  outcomeFilter(OUTCOME_CHOICES.filter(({ value }) => value !== 'failed')),
  { name: 'use_case', label: 'Use case', kind: 'text' },
]

/** Lists the receipts of a period, the latest first, and exports them. */
export function ReceiptList({ members }: { members: URLSearchParams }) {
  const query = { ...periodIn(members), outcome: members.get('outcome'), use_case: members.get('use_case') }
  const { listed, unreadable, isFirstLoad: isOpening } = useLogList<MedicalReceipt>('/api/health/receipts', query)
  if (isOpening) return <Skeleton lines={20} />
  const isRefused = listed.problem?.code === 'tier_required'
  return (
    <>
      <p>
        What the log has of each call of a medical use case, with all that shows it to somebody else. Nothing that was
        asked or answered is in it. It shows what this gateway decided and recorded, not that an answer was right.
      </p>
      {!isRefused && (
        <>
          <Filters filters={FILTERS} members={members} />
          <p class="soft small no-print">{PERIOD_NOTE}</p>
          <ReceiptsExport members={members} />
        </>
      )}
      <UnreadableEntries count={unreadable} />
      <ListTable
        listed={listed}
        noun="receipt"
        empty={
          <EmptyNotice
            title="No receipt in these days"
            action={<a href={inOrganisation('/app/policies')}>See which use cases the policy calls medical</a>}
            line={`curl ${location.origin}/api/health/receipts -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            Each call of a use case that the policy in force calls medical leaves one; where the policy names none,
            every call does.
          </EmptyNotice>
        }
        caption="Medical receipts, the latest first"
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Decided',
            cell: ({ id, created_at }) => (
              <ParameterLink change={{ id }}>
                <Moment at={created_at} />
                <span class="only-read">, receipt {id}</span>
              </ParameterLink>
            ),
          },
          { name: 'Outcome', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
          { name: 'Model', cell: ({ model }) => model },
          { name: 'Provider', cell: ({ provider }) => provider },
          { name: 'Use case', cell: ({ use_case }) => use_case },
          { name: 'Approval', cell: ({ approval_state }) => approval_state },
        ]}
      />
    </>
  )
}

/** Shows one receipt in full: to read, print, save and check. */
export function ReceiptDetail({ id }: { id: string }) {
  const answer = useReceipt(id)
  return (
    <>
      <p class="no-print">
        <ParameterLink change={{ id: '' }}>All receipts</ParameterLink>
      </p>
      <Answered answer={answer} lines={30}>
        {(evidence) => <FullReceipt evidence={evidence} />}
      </Answered>
    </>
  )
}

function FullReceipt({ evidence }: { evidence: LoadedReceipt }) {
  const { receipt, text } = evidence
  return (
    <article class="stack" aria-labelledby="receipt">
      <div class="row between">
        <h2 id="receipt">Medical receipt</h2>
        <p class="row no-print">
          <Button onClick={() => saveFile({ name: `receipt-${receipt.id}.json`, content: text })}>Save as JSON</Button>
          <Button onClick={() => print()}>Print</Button>
        </p>
      </div>
      <div class="columns">
        <Decision receipt={receipt} />
        <Ending settlement={receipt.settlement} />
      </div>
      <PeoplesDecisions receipt={receipt} />
      <div class="columns">
        <BrowserChecks evidence={evidence} />
        <ServiceChecks id={evidence.id} />
      </div>
      <Proofs receipt={receipt} />
      <Section title="Check it without this service" level={3}>
        <p>
          Save the receipt, and the keys on a day on which you trust them. The command is part of the service’s
          repository: run it in a clone.
        </p>
        <CopyableText line={`curl -sf ${location.origin}/v1/attestation/keys > kept-keys.json`} />
        <CopyableText line={`npx countersign-verify receipt-${receipt.id}.json --keys kept-keys.json`} />
        <p class="soft small">
          A receipt shows what this gateway decided and recorded about a call. It does not show that an answer was
          right, that anybody read it, or what was done for a patient; it is no part of a patient’s record, and no
          replacement of one.
        </p>
      </Section>
      <PrintSource hash={receipt.organisation_log.proof.leaf_hash} what="the leaf in the organisation’s log" />
    </article>
  )
}

await openPage('/app/receipts', Receipts)
