// The filters of the list of calls, in one row: outcome, days, more, and a search. They are in the URL, so a link shows the same.
import { FilterMenu } from '../../parts/filter-menu.view.tsx'
import {
  AppliedFilter,
  ChoiceMenu,
  FilterRoom,
  FilterRow,
  FilterSearch,
  FilterSegments,
} from '../../parts/filter-row.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { plus } from '../../parts/icons.ts'
import { Note, Stack, Text } from '../../parts/layout.view.tsx'
import { lazy } from '../../parts/lazy.view.tsx'
import { OUTCOME_CHOICES } from '../../parts/outcome-badge.view.tsx'
import { changeUrlParameters, ParameterLink, type Change } from '../../parts/url-parameters.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { PeriodMenu } from '../evidence/period-menu.view.tsx'
import type { KeyNames } from '../key-and-person-names.view.tsx'
import { ruleName } from '../../text/rule-names.ts'
import { CALL_FILTERS, CLOSED, isRecordId } from './call-address.ts'
import { isStopped, type CallCounts } from './call-counts.ts'

/** Its lists are asked for once it opens. */
const MoreFilters = lazy(4, async () => (await import('./more-filters.view.tsx')).MoreFilters)

type Props = {
  parameters: URLSearchParams
  keyNames: KeyNames
  counts: CallCounts
  /** True if the list may be narrowed to the calls of medical use cases. */
  hasMedical: boolean
  /** True where these days have no call at all: then only the days can be chosen. */
  isQuiet: boolean
}

export function CallFilters({ parameters, keyNames, counts, hasMedical, isQuiet }: Props) {
  const isMedical = parameters.has('medical')
  // Beside an open call there is no room for all outcomes.
  const isBeside = parameters.has('id')
  return (
    <Stack gap={2} isOffPaper>
      <FilterRow>
        {!isQuiet && !isBeside && <OutcomeSegments parameters={parameters} counts={counts} />}
        <FilterRow>
          {!isQuiet && isBeside && <OutcomeMenu parameters={parameters} />}
          <PeriodMenu parameters={parameters} closed={CLOSED} />
          {!isQuiet && (
            <FilterMenu
              label="More filters"
              content={
                <>
                  <Icon of={plus} />
                  Filter
                </>
              }
            >
              {(closeMenu) => <MoreFilters {...{ parameters, keyNames, hasMedical }} close={closeMenu} />}
            </FilterMenu>
          )}
          {!isQuiet && !isMedical && (
            <FilterSearch
              label="Search ids, entry numbers, hashes, keys, models, use cases, groups and reasons"
              placeholder="Id, key, model"
              value={parameters.get('q') ?? ''}
              onSearch={(text) => changeUrlParameters({ ...CLOSED, ...soughtBy(text) })}
            />
          )}
        </FilterRow>
      </FilterRow>
      {(!isQuiet || isMedical) && <AppliedFilters {...{ parameters, keyNames, counts, hasMedical }} />}
    </Stack>
  )
}

/** The room of the filters while what they count is on its way, so that the list below does not move. */
export function CallFilterRoom({ parameters, hasMedical }: Pick<Props, 'parameters' | 'hasMedical'>) {
  const isMedical = parameters.has('medical')
  const isChipped = isMedical ? hasMedical : isStopped(parameters.get('outcome') ?? '')
  return (
    <FilterRoom
      hasChips={isChipped || ['rule', ...APPLIED.map(([name]) => name)].some((name) => parameters.has(name))}
    />
  )
}

const changeOf = (outcome: string): Change => ({ ...CLOSED, outcome })

/** Receipts are not told apart by how a passed call ended. */
const outcomesOf = (parameters: URLSearchParams) =>
  [{ value: '', name: 'All' }, ...OUTCOME_CHOICES].filter(
    ({ value }) => value !== 'failed' || !parameters.has('medical'),
  )

const OutcomeMenu = ({ parameters }: Pick<Props, 'parameters'>) => (
  <ChoiceMenu
    label="Outcome"
    options={outcomesOf(parameters).map(({ value, name }) => [value, name])}
    value={parameters.get('outcome') ?? ''}
    changeOf={changeOf}
  />
)

function OutcomeSegments({ parameters, counts }: Pick<Props, 'parameters' | 'counts'>) {
  const chosen = parameters.get('outcome') ?? ''
  return (
    <FilterSegments label="Outcome" chosen={chosen}>
      {outcomesOf(parameters).map(({ value, name }) => {
        const count = counts.outcomes?.[value === '' ? 'all' : value]
        return (
          <ParameterLink key={value} change={changeOf(value)} isCurrent={value === chosen}>
            {name} {count !== undefined && <Text isNumber>{formatNumber(count)}</Text>}
          </ParameterLink>
        )
      })}
    </FilterSegments>
  )
}

/** The parameters for a text: the id of a record opens its call at once, however old it is. */
const soughtBy = (text: string): Readonly<Record<string, string>> => (isRecordId(text) ? { id: text } : { q: text })

const APPLIED = [...CALL_FILTERS].filter(([, { label }]) => label !== undefined)

/** The rules that stopped calls of the chosen outcome, with counts, and what else narrows the list. */
function AppliedFilters({ parameters, keyNames, counts, hasMedical }: Omit<Props, 'isQuiet'>) {
  const rule = parameters.get('rule') ?? ''
  const stopping = counts.rules ?? []
  const isListed = rule === '' || stopping.some(({ rule: id }) => id === rule)
  const rules = isListed ? stopping : [...stopping, { rule, count: null }]
  const applied = APPLIED.filter(([name]) => (parameters.get(name) ?? '') !== '')
  const isMedical = hasMedical && parameters.has('medical')
  if (rules.length === 0 && applied.length === 0 && !isMedical) return null
  return (
    <FilterRow isChips>
      {isMedical && (
        <AppliedFilter change={{ ...CLOSED, medical: '' }} label="Medical">
          Medical use cases
        </AppliedFilter>
      )}
      {rules.length > 0 && (
        <FilterRow label="Rule">
          <Note>Rule</Note>
          {rules.map(({ rule: id, count }) => {
            const words = (
              <>
                {ruleName(id)}{' '}
                {count !== null && (
                  <Text as="b" isNumber>
                    {formatNumber(count)}
                  </Text>
                )}
              </>
            )
            return id === rule ? (
              <AppliedFilter key={id} change={{ ...CLOSED, rule: '', reason: '' }} label={ruleName(id)}>
                {words}
              </AppliedFilter>
            ) : (
              <ParameterLink key={id} look="button" change={{ ...CLOSED, rule: id, reason: '' }}>
                {words}
              </ParameterLink>
            )
          })}
        </FilterRow>
      )}
      {applied.map(([name, { label = '', words }]) => (
        <AppliedFilter key={name} change={{ ...CLOSED, [name]: '' }} label={label}>
          {label} {words?.(parameters.get(name) ?? '', keyNames)}
        </AppliedFilter>
      ))}
    </FilterRow>
  )
}
