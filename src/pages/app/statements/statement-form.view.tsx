// The form of a statement: what happened, the day, and the cause where an anomaly or a difference is explained.
import type { ComponentChildren } from 'preact'
import SCHEMA from 'virtual:form-schema/statement'
import { CAUSE_NAMES, STATED_CAUSES } from '../../../reports/controls/stated-cause.policy.ts'
import { refusalOf } from '../../api/send-request.ts'
import type { FormProps } from '../../parts/form.view.tsx'
import { FormFields, useForm, type FieldState } from '../../parts/schema-form.view.tsx'
import { Segments } from '../../parts/surfaces.view.tsx'
import { callApi } from '../session.ts'
import { isFinding, statementPath, type Statement } from './statement-paths.ts'

type Props = {
  subject: string
  /** What is stated so far. Null if nothing is. */
  before: Pick<Statement, 'text' | 'looked_at' | 'cause' | 'date'> | null
  onDone: () => void
  /** Draws the form, in its place or in a dialog. */
  children: (form: Pick<FormProps, 'button' | 'isReady' | 'ask' | 'children'>) => ComponentChildren
}

export function StatementForm({ subject, before, onDone, children }: Props) {
  const isOfFinding = isFinding(subject)
  const form = useForm({
    schema: SCHEMA,
    words: {
      cause: { label: 'Cause', as: causes, when: () => isOfFinding || before?.cause != null },
      text: {
        label: 'What happened',
        hint: 'Name no patient: reports show it.',
        as: 'area',
        isRequired: true,
      },
      looked_at: {
        label: 'What you looked at',
        isRequired: true,
      },
      date: isOfFinding
        ? { label: 'Over since (optional)' }
        : { label: 'Day', hint: 'Optional: the day that it is about.' },
    },
    start: before ?? {},
  })
  const { text, body } = form
  return children({
    button: subject.startsWith('incident:') ? 'Mark as incident' : 'Add explanation',
    isReady: text.text.trim() !== '' && text.looked_at.trim() !== '',
    ask: () => refusalOf(callApi('PUT', statementPath(subject), { body }), onDone),
    children: (faultOf) => <FormFields of={form} faultOf={faultOf} />,
  })
}

/** The causes to choose from. A second press takes the choice back, since none has to be chosen. */
const causes = ({ label, value, onValue }: FieldState) => (
  <Segments label={label}>
    {STATED_CAUSES.map((one) => (
      <button key={one} type="button" aria-pressed={one === value} onClick={() => onValue(one === value ? '' : one)}>
        {CAUSE_NAMES[one]}
      </button>
    ))}
  </Segments>
)
