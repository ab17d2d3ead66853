// The filters of the list of calls, in one row: outcome, days, key, more, and a search. They are in the URL, so a link shows the same.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { submitHandler } from '../../parts/button.view.tsx'
import { FilterMenu } from '../../parts/filter-menu.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { close, plus, search } from '../../parts/icons.ts'
import { OUTCOME_CHOICES } from '../../parts/outcome-badge.view.tsx'
import { changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { PeriodMenu } from '../evidence/period-menu.view.tsx'
import type { KeyNames } from '../key-and-person-names.view.tsx'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { CLOSED } from './call-address.ts'
import { isStopped, type CallCounts } from './call-counts.ts'
import { MoreFilters } from './more-filters.view.tsx'

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
  const days = <PeriodMenu parameters={parameters} parametersToRemove={Object.keys(CLOSED)} />
  if (isQuiet)
    return (
      <div class="stack-s no-print">
        <div class="filter-row">{days}</div>
        {isMedical && <AppliedFilters {...{ parameters, counts, hasMedical }} />}
      </div>
    )
  return (
    <div class="stack-s no-print">
      <div class="filter-row">
        <OutcomeSegments parameters={parameters} counts={counts} />
        {days}
        {!isMedical && <KeyMenu parameters={parameters} keyNames={keyNames} />}
        <FilterMenu label="More filters" content={<MoreLabel />}>
          {(closeMenu) => <MoreFilters parameters={parameters} hasMedical={hasMedical} close={closeMenu} />}
        </FilterMenu>
        {!isMedical && <SearchField parameters={parameters} />}
      </div>
      <AppliedFilters {...{ parameters, counts, hasMedical }} />
    </div>
  )
}

/** The room of the filters while what they count is on its way, so that the list below does not move. */
export function FilterRoom({ parameters, hasMedical }: Pick<Props, 'parameters' | 'hasMedical'>) {
  const isMedical = parameters.has('medical')
  const isChipped = isMedical ? hasMedical : isStopped(parameters.get('outcome') ?? '')
  const hasChips = isChipped || CHIPS.some((name) => parameters.has(name))
  return (
    <div class="stack-s no-print" aria-hidden="true">
      <div class="filter-row filter-room" data-short={isMedical || undefined} />
      {hasChips && <div class="filter-row chips" />}
    </div>
  )
}

const MoreLabel = () => (
  <>
    <Icon of={plus} />
    Filter
  </>
)

function OutcomeSegments({ parameters, counts }: Pick<Props, 'parameters' | 'counts'>) {
  const chosen = parameters.get('outcome') ?? ''
  const choices = [{ value: '', name: 'All' }, ...OUTCOME_CHOICES]
  // Receipts are not told apart by how a passed call ended.
  const shown = parameters.has('medical') ? choices.filter(({ value }) => value !== 'failed') : choices
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // In a narrow window the row scrolls: the chosen one is in sight.
    const { current } = row
    const chosenOne = current?.querySelector<HTMLElement>('[aria-current]')
    if (current != null && chosenOne != null) current.scrollLeft = chosenOne.offsetLeft - current.clientWidth / 3
  }, [chosen])
  return (
    <div ref={row} class="segments" role="group" aria-label="Outcome">
      {shown.map(({ value, name }) => {
        const count = counts.outcomes?.[value === '' ? 'all' : value]
        return (
          <ParameterLink
            key={value}
            change={{ ...CLOSED, outcome: value, rule: '', reason: '' }}
            isCurrent={value === chosen}
          >
            {name} {count !== undefined && <span class="number">{formatNumber(count)}</span>}
          </ParameterLink>
        )
      })}
    </div>
  )
}

function KeyMenu({ parameters, keyNames }: Pick<Props, 'parameters' | 'keyNames'>) {
  const chosen = parameters.get('key') ?? ''
  if (keyNames.size === 0 && chosen === '') return null
  return (
    <FilterMenu
      label="Key"
      content={
        <>
          Key <b>{chosen === '' ? 'any' : (keyNames.get(chosen) ?? chosen)}</b>
        </>
      }
    >
      {() => (
        <ul class="menu">
          {[['', 'Any key'] as const, ...keyNames].map(([id, name]) => (
            <li key={id}>
              <ParameterLink change={{ ...CLOSED, key: id }} isCurrent={id === chosen}>
                {name}
              </ParameterLink>
            </li>
          ))}
        </ul>
      )}
    </FilterMenu>
  )
}

function SearchField({ parameters }: Pick<Props, 'parameters'>) {
  const sought = parameters.get('q') ?? ''
  const [text, setText] = useState(sought)
  useLayoutEffect(() => setText(sought), [sought])
  return (
    <form
      class="filter-search"
      role="search"
      onSubmit={submitHandler(() => changeUrlParameters({ ...CLOSED, ...soughtBy(text.trim()) }))}
    >
      <Icon of={search} />
      <input
        type="search"
        aria-label="Search ids, entry numbers, hashes, keys, models, use cases, groups and reasons"
        placeholder="Id, entry, key, model …"
        autocomplete="off"
        spellcheck={false}
        maxLength={100}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value)
          // The browser's own button to empty the field sends no form.
          if (value === '' && sought !== '') changeUrlParameters({ ...CLOSED, q: '' })
        }}
      />
    </form>
  )
}

const RECORD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The parameters for a text: the id of a record opens its call at once, however old it is. */
const soughtBy = (text: string): Readonly<Record<string, string>> => (RECORD_ID.test(text) ? { id: text } : { q: text })

/** Each filter of the second row, with its name and how its value is written. */
const APPLIED: readonly (readonly [name: string, label: string, text: (value: string) => string])[] = [
  ['reason', 'Reason', reasonName],
  ['model', 'Model', String],
  ['use_case', 'Use case', String],
  ['q', 'Search', (text) => `“${text}”`],
]

const CHIPS = ['rule', ...APPLIED.map(([name]) => name)]

/** The rules that stopped calls of the chosen outcome, with counts, and what else narrows the list. */
function AppliedFilters({ parameters, counts, hasMedical }: Pick<Props, 'parameters' | 'counts' | 'hasMedical'>) {
  const rule = parameters.get('rule') ?? ''
  const rules = counts.rules ?? (rule === '' ? [] : [{ rule, count: null }])
  const applied = APPLIED.filter(([name]) => (parameters.get(name) ?? '') !== '')
  const isMedical = hasMedical && parameters.has('medical')
  if (rules.length === 0 && applied.length === 0 && !isMedical) return null
  return (
    <div class="filter-row chips">
      {isMedical && (
        <Chip remove={{ medical: '' }} label="Medical">
          Medical use cases
        </Chip>
      )}
      {rules.length > 0 && (
        <div class="filter-row" role="group" aria-label="Rule">
          <span class="soft small">Rule</span>
          {rules.map(({ rule: id, count }) =>
            id === rule ? (
              <Chip key={id} remove={{ rule: '', reason: '' }} label={ruleName(id)}>
                {ruleName(id)} {count !== null && <b class="number">{formatNumber(count)}</b>}
              </Chip>
            ) : (
              <ParameterLink key={id} class="filter-chip" change={{ ...CLOSED, rule: id, reason: '' }}>
                {ruleName(id)} {count !== null && <b class="number">{formatNumber(count)}</b>}
              </ParameterLink>
            ),
          )}
        </div>
      )}
      {applied.map(([name, label, text]) => (
        <Chip key={name} remove={{ [name]: '' }} label={label}>
          {label} {text(parameters.get(name) ?? '')}
        </Chip>
      ))}
    </div>
  )
}

type ChipProps = { remove: Readonly<Record<string, string>>; label: string; children: ComponentChildren }

/** A filter that is applied. A press removes it. */
const Chip = ({ remove, label, children }: ChipProps) => (
  <ParameterLink class="filter-chip applied" change={{ ...CLOSED, ...remove }}>
    {children}
    <Icon of={close} />
    <span class="only-read">, remove the filter {label}</span>
  </ParameterLink>
)
