// One control in a drawer: what was looked at and found, what would make it pass, and what a person has stated.
import type { ControlState } from '../../../reports/controls/control.ts'
import type { Control } from '../../../reports/report/report.schema.ts'
import { GROUPING_TABLE, GROUPINGS } from '../../../platform/groupings.ts'
import { COMPARED_OUTCOMES } from '../../../reports/statistics/compared-outcomes.ts'
import { Drawer } from '../../parts/dialog.view.tsx'
import { Stack, Text, Title } from '../../parts/layout.view.tsx'
import { ButtonLink } from '../../parts/surfaces.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatDay, formatNumber } from '../../text/format.ts'
import { measureName, seriesOf } from '../anomalies/anomaly-words.ts'
import { tierName } from '../../text/id-labels.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { inOrganisation } from '../session.ts'
import { StatementNote, type Statements } from '../statements/statements.view.tsx'
import { ControlBadge } from './checklist.view.tsx'
import { actionOf, higherTiers, remedyOf, type ShownState } from './control-words.ts'
import { evidenceText, placeOf, valueName } from './evidence-words.ts'
import { inPageWords } from './page-words.ts'

type Props = { control: Control; shown: ShownState; statements: Statements; nameOf: NameOf }

const REMEDY_NAMES: Readonly<Record<ControlState, string>> = {
  pass: 'What keeps it passing',
  fail: 'What would make it pass',
  stated: 'What would make it pass',
  not_applicable: 'What it asks for',
  needs_a_person: 'What a person can do',
}

/** Values that the time of the latest one, the state of the control or the side bar says. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['days_ago', 'tier', 'in_tier'])

export function ControlDrawer({ control, shown, statements, nameOf }: Props) {
  const { id, title, state, evidence, reason, sources } = control
  const { values, positions } = evidence
  const found = Object.entries(values ?? {}).filter(([name]) => !SAID_ELSEWHERE.has(name))
  return (
    <Drawer
      title={`Control ${id}`}
      head={
        <>
          <strong>Control {id}</strong> <ControlBadge state={shown} />
        </>
      }
      onClose={() => changeUrlParameters({ control: '' })}
    >
      <Title as="h3">{inPageWords(title)}</Title>
      <Facts
        facts={[
          ['What it looked at', inPageWords(evidence.query)],
          ...factsIf(reason !== null, [control.weight === 0 ? 'Why' : 'Why not', inPageWords(reason ?? '')]),
          [REMEDY_NAMES[state], inPageWords(remedyOf(control))],
          ['Sources', sources.join(', ')],
          ['Weight', weightText(control)],
        ]}
      />
      {found.length > 0 && (
        <Stack as="section" gap={2}>
          <h3>What it found</h3>
          <Facts
            facts={found.map(([name, value]) => [
              valueName(name),
              evidenceText(name, Array.isArray(value) ? value.map((one) => findingText(one, nameOf)) : value),
            ])}
          />
        </Stack>
      )}
      {positions !== undefined && (
        <Text as="p" size="small">
          Places in the log: {positions.map((position) => formatNumber(position)).join(', ')}
        </Text>
      )}
      <Ways control={control} />
      {control.weight === 0 && <StatementNote subject={id} what={`control ${id}`} {...{ statements, nameOf }} />}
    </Drawer>
  )
}

/** “answered: comparison group lang-pl” for a difference, “Calls that failed: triage since 20 Nov 2026” for an anomaly. */
export function findingText(subject: string, nameOf: NameOf): string {
  const [, by, outcome, group = ''] = /^disparity:(\w+):(\w+):(.+)$/.exec(subject) ?? []
  const compared = COMPARED_OUTCOMES.find(({ name }) => name === outcome)
  const grouping = GROUPINGS.find((one) => one === by)
  if (compared && grouping) return `${compared.title}: ${GROUPING_TABLE[grouping].name} ${nameOf(group)}`
  const [, kind, series, since] = /^anomaly:(\w+):(.+?):(\d{4}-\d\d-\d\d).*$/.exec(subject) ?? []
  if (kind === undefined || series === undefined || since === undefined) return subject
  const of = seriesOf({ series })
  return `${measureName({ kind })}${of.by === 'all' ? '' : `: ${nameOf(of.name)}`} since ${formatDay(since)}`
}

function weightText({ weight, earns }: Control): string {
  if (weight === 0) return '0: it is not scored'
  return earns ? `${weight} of 3, if it passes` : `${weight} of 3 lost if it fails. Passing earns nothing.`
}

/** Says what can be done about a control that fails, or from which tier on; else it links the page that shows what the control looked at. */
function Ways({ control }: Pick<Props, 'control'>) {
  const { link = '' } = control.evidence
  const action = control.state === 'fail' ? actionOf(control) : ''
  const place = placeOf(link)
  const [lowest] = higherTiers(control)
  if (lowest !== undefined) {
    return (
      <Text as="p" size="small">
        It can pass from {tierName(lowest)} on. <a href="/tiers">Compare tiers</a>
      </Text>
    )
  }
  if (typeof action !== 'string') {
    return (
      <p>
        <ButtonLink href={inOrganisation(action.to)}>{action.label}</ButtonLink>
      </p>
    )
  }
  if (place !== undefined) {
    return (
      <Text as="p" size="small">
        See it under <a href={inOrganisation(place.to)}>{place.name}</a>.
      </Text>
    )
  }
  // What the log and the keys answer has no page, and anybody may ask for it.
  return link.startsWith('/v1/') ? (
    <Text as="p" size="small">
      Anybody may ask the service for it: <a href={link}>{link}</a>
    </Text>
  ) : null
}
