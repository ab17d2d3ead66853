// The receipts of a period, the latest first, and the file of them.
import type { MedicalReceipt } from '../../../management/receipts/receipts.schema.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { Filters, type Filter } from '../../parts/filters.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { OutcomeBadge } from '../evidence/outcome-badge.view.tsx'
import { OUTCOME_FILTER } from '../evidence/outcome-filter.ts'
import { PERIOD_FILTERS, PERIOD_NOTE, periodIn } from '../evidence/period.ts'
import { UnreadableEntries } from '../evidence/unreadable-entries.view.tsx'
import { useLedgerList } from '../evidence/use-ledger-list.ts'
import { ReceiptsExport } from './receipts-export.view.tsx'

const FILTERS: readonly Filter[] = [
  ...PERIOD_FILTERS,
  OUTCOME_FILTER,
  { name: 'use_case', label: 'Use case', kind: 'text' },
]

type Given = { session: Session; members: URLSearchParams }

export function ReceiptList({ session, members }: Given) {
  const asked = { ...periodIn(members), outcome: members.get('outcome'), use_case: members.get('use_case') }
  const { listed, unreadable, isOpening } = useLedgerList<MedicalReceipt>(session, '/api/health/receipts', asked)
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
          <ReceiptsExport session={session} members={members} />
        </>
      )}
      <UnreadableEntries count={unreadable} />
      <ListOf
        listed={listed}
        noun="receipt"
        empty={
          <Empty
            title="No receipt in these days"
            action={<a href={inOrganisation(session, '/app/policies')}>See which use cases the policy calls medical</a>}
            line={`curl ${location.origin}/api/health/receipts -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            Each call of a use case that the policy in force calls medical leaves one; where the policy names none,
            every call does.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Medical receipts, the latest first"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Decided',
                cell: ({ id, created_at }) => (
                  <OpenLink change={{ id }}>
                    <Moment at={created_at} />
                    <span class="only-read">, receipt {id}</span>
                  </OpenLink>
                ),
              },
              { name: 'Outcome', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
              { name: 'Model', cell: ({ model }) => model },
              { name: 'Provider', cell: ({ provider }) => provider },
              { name: 'Use case', cell: ({ use_case }) => use_case },
              { name: 'Approval', cell: ({ approval_state }) => approval_state },
            ]}
          />
        )}
      </ListOf>
    </>
  )
}
