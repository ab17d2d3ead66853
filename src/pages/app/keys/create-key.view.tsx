// Keys page: the form that creates a key, beside the rules that will apply to it.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/key'
import { refusalOf } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { MainAndSide, Pair } from '../../parts/layout.view.tsx'
import { FormCard, FormFields, useForm } from '../../parts/schema-form.view.tsx'
import { changeUrlParameters } from '../../parts/url-parameters.view.tsx'
import { dayFromToday, dayInMonths } from '../../text/day.ts'
import { formatNumber } from '../../text/format.ts'
import { callApi, hasPermission } from '../session.ts'
import { useIdempotencyKey, KEY_WORDS } from './key-words.ts'
import type { CreatedKey } from './key-labels.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { loadRuling } from './load-keys.ts'
import { RulesForKey } from './rules.view.tsx'

type Props = { onMade: (created: CreatedKey) => void }

export function CreateKeyView({ onMade }: Props) {
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
          <MainAndSide>
            <FormCard label="The new key">
              <NewKeyForm perMinute={ruling.settings.limits.requests_per_minute} onMade={onMade} />
            </FormCard>
            <RulesForKey ruling={ruling} />
          </MainAndSide>
        )}
      </Answered>
    </>
  )
}

const SCOPES = [
  ['chat', 'Call models', 'For programs that send text to a model'],
  ['manage', 'Manage the organisation', 'For scripts. Asks for a fresh sign-in'],
] as const

/** When a key expires: in so many months, on a day of its own, or never. */
const ENDS = [
  ['1', '1 month'],
  ['3', '3 months'],
  ['6', '6 months'],
  ['12', '12 months'],
  ['day', 'a day that I choose'],
  ['never', 'never'],
] as const

/** How long a suite may need. The person may choose another day. */
const EVALUATION_DAYS = 7

const managesKeys = (): boolean => hasPermission('keys:all')

function NewKeyForm({ perMinute, onMade }: Props & { perMinute: number }) {
  const [end, setEnd] = useState('12')
  const claim = useIdempotencyKey()
  const isOwnDay = end === 'day'
  const form = useForm({
    schema: SCHEMA,
    words: {
      ...KEY_WORDS,
      scopes: { label: 'Scope', cards: SCOPES, when: managesKeys },
      evaluation: {
        label: 'For evaluation',
        hint: 'For a test suite: loops are reported, not suppressed. At most 30 days',
        when: managesKeys,
      },
      expires_at: { ...KEY_WORDS.expires_at, isRequired: isOwnDay, isDisabled: !isOwnDay },
      requests_per_minute: {
        ...KEY_WORDS.requests_per_minute,
        hint: `At most. The organisation has ${formatNumber(perMinute)} for all keys.`,
      },
      prefix: { label: 'Begins with', hint: 'Some clients take only keys that begin with sk-.' },
    },
    start: { scopes: ['chat'], prefix: 'aqta_', expires_at: dayInMonths(12) },
  })
  const chooseEnd = (chosen: string): void => {
    setEnd(chosen)
    // A day of one's own begins with the one that was there.
    if (chosen !== 'day') form.set('expires_at', chosen === 'never' ? '' : dayInMonths(Number(chosen)))
  }
  const set: typeof form.set = (name, text) => {
    form.set(name, text)
    if (name !== 'evaluation' || text === 'false') return
    setEnd('day')
    form.set('expires_at', dayFromToday(EVALUATION_DAYS))
  }
  const create = () => {
    const request = { body: form.body, headers: claim(JSON.stringify(form.body)) }
    return refusalOf(callApi<CreatedKey>('POST', '/api/keys', request), onMade)
  }
  return (
    <Form button="Create key" ask={create} onCancel={() => changeUrlParameters({ create: '' })}>
      {(faultOf) => {
        const fields = { of: { ...form, set }, faultOf }
        return (
          <>
            <FormFields {...fields} only={['name', 'scopes', 'evaluation']} />
            <Pair>
              <SelectField label="Expires after" value={end} onValue={chooseEnd} options={ENDS} />
              <FormFields {...fields} only={['expires_at', 'requests_per_minute', 'requests_per_day']} />
            </Pair>
            <FormFields {...fields} only={['data_region']} />
            <details>
              <summary>Advanced</summary>
              <Pair>
                <FormFields {...fields} only={['prefix']} />
              </Pair>
            </details>
          </>
        )
      }}
    </Form>
  )
}
