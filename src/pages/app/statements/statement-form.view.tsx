// The form of a statement: what happened, the day, and the cause where an anomaly or a difference is explained.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import SCHEMA from 'virtual:form-schema/statement'
import type { StatementSchema } from '../../../management/compliance/compliance.schema.ts'
import { CAUSE_NAMES, STATED_CAUSES } from '../../../reports/controls/stated-cause.policy.ts'
import { refusalOf } from '../../api/send-request.ts'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { AreaField, InputField } from '../../parts/fields.view.tsx'
import { useUnsavedWarning, type FormProps } from '../../parts/form.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { callApi } from '../session.ts'

export const STATEMENTS_PATH = '/api/compliance/statements'
export const statementPath = (subject: string): string => `${STATEMENTS_PATH}/${encodeURIComponent(subject)}`

/** True for an anomaly or a disparity: it has a cause, and may be over. */
export const isFinding = (subject: string): boolean => /^(?:anomaly|disparity):/.test(subject)

type Statement = Infer<typeof StatementSchema>

type Props = {
  subject: string
  /** What is stated so far. Null if nothing is. */
  before: Pick<Statement, 'text' | 'looked_at' | 'cause' | 'date'> | null
  onDone: () => void
  /** Draws the form, in its place or in a dialog. */
  children: (form: Pick<FormProps, 'button' | 'isReady' | 'ask' | 'children'>) => ComponentChildren
}

export function StatementForm({ subject, before, onDone, children }: Props) {
  const isIncident = subject.startsWith('incident:')
  const written = before?.text ?? ''
  const isOfFinding = isFinding(subject)
  const [cause, setCause] = useState(before?.cause ?? null)
  const [text, setText] = useState(written)
  const [date, setDate] = useState(before?.date ?? '')
  const [lookedAt, setLookedAt] = useState(before?.looked_at ?? '')
  useUnsavedWarning(
    text !== written ||
      lookedAt !== (before?.looked_at ?? '') ||
      cause !== (before?.cause ?? null) ||
      date !== (before?.date ?? ''),
  )
  return children({
    button: isIncident ? 'Mark as incident' : 'Add explanation',
    isReady: text.trim() !== '' && lookedAt.trim() !== '',
    ask: () => {
      const body = { text, looked_at: lookedAt, ...(cause !== null && { cause }), ...(date !== '' && { date }) }
      return refusalOf(callApi('PUT', statementPath(subject), { body }), onDone)
    },
    children: (faultOf) => (
      <>
        {isOfFinding && <CauseChips cause={cause} onCause={setCause} />}
        <AreaField
          label="What happened"
          hint={`Shown with your id and the time, in compliance reports too. Your log has its hash. Name no patient. At most ${formatNumber(SCHEMA.text.maxLength ?? 0)} characters.`}
          fault={faultOf('text')}
          required
          isShort
          maxLength={SCHEMA.text.maxLength}
          value={text}
          onValue={setText}
        />
        <InputField
          label="What you looked at"
          hint="For example the calls, a document, or a provider’s status page."
          fault={faultOf('looked_at')}
          required
          maxLength={SCHEMA.looked_at.maxLength}
          value={lookedAt}
          onValue={setLookedAt}
        />
        <InputField
          label={isOfFinding ? 'Over since' : 'Day'}
          hint={isOfFinding ? 'Leave it empty while it goes on.' : 'Optional: the day that it is about.'}
          fault={faultOf('date')}
          type="date"
          value={date}
          onValue={setDate}
        />
      </>
    ),
  })
}

type Cause = Statement['cause']
type CauseProps = { cause: Cause; onCause: (cause: Cause) => void }

/** The causes to choose from. A second press takes the choice back, since none has to be chosen. */
function CauseChips({ cause, onCause }: CauseProps) {
  const id = useUniqueId()
  return (
    <div class="causes" role="group" aria-labelledby={id}>
      <span id={id} class="only-read">
        Cause
      </span>
      {STATED_CAUSES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === cause}
          onClick={() => onCause(one === cause ? null : one)}
        >
          {CAUSE_NAMES[one]}
        </button>
      ))}
    </div>
  )
}
