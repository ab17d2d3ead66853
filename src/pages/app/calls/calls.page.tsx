// The page of calls: the calls of a period, or the last ones in a tier without all of them, with medical receipts as a filter. One call
// opens in a drawer. The filters and the open call are in the URL.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { RECENT_CALLS } from '../../../policies/tier.policy.ts'
import type { OnBytes, Query } from '../../api/send-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { FilterRow } from '../../parts/filter-row.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { proven } from '../../parts/icons.ts'
import { Text } from '../../parts/layout.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { ButtonLink } from '../../parts/surfaces.view.tsx'
import { FileLine, useFile, type FileKind } from '../../parts/save-button.view.tsx'
import { DASHBOARD_PAGES } from '../../pages.ts'
import { changeUrlParameters, ParameterLink, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { outcomeQuery } from '../../text/call-values.ts'
import { describeSelection } from '../evidence/arrived-file.ts'
import { periodIn, UnreadableEntries, useLogList } from '../evidence/log-list.view.tsx'
import { PeriodMenu } from '../evidence/period-menu.view.tsx'
import { Lacking, LackingPart } from '../frame/lacking.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { useKeyNames, type KeyNames } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { fetchFile, hasPermission, hasTierFeature, inOrganisation, seesAllCalls } from '../session.ts'
import { ALL_DAYS, areDaysInOrder, CLOSED, knownParameters, narrowedBy } from './call-address.ts'
import { CallDrawer } from './call-drawer.view.tsx'
import { CallFilterRoom, CallFilters } from './call-filters.view.tsx'
import { useCallCounts } from './call-counts.ts'
import type { ListedCall } from './call-columns.tsx'
import { dayFromToday } from '../../text/day.ts'
import { CallRows, type ListProps, type Source } from './call-rows.view.tsx'

const NO_NAMES: KeyNames = new Map()
const NO_CALLS: readonly ListedCall[] = []

function sourceOf(isMedical: boolean): Source | null {
  const hasReceipts = hasTierFeature('medical_receipts') && hasPermission('receipts:read')
  if (!hasPermission('usage:read') || isMedical)
    return hasReceipts ? { path: '/api/health/receipts', isWhole: true } : null
  return { path: '/api/calls', isWhole: seesAllCalls() }
}

function Calls() {
  const [parameters] = useUrlParameters()
  useLayoutEffect(() => {
    // The address of receipts before they were calls.
    if (location.hash === '#medical') location.replace(`${location.pathname}?${withMedical()}`)
  }, [])
  const source = sourceOf(parameters.has('medical'))
  if (source === null) return <NothingHere />
  // Without a permission for all calls, the list is of receipts, whatever the address says.
  const known = knownParameters(source.path === '/api/calls' ? parameters : withMedical())
  if (source.isWhole && !areDaysInOrder(known)) return <DaysOutOfOrder parameters={known} />
  return <CallList key={source.path} source={source} parameters={known} />
}

const DaysOutOfOrder = ({ parameters }: { parameters: URLSearchParams }) => (
  <>
    <PageHead />
    <FilterRow>
      <PeriodMenu parameters={parameters} closed={CLOSED} />
    </FilterRow>
    <Notice role="status" title="The first day is after the last one. Change one of them.">
      <p>
        <ParameterLink look="button" change={ALL_DAYS}>
          The last 30 days
        </ParameterLink>
      </p>
    </Notice>
  </>
)

function withMedical(): URLSearchParams {
  const { searchParams } = new URL(location.href)
  searchParams.set('medical', 'yes')
  return searchParams
}

const NothingHere = () => (
  <>
    <p>
      {hasPermission('receipts:read')
        ? 'Calls of medical use cases leave medical receipts.'
        : 'Your role does not include medical receipts.'}{' '}
      {hasPermission('usage:read') ? (
        <ParameterLink change={{ medical: '' }}>Show all calls</ParameterLink>
      ) : (
        <>
          What waits for a person is at <a href={inOrganisation('/app/approvals')}>Approvals</a>.
        </>
      )}
    </p>
    {!hasTierFeature('medical_receipts') && <Lacking feature="medical_receipts" />}
  </>
)

function filtersIn(parameters: URLSearchParams, { path, isWhole }: Source) {
  const nothing = { common: {}, query: {}, hasText: false, outcome: '', rule: '', reason: '' }
  if (!isWhole) return nothing
  const text = (name: string): string => parameters.get(name) ?? ''
  const [outcome, rule, reason, q] = [text('outcome'), text('rule'), text('reason'), text('q').trim()]
  const common = { ...periodIn(parameters), use_case: text('use_case') }
  if (path === '/api/health/receipts')
    return { ...nothing, common, query: { ...common, outcome }, hasText: true, outcome }
  const narrowed = { ...common, model: text('model'), key_id: text('key') }
  const query = { ...narrowed, ...outcomeQuery(outcome || null), rule, reason, q }
  return { common: narrowed, query, hasText: q !== '', outcome, rule, reason }
}

const LOOK_MS = 5000

/** Calls `look` every five seconds while the page is in sight and nothing is open in front of it, and the last look is over. */
function useLooks(look: () => Promise<void>): void {
  const last = useRef(look)
  last.current = look
  useLayoutEffect(() => {
    let isLooking = false
    const timer = setInterval(() => {
      if (isLooking || document.visibilityState === 'hidden' || document.querySelector(':modal') !== null) return
      isLooking = true
      void last.current().finally(() => (isLooking = false))
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [])
}

const keyOf = ({ id }: ListedCall): string => id

function CallList({ source, parameters }: ListProps) {
  const named = useKeyNames()
  const filters = filtersIn(parameters, source)
  const { listed, unreadable, isFirstLoad } = useLogList<ListedCall>(source.path, filters.query)
  const [refreshes, setRefreshes] = useState(0)
  const counts = useCallCounts(filters, source.isWhole, refreshes)
  const show = async (): Promise<void> => {
    await listed.refresh(keyOf)
    setRefreshes((before) => before + 1)
  }
  useLooks(async () => {
    const isNone = listed.rows.length === 0
    const { end } = periodIn(parameters)
    // A search that has found nothing walks the log: it is not walked again by itself. Days that are over have no new calls.
    if ((filters.hasText && isNone) || (end !== null && end < dayFromToday(0))) return
    await (isNone ? show() : listed.look(keyOf))
  })
  const id = parameters.get('id') ?? ''
  // All come at once, so that nothing jumps.
  const isLoading = isFirstLoad || named === null || counts === null
  const keyNames = named ?? NO_NAMES
  const count = counts?.listed ?? null
  const hasReceipts = sourceOf(true) !== null && hasPermission('usage:read')
  // A list without filters shows the last calls, whatever the address says.
  const narrowed = source.isWhole ? narrowedBy(parameters) : 'nothing'
  const isEmpty = listed.rows.length === 0 && !listed.hasMore && listed.state === 'ready'
  const isQuiet = isEmpty && narrowed !== 'more'
  return (
    <>
      {/* The line on a saved file is of the list that it was saved from. */}
      <ListHead
        key={JSON.stringify(filters.query)}
        {...{ source, parameters, count }}
        query={filters.query}
        hasActs={!isLoading && id === ''}
        hasCalls={!isQuiet}
      />
      {source.isWhole &&
        (counts === null || isLoading ? (
          <CallFilterRoom parameters={parameters} hasMedical={hasReceipts} />
        ) : (
          <CallFilters {...{ parameters, keyNames, counts, isQuiet }} hasMedical={hasReceipts} />
        ))}
      <UnreadableEntries count={unreadable} />
      <CallRows
        listed={isLoading ? { ...listed, rows: NO_CALLS, state: 'loading' } : listed}
        opened={id}
        {...{ count, source, keyNames, parameters, narrowed, show }}
      />
      {!isLoading && !hasTierFeature('all_calls') && <LackingPart feature="all_calls" />}
      {id !== '' && (
        <CallDrawer
          leaf={parameters.get('leaf') ?? ''}
          calls={listed.rows}
          isReceipt={source.path !== '/api/calls'}
          isWhole={source.isWhole}
          {...{ id, count, keyNames }}
          onClose={() => changeUrlParameters(CLOSED)}
        />
      )}
    </>
  )
}

type HeadProps = ListProps & {
  query: Query
  count: number | null
  /** False while the list loads, and while an open call covers them. */
  hasActs: boolean
  /** False where the list has nothing to save. */
  hasCalls: boolean
}

function ListHead({ source: { path, isWhole }, parameters, query, count, hasActs, hasCalls }: HeadProps) {
  const isReceipts = path !== '/api/calls'
  // The file of whole days shows that none of them is missing, which the one of some calls cannot.
  const isNarrowed = !isReceipts && isWhole && hasCalls && narrowedBy(parameters) === 'more'
  const { state, make } = useFile()
  const mayAudit = hasPermission('audit:read')
  const save = (label: LabelParts, format: 'csv' | 'evidence', kind?: Partial<FileKind>) => {
    const ask = (onBytes: OnBytes) => fetchFile('GET', path, { query: { ...query, format } }, onBytes)
    return (
      <Button isDisabled={state.step === 'coming'} onClick={() => void make({ ask, ...kind })}>
        <Label of={label} />
      </Button>
    )
  }
  const words = isReceipts
    ? 'Every call of your medical use cases, signed.'
    : isWhole
      ? DASHBOARD_PAGES['/app/calls'].lead
      : `Your last ${RECENT_CALLS.most} calls of ${RECENT_CALLS.days} days, each with its signed record.`
  // In the place of the sentence, so that nothing moves.
  const isMade = state.step === 'coming' || state.step === 'saved'
  return (
    <>
      <PageHead lead={[<FileLine key="file" state={state} />, !isMade && words]}>
        {hasActs ? (
          <>
            {!isReceipts &&
              hasCalls &&
              save(['Save', count === null ? ' this list' : ` these ${formatNumber(count)}`, ' (CSV)'], 'csv')}
            {isNarrowed
              ? mayAudit &&
                save(['Evidence', ' of this list'], 'evidence', { tell: describeSelection, isEvidence: true })
              : (isReceipts || mayAudit) && (
                  <ButtonLink href={inOrganisation(exportsPath(parameters, isReceipts))}>
                    <Icon of={proven} />
                    <Label of={['Evidence', ' file']} />
                  </ButtonLink>
                )}
          </>
        ) : null}
      </PageHead>
      {state.step === 'refused' && <RefusalNotice problem={state.problem} />}
    </>
  )
}

/** A phone has no room for the second part, so that all acts are on the title's line. */
type LabelParts = readonly [begin: string, middle: string, end?: string]

const Label = ({ of: [begin, middle, end] }: { of: LabelParts }) => (
  <span>
    {begin}
    <Text isWideOnly>{middle}</Text>
    {end}
  </span>
)

/** The page of exports for the days of this list. */
function exportsPath(parameters: URLSearchParams, isReceipts: boolean): string {
  const named = new URLSearchParams({
    ...(isReceipts && { kind: 'receipts' }),
    ...Object.fromEntries([...parameters].filter(([name]) => name === 'from' || name === 'to')),
  })
  return `/app/exports${named.size === 0 ? '' : `?${named}`}`
}

await openPage('/app/calls', Calls)
