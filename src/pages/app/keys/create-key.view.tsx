// Keys page: the form that creates a key, beside the rules that will apply to it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/key'
import type { InferInput } from '../../../platform/once.ts'
import type { CreateGatewayKeySchema } from '../../../keys/key.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Checkbox, InputField, parseNumber, Radio, SelectField, TextField } from '../../parts/fields.view.tsx'
import { Form, type FaultOf } from '../../parts/form.view.tsx'
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { callApi, hasPermission } from '../session.ts'
import { useIdempotencyKey } from './idempotency-key.ts'
import { REGION_CHOICES, REGION_HINT, regionChoiceOf, type CreatedKey, type RegionChoice } from './key-labels.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { loadRuling, type Ruling } from './load-keys.ts'
import { RulesForKey } from './rules.view.tsx'

export function CreateKeyView({ onMade }: { onMade: (created: CreatedKey) => void }) {
  const answer = useAnswer(loadRuling, [])
  return (
    <>
      <KeysHead
        title="Create a key"
        place="New key"
        lead="One key for each program. The next page shows it once, with a call that runs."
      />
      <Answered answer={answer} lines={24}>
        {(ruling) => (
          <div class="main-and-side">
            <section class="card key-form" aria-label="The new key">
              <NewKeyForm perMinute={ruling.settings.limits.requests_per_minute} onMade={onMade} />
            </section>
            <NewKeyRules ruling={ruling} />
          </div>
        )}
      </Answered>
    </>
  )
}

const NewKeyRules = ({ ruling }: { ruling: Ruling }) => (
  <div class="stack-m">
    <RulesForKey ruling={ruling} />
  </div>
)

type NewKey = InferInput<typeof CreateGatewayKeySchema>
type Prefix = NonNullable<NewKey['prefix']>

const SCOPES = [
  ['chat', 'Call models', 'For programs that send text to a model'],
  ['manage', 'Manage the organisation', 'For scripts. Asks for a fresh sign-in'],
] as const

type Scope = (typeof SCOPES)[number][0]

/** When a key expires, as months from now; null for a day of its own, or never. */
const ENDS = [
  ['1', '1 month'],
  ['3', '3 months'],
  ['6', '6 months'],
  ['12', '12 months'],
  ['day', 'a day that I choose'],
  ['never', 'never'],
] as const

const ISO_DAY = 'YYYY-MM-DD'.length

/** How long a suite may need. The person may choose another day. */
const EVALUATION_DAYS = 7

const dayInDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, ISO_DAY)

/** The UTC day in so many months, or the last of its month if that has fewer days. */
function dayInMonths(months: number): string {
  const now = new Date()
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(now.getUTCDate(), last))
  return first.toISOString().slice(0, ISO_DAY)
}

const lastDayOf = (end: string, day: string): string =>
  end === 'never' ? '' : end === 'day' ? day : dayInMonths(Number(end))

type FormProps = { perMinute: number; onMade: (created: CreatedKey) => void }

function NewKeyForm({ perMinute, onMade }: FormProps) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('chat')
  const [evaluation, setEvaluation] = useState(false)
  const [end, setEnd] = useState('12')
  const [day, setDay] = useState('')
  const [minute, setMinute] = useState('')
  const [perDay, setPerDay] = useState('')
  const [region, setRegion] = useState<RegionChoice>('')
  const [prefix, setPrefix] = useState<Prefix>('aqta_')
  const claim = useIdempotencyKey()
  const lastDay = lastDayOf(end, day)
  const chooseEnd = (chosen: string): void => {
    setEnd(chosen)
    // A day of one's own begins with the one that was there.
    if (chosen === 'day') setDay(lastDay)
  }

  const chooseEvaluation = (isChosen: boolean): void => {
    setEvaluation(isChosen)
    if (!isChosen) return
    setEnd('day')
    setDay(dayInDays(EVALUATION_DAYS))
  }

  const create = () => {
    const limits = { requests_per_minute: parseNumber(minute), requests_per_day: parseNumber(perDay) }
    const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null))
    const body: NewKey = {
      name,
      prefix,
      scopes: [scope],
      ...(lastDay !== '' && { expires_at: `${lastDay}T23:59:59.000Z` }),
      ...given,
      ...(region !== '' && { data_region: region }),
      ...(evaluation && { evaluation }),
    }
    return refusalOf(callApi<CreatedKey>('POST', '/api/keys', { body, headers: claim(JSON.stringify(body)) }), onMade)
  }

  return (
    <Form button="Create key" ask={create} onCancel={() => changeUrlParameters({ create: '' })}>
      {(faultOf) => (
        <>
          <TextField
            label="Name"
            hint="Approvers and auditors see it. No patient data."
            fault={faultOf('name')}
            value={name}
            onValue={setName}
            most={SCHEMA.name.maxLength}
          />
          {hasPermission('keys:all') && (
            <>
              <ScopeChoice chosen={scope} onChosen={setScope} faultOf={faultOf} />
              <Checkbox isChecked={evaluation} onCheck={chooseEvaluation}>
                <span>
                  <b>For evaluation</b>
                  <span class="soft small">For a test suite: loops are reported, not suppressed. At most 30 days</span>
                </span>
              </Checkbox>
            </>
          )}
          <div class="pair">
            <SelectField label="Expires after" value={end} onValue={chooseEnd} options={ENDS} />
            <InputField
              label="Last day"
              hint="To the end of that day, in UTC."
              fault={faultOf('expires_at')}
              type="date"
              required={end === 'day'}
              disabled={end !== 'day'}
              value={lastDay}
              onValue={setDay}
            />
            <Most
              name="Calls a minute"
              hint={`At most. The organisation has ${formatNumber(perMinute)} for all keys.`}
              fault={faultOf('requests_per_minute')}
              min={SCHEMA.requests_per_minute.minimum}
              value={minute}
              onValue={setMinute}
            />
            <Most
              name="Calls a day"
              hint="At most. Empty: no limit of its own."
              fault={faultOf('requests_per_day')}
              min={SCHEMA.requests_per_day.minimum}
              value={perDay}
              onValue={setPerDay}
            />
          </div>
          <SelectField
            label="Data region"
            hint={REGION_HINT}
            fault={faultOf('data_region')}
            value={region}
            onValue={(value) => setRegion(regionChoiceOf(value))}
            options={REGION_CHOICES}
          />
          <details>
            <summary>Advanced</summary>
            <div class="pair">
              <SelectField
                label="Begins with"
                hint="Some clients take only keys that begin with sk-."
                value={prefix}
                onValue={(value) => setPrefix(value === 'sk-aqta-' ? 'sk-aqta-' : 'aqta_')}
                options={(SCHEMA.prefix.enum ?? []).map((one) => [one, one] as const)}
              />
            </div>
          </details>
        </>
      )}
    </Form>
  )
}

type MostProps = {
  name: string
  hint: ComponentChildren
  fault: string | null
  min: number | undefined
  value: string
  onValue: (value: string) => void
}

const Most = ({ name, ...given }: MostProps) => (
  <InputField {...given} label={name} type="number" inputMode="numeric" step={1} placeholder="Any" />
)

type ScopeProps = { chosen: Scope; onChosen: (scope: Scope) => void; faultOf: FaultOf }

const ScopeChoice = ({ chosen, onChosen, faultOf }: ScopeProps) => (
  <fieldset class="stack-s" aria-describedby={faultOf('scopes') === null ? undefined : 'scopes-fault'}>
    <legend>Scope</legend>
    <div class="choices">
      {SCOPES.map(([scope, title, about]) => (
        <Radio key={scope} name="scope" isChosen={scope === chosen} onChoose={() => onChosen(scope)}>
          <span>
            <b>{title}</b>
            <span class="soft small">{about}</span>
          </span>
        </Radio>
      ))}
    </div>
    {faultOf('scopes') !== null && (
      <p id="scopes-fault" class="fault">
        {faultOf('scopes')}
      </p>
    )}
  </fieldset>
)
