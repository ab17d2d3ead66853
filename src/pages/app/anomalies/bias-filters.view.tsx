// The filters of the comparison of groups: the groups, what is compared, and the group that the others are compared with. They are in
// the URL, so a link shows the same.
import { COMPARED_OUTCOMES } from '../../../reports/statistics/compared-outcomes.ts'
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { GROUPING_TABLE, GROUPINGS } from '../../../platform/groupings.ts'
import { ChoiceMenu, FilterRow } from '../../parts/filter-row.view.tsx'
import { CardBody } from '../../parts/surfaces.view.tsx'

type Option = readonly [value: string, name: string]

/** The first choice is what the service compares without the parameter, so that the URL leaves it out. */
const optionsOf = (words: Readonly<Record<string, string>>): Option[] =>
  Object.entries(words).map(([value, name], at) => [at === 0 ? '' : value, name])

const GROUPING_OPTIONS = optionsOf(Object.fromEntries(GROUPINGS.map((by) => [by, GROUPING_TABLE[by].name])))
const OUTCOMES = optionsOf(Object.fromEntries(COMPARED_OUTCOMES.map(({ name, title }) => [name, title])))

type Props = {
  parameters: URLSearchParams
  groups: BiasDetection['groups']
  groupName: (group: string) => string
}

export function BiasFilters({ parameters, groups, groupName }: Props) {
  const chosen = (name: string): string => parameters.get(name) ?? ''
  const reference = chosen('reference')
  const names = new Set([...groups.map(({ group }) => group), ...(reference === '' ? [] : [reference])])
  return (
    <CardBody>
      <FilterRow label="Comparison">
        <ChoiceMenu
          label="Group by"
          value={chosen('by')}
          options={chosen('outcome') === 'approved' ? GROUPING_OPTIONS.filter(([by]) => by !== '') : GROUPING_OPTIONS}
          // A group of one kind is none of another.
          changeOf={(by) => ({ by, reference: '' })}
        />
        <ChoiceMenu
          label="Measure"
          value={chosen('outcome')}
          options={OUTCOMES}
          changeOf={(outcome) => ({ outcome })}
        />
        <ChoiceMenu
          label="Against"
          value={reference}
          options={[['', 'the largest group'], ...[...names].map((name): Option => [name, groupName(name)])]}
          changeOf={(name) => ({ reference: name })}
        />
      </FilterRow>
    </CardBody>
  )
}
