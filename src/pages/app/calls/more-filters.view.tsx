// The filters of calls without a button of their own: key, rule, reason, model and use case. Each lists what the calls of these days have, and
// a choice acts at once. A text is asked for only where nothing is known.
import type { StopsSchema } from '../../../management/analytics/analytics.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import RULE_NAMES from 'virtual:rule-names'
import { answered, bothOf, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Skeleton } from '../../parts/answer-notices.view.tsx'
import { ChoiceLinks } from '../../parts/filter-row.view.tsx'
import { Foldable, Folds } from '../../parts/foldable.view.tsx'
import { Note } from '../../parts/layout.view.tsx'
import { Filters } from '../../parts/filters.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { loadChoices } from '../analytics/load-analytics.ts'
import { periodIn } from '../evidence/log-list.view.tsx'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import type { KeyNames } from '../key-and-person-names.view.tsx'
import { callApi, hasCounts } from '../session.ts'
import { CLOSED, NOT_OF_MEDICAL } from './call-address.ts'

type Choice = readonly [value: string, name: string]

type ListedFilter = {
  name: string
  label: string
  /** Null if they are not known. */
  choices: readonly Choice[] | null
  /** Further parameters that a choice changes. */
  change?: Readonly<Record<string, string>>
}

type Props = {
  parameters: URLSearchParams
  keyNames: KeyNames
  /** True if the list may be narrowed to the calls of medical use cases. */
  hasMedical: boolean
  close: () => void
}

export function MoreFilters({ parameters, keyNames, hasMedical, close }: Props) {
  const isMedical = parameters.has('medical')
  const period = periodIn(parameters)
  const [known] = useAnswer((signal) => loadKnown(period, signal), [period.start, period.end])
  if (known.state === 'loading') return <Skeleton lines={4} />
  const keys: readonly ListedFilter[] =
    keyNames.size === 0 ? [] : [{ name: 'key', label: 'Key', choices: [...keyNames] }]
  const filters = [...keys, ...filtersOf(known.state === 'answered' ? known.body : null, parameters)]
  const shown = isMedical ? filters.filter(({ name }) => name === 'use_case') : filters
  const unknown = shown.filter(({ choices }) => choices === null)
  return (
    <>
      <Folds>
        {shown.map(
          ({ name, label, choices, change }) =>
            choices !== null && (
              <Foldable key={name} name="more-filters" summary={label}>
                {() =>
                  choices.length === 0 ? (
                    <Note as="p">None in these days</Note>
                  ) : (
                    <ChoiceLinks
                      options={choices}
                      value={parameters.get(name) ?? ''}
                      changeOf={(value) => ({ ...CLOSED, ...change, [name]: value })}
                    />
                  )
                }
              </Foldable>
            ),
        )}
      </Folds>
      {unknown.length > 0 && (
        <Filters
          filters={unknown.map(({ name, label }) => ({ name, label, kind: 'text' }))}
          members={parameters}
          closed={CLOSED}
          onDone={close}
        />
      )}
      {hasMedical && !isMedical && (
        <ParameterLink change={{ ...CLOSED, ...NOT_OF_MEDICAL, medical: 'yes' }}>
          Only calls of medical use cases
        </ParameterLink>
      )}
    </>
  )
}

type Stops = Infer<typeof StopsSchema>
type Known = { models: readonly string[]; useCases: readonly string[]; stops: Stops['data'] }
type Period = ReturnType<typeof periodIn>

/** Loads what the calls of these days have. Null if the tier or the role does not include counts. */
async function loadKnown({ start, end }: Period, signal: AbortSignal): Promise<Answer<Known | null>> {
  if (!hasCounts()) return answered(null)
  const answer = await bothOf(
    loadChoices({ start, end }, signal),
    callApi<Stops>('GET', '/api/analytics/stops', { query: { start, end }, signal }),
  )
  if (answer.outcome === 'refused') return answer
  const [choices, { data: stops }] = answer.body
  return answered({ ...choices, stops })
}

const same = (value: string): Choice => [value, value]

function filtersOf(known: Known | null, parameters: URLSearchParams): readonly ListedFilter[] {
  const reasons = known && reasonsOf(known.stops, parameters)
  return [
    {
      name: 'rule',
      label: 'Rule',
      choices: RULE_NAMES.stopping.map((id) => [id, ruleName(id)] as const),
      change: { reason: '' },
    },
    { name: 'reason', label: 'Reason', choices: reasons && reasons.map((reason) => [reason, reasonName(reason)]) },
    { name: 'model', label: 'Model', choices: known && known.models.map(same) },
    { name: 'use_case', label: 'Use case', choices: known && known.useCases.map(same) },
  ]
}

/** Returns the reasons of the calls that the chosen outcome and rule leave. */
function reasonsOf(stops: Stops['data'], parameters: URLSearchParams): readonly string[] {
  const isChosen = (name: string, value: string | null): boolean =>
    (parameters.get(name) ?? '') === '' || parameters.get(name) === value
  const left = stops.filter(({ outcome, rule }) => isChosen('outcome', outcome) && isChosen('rule', rule))
  return [...new Set(left.flatMap(({ reason }) => (reason === null ? [] : [reason])))]
}
