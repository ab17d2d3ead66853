// Past approvals: what was decided, by whom and when, and what followed. The filter is in the URL.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ShownPolicyVersion } from '../../../management/policies/policies.schema.ts'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { byDay, columnsOf, nameOrEnd, personAndTime, type Column, type View } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Note, OnlyRead, Soft } from '../../parts/layout.view.tsx'
import { CardBody, HeadedCard, Segments } from '../../parts/surfaces.view.tsx'
import { ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, useApiList } from '../session.ts'
import { useView } from '../use-view.ts'
import { DECISION_WORDS, PAST_STATES, shortHashOf, STATES, titleOf, type State } from './approval-words.ts'
import { StateBadge } from './state-badge.view.tsx'

type Props = {
  /** Names the members, for roles that may list them. */
  nameOf: NameOf
  /** The number of decisions made here. A change loads the list again. */
  made: number
  /** True: without a past request there is no list, not even an empty one. */
  isOnlyShownFilled: boolean
}

export function ApprovalHistory({ nameOf, made, isOnlyShownFilled }: Props) {
  const [address] = useUrlParameters()
  const state = PAST_STATES.find((one) => one === address.get('state')) ?? ''
  const listed = useApiList<NamedApproval>('/api/approvals', { state, limit: 20 }, [made])
  const rows = useMemo(() => listed.rows.filter((approval) => approval.state !== 'pending'), [listed.rows])
  const versions = usePolicyVersions(rows.some((row) => row.state === 'withdrawn'))
  const columns = useMemo(() => columnsFor(versions), [versions])
  const view = useView(useMemo(() => namesIn(rows, nameOf), [rows, nameOf]))
  // A call runs for seconds: it is a filter only where an address names it.
  const states = PAST_STATES.filter((one) => one !== 'claimed' || state === 'claimed')
  const isEmpty = rows.length === 0 && !listed.hasMore && state === ''
  if (isEmpty && isOnlyShownFilled) return null
  return (
    <HeadedCard
      title="History"
      act={
        !(isEmpty && listed.state === 'ready') && (
          <Segments label="State">
            {['' as const, ...states].map((one) => (
              <ParameterLink key={one} change={{ state: one }} isCurrent={one === state}>
                {wordsOf(one)}
              </ParameterLink>
            ))}
          </Segments>
        )
      }
      isList
    >
      <DataGrid
        label="Past requests, newest first"
        noun="request"
        file="approvals"
        columns={columns}
        rows={{ ...listed, rows }}
        keyOf={({ id }) => id}
        groupOf={byDay}
        view={view}
        link={(row, content) => (
          <ParameterLink look="cover" change={{ id: row.id }}>
            {content}
            <OnlyRead>
              , {byDay(row, view)[1]}, {titleOf(row)}
            </OnlyRead>
          </ParameterLink>
        )}
        narrowed={state === '' ? [] : [wordsOf(state)]}
        empty={
          <CardBody as="p">
            No past request{state !== '' && ` is “${wordsOf(state)}”`}. It will be here with who decided, and when it
            ended.
          </CardBody>
        }
      />
    </HeadedCard>
  )
}

const wordsOf = (state: State | ''): string => (state === '' ? 'All' : STATES[state].words)

/** Names the members, and what the rows name: a role that may not list keys and members gets these names with them. */
function namesIn(rows: readonly NamedApproval[], nameOf: NameOf): NameOf {
  const named = rows.flatMap(({ key_id: key, key_name: name, key_made_by: maker, key_person: person, decisions }) => [
    { id: key, name },
    ...[maker, person].filter((one) => one !== null),
    ...decisions.map(({ decided_by: id, decided_by_name: by }) => ({ id, name: by })),
  ])
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return (id) => {
    const known = nameOf(id)
    return known === id ? (names.get(id) ?? id) : known
  }
}

const past = columnsOf<NamedApproval>()

const columnsFor = (versions: readonly ShownPolicyVersion[]): readonly Column<NamedApproval>[] => [
  past.time({ id: 'asked', head: 'Asked', of: 'created_at' }),
  past.own({
    id: 'request',
    head: 'Request',
    kind: 'name',
    cell: (of) => (
      <>
        {of.model} <Soft>{of.use_case ?? 'no use case'}</Soft>
        <Note>
          <code>{shortHashOf(of)}</code>
        </Note>
      </>
    ),
    plain: titleOf,
  }),
  past.own({
    id: 'state',
    head: 'State',
    kind: 'text',
    phone: 'line',
    cell: ({ state }) => <StateBadge state={state} />,
    plain: ({ state }) => STATES[state].words,
  }),
  past.own({
    id: 'by',
    head: 'By',
    kind: 'figure',
    phone: 'quiet',
    cell: (row, view) => byOf(row, view, versions),
    plain: ({ decisions }, { nameOf }) =>
      decisions
        .map(({ decision, decided_by: by, decided_at: at }) => `${DECISION_WORDS[decision]} ${nameOf(by) ?? by} ${at}`)
        .join('; '),
  }),
  past.moment({ id: 'ended', head: 'Ended', of: 'ended_at' }),
  past.named({ id: 'key', head: 'Key', of: 'key_id', from: 60, phone: 'none' }),
  past.named({
    id: 'maker',
    head: 'Key made by',
    of: ({ key_person: person, key_made_by: maker }) => (person ?? maker)?.id,
    isOptional: true,
  }),
  past.id({ id: 'hash', head: 'Request hash', of: 'request_hash', isOptional: true }),
]

function byOf(row: NamedApproval, view: View, versions: readonly ShownPolicyVersion[]): ComponentChildren {
  const { decisions, state } = row
  const people = decisions.map(({ decision, decided_by: by, decided_at: at }) => (
    <div key={at + by}>
      {decisions.length > 1 && `${DECISION_WORDS[decision]}: `}
      {personAndTime(by, at, view)}
    </div>
  ))
  if (state === 'withdrawn') return [...people, <div key="withdrawn">{withdrawnBy(row, view, versions)}</div>]
  return people.length > 0 ? people : <Soft>Nobody decided in time</Soft>
}

/** A new version of the policy withdraws what waits; where there was none, it was the key. */
function withdrawnBy(row: NamedApproval, view: View, versions: readonly ShownPolicyVersion[]): ComponentChildren {
  const { ended_at: ended, policy_version: before } = row
  if (versions.length === 0 || ended === null) return 'The policy or the key changed'
  const cause = versions.findLast(({ version, created_at: at }) => version > before && at <= ended)
  if (cause === undefined) return 'The key was revoked or ended'
  return (
    <>
      {nameOrEnd(cause.created_by, view)}, policy version {cause.version}
    </>
  )
}

const NO_VERSIONS: readonly ShownPolicyVersion[] = []

/** The versions of the policy, for people who may read them. @param isNeeded false: nothing is requested */
function usePolicyVersions(isNeeded: boolean): readonly ShownPolicyVersion[] {
  const isShown = isNeeded && hasPermission('policies:read')
  const [loaded] = useAnswer<List<ShownPolicyVersion> | null>(
    async (signal) =>
      isShown ? callApi('GET', '/api/policies/history', { query: { limit: 100 }, signal }) : answered(null),
    [isShown],
  )
  return loaded.state === 'answered' ? (loaded.body?.data ?? NO_VERSIONS) : NO_VERSIONS
}
