// The approvals page: lists the requests that wait for approval, and those that were decided or expired. Shows one request if the
// URL names it.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { TIERS_WITH_APPROVAL } from '../../../policies/tier.policy.ts'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { Answered, Skeleton } from '../../parts/answer-notices.view.tsx'
import { type Column, EmptyNotice, ListTable } from '../../parts/list-table.view.tsx'
import { Facts, Section } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { plural } from '../../text/format.ts'
import { showPendingCount } from '../frame/frame.view.tsx'
import { KeyName, useKeys, useLoadedNames, type Keys, type NameOf } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { inOrganisation, organisation, useApi, useApiList } from '../session.ts'
import {
  ApprovalCard,
  factsOf,
  DECIDED_STATES,
  DECISION_WORDS,
  StateBadge,
  stateWords,
  titleOf,
} from './approval-card.view.tsx'
import { useApprovalDecisions } from './decide-approval.view.tsx'

const NO_KEYS: Keys = new Map()

/** The most requests that can wait at once. */
const MOST_WAITING = 100

function Approvals() {
  const [address] = useUrlParameters()
  const id = address.get('id') ?? ''
  const keys = useKeys()
  const nameOf = useLoadedNames()
  const [made, setMade] = useState(0)
  const [visits, setVisits] = useState(0)
  const waiting = useApi<List<ShownApproval>>('/api/approvals', { state: 'pending', limit: MOST_WAITING }, [
    made,
    visits,
  ])
  // Other people decide too, so a return to the page loads the list again.
  useLayoutEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') setVisits((times) => times + 1)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const {
    acts,
    dialogs,
    resultMessage: said,
  } = useApprovalDecisions(keys ?? NO_KEYS, () => {
    setMade((times) => times + 1)
    void showPendingCount()
  })

  // The page shows everything at once, because late parts would push the others down.
  if (keys === null || nameOf === null || waiting[0].state === 'loading') return <Skeleton lines={24} />
  return (
    <>
      <p role="status">{said}</p>
      {id !== '' && (
        <>
          <p>
            <ParameterLink change={{ id: '' }}>All approvals</ParameterLink>
          </p>
          <ApprovalCard key={id} id={id} keys={keys} nameOf={nameOf} acts={acts} made={made + visits} />
        </>
      )}
      <div class="stack-l" hidden={id !== ''}>
        <Section title="Waiting">
          <Answered answer={waiting} lines={10}>
            {({ data }) => (data.length === 0 ? <NothingWaits /> : <Waiting of={data} keys={keys} acts={acts} />)}
          </Answered>
        </Section>
        <Section title="Decided">
          <DecidedApprovals keys={keys} nameOf={nameOf} made={made} />
        </Section>
      </div>
      {dialogs}
    </>
  )
}

type WaitingProps = {
  of: readonly ShownApproval[]
  keys: Keys
  acts: (approval: ShownApproval) => ComponentChildren
}

function Waiting({ of, keys, acts }: WaitingProps) {
  const waiting = of.toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  return (
    <div class="stack">
      <p class="soft small" role="status">
        {plural(waiting.length, 'request')} {waiting.length === 1 ? 'waits' : 'wait'}, the oldest first
      </p>
      {waiting.map((approval) => (
        <article key={approval.id} class="card stack">
          <h3>
            <ParameterLink change={{ id: approval.id }}>{titleOf(approval)}</ParameterLink>
          </h3>
          <Facts facts={factsOf(approval, keys)} />
          {acts(approval)}
        </article>
      ))}
    </div>
  )
}

function NothingWaits() {
  const { tier } = organisation()
  const isInTier = TIERS_WITH_APPROVAL.includes(tier)
  return (
    <EmptyNotice
      title="Nothing waits"
      action={
        isInTier ? (
          <a class="button" href={inOrganisation('/app/policies')}>
            Say what needs approval
          </a>
        ) : undefined
      }
      line={`curl '${location.origin}/api/approvals?state=pending' -H "authorization: Bearer $MANAGEMENT_KEY"`}
    >
      {isInTier
        ? 'Requests that your policy names wait here until people have approved them. No provider sees them before.'
        : `Requests that wait for people are here, with the tiers ${TIERS_WITH_APPROVAL.join(', ')}. Yours is ${tier}.`}
    </EmptyNotice>
  )
}

type DecidedProps = {
  keys: Keys
  nameOf: NameOf
  /** The number of decisions made here. A change loads the list again. */
  made: number
}

function DecidedApprovals({ keys, nameOf, made }: DecidedProps) {
  const [address, changeUrlParameters] = useUrlParameters()
  const state = DECIDED_STATES.find((one) => one === address.get('state')) ?? ''
  const all = useApiList<ShownApproval>('/api/approvals', { state, limit: 100 }, [made])
  const columns: readonly Column<ShownApproval>[] = [
    {
      name: 'Request',
      cell: (approval) => <ParameterLink change={{ id: approval.id }}>{titleOf(approval)}</ParameterLink>,
    },
    { name: 'State', cell: (approval) => <StateBadge state={approval.state} /> },
    { name: 'Key', cell: ({ key_id: id }) => <KeyName id={id} keys={keys} /> },
    { name: 'Asked', cell: ({ created_at: at }) => <Moment at={at} /> },
    {
      name: 'Decided',
      cell: ({ decisions }) =>
        decisions.length === 0
          ? 'by nobody'
          : decisions.map(({ decision, decided_by: by }) => (
              <div key={by}>
                {DECISION_WORDS[decision]} by {nameOf(by)}
              </div>
            )),
    },
  ]
  return (
    <>
      <div class="row">
        <SelectField
          label="How they ended"
          value={state}
          onValue={(value) => changeUrlParameters({ state: value })}
          options={[['', 'Anything'], ...DECIDED_STATES.map((one) => [one, stateWords(one)] as const)]}
        />
      </div>
      <ListTable
        listed={{ ...all, rows: all.rows.filter((approval) => approval.state !== 'pending') }}
        noun="request"
        empty={<p class="soft">There are none.</p>}
        caption="Requests that waited, the latest first"
        isCaptionHidden
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  )
}

await openPage('/app/approvals', Approvals)
