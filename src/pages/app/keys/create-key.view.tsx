// Making a key.
import { useRef, useState } from 'preact/hooks'
import type { z } from 'zod'
import type { MakeKeySchema } from '../../../management/keys/managed-keys.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { callIn } from '../call-in.ts'
import { mayIn } from '../may-in.ts'
import { endOf, LimitFields, limitOf, NameField, NO_TEXT } from './key-fields.view.tsx'
import type { CreatedKey } from './key-words.ts'

type Wanted = z.input<typeof MakeKeySchema>
type Given = { session: Session; onMade: (created: CreatedKey) => void; onClose: () => void }

const SCOPES = [
  { scope: 'chat', words: 'Call models', about: 'chat completions, responses, and the list of models' },
  {
    scope: 'manage',
    words: 'Manage the organisation',
    about: 'keys, policies, settings and reports, over the API. It needs a sign-in of the last 15 minutes.',
  },
] as const

export function CreateKey({ session, onMade, onClose }: Given) {
  const [text, setText] = useState(NO_TEXT)
  const [scopes, setScopes] = useState<readonly string[]>(['chat'])
  const [prefix, setPrefix] = useState<NonNullable<Wanted['prefix']>>('aqta_')
  const claim = useClaim()

  const create = async (): Promise<Problem | null> => {
    const body: Wanted = {
      name: text.name,
      prefix,
      scopes: SCOPES.map(({ scope }) => scope).filter((scope) => scopes.includes(scope)),
      ...(text.endsOn !== '' && { expires_at: endOf(text.endsOn) ?? undefined }),
      ...(text.perMinute !== '' && { requests_per_minute: limitOf(text.perMinute) ?? undefined }),
      ...(text.perDay !== '' && { requests_per_day: limitOf(text.perDay) ?? undefined }),
    }
    const headers = claim(JSON.stringify(body))
    const answer = await callIn<CreatedKey>(session, 'POST', '/api/keys', { body, headers })
    if (answer.outcome === 'refused') return answer.problem
    onMade(answer.body)
    return null
  }

  return (
    <DialogForm title="Create a key" button="Create the key" ask={create} onClose={onClose}>
      {(faultOf) => (
        <>
          <NameField text={text} onText={setText} faultOf={faultOf} />
          {mayIn(session, 'keys:all') && (
            <fieldset class="stack" aria-describedby={faultOf('scopes') === null ? undefined : 'scopes-fault'}>
              <legend>What it may do</legend>
              {SCOPES.map(({ scope, words, about }) => (
                <label key={scope} class="choice">
                  <input
                    type="checkbox"
                    checked={scopes.includes(scope)}
                    onChange={({ currentTarget: { checked } }) =>
                      setScopes(checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                    }
                  />
                  <span>
                    {words}: <span class="soft">{about}</span>
                  </span>
                </label>
              ))}
              {faultOf('scopes') !== null && (
                <p id="scopes-fault" class="fault">
                  Choose at least one.
                </p>
              )}
            </fieldset>
          )}
          <Field label="How it begins" hint="Some clients take keys only that begin with sk-.">
            {(control) => (
              <select
                {...control}
                value={prefix}
                onChange={({ currentTarget: { value } }) => setPrefix(value === 'sk-aqta-' ? 'sk-aqta-' : 'aqta_')}
              >
                <option>aqta_</option>
                <option>sk-aqta-</option>
              </select>
            )}
          </Field>
          <LimitFields text={text} onText={setText} faultOf={faultOf} />
        </>
      )}
    </DialogForm>
  )
}

/** Sent again, the same request makes no second key: the answer to the first may have been lost. */
function useClaim(): (body: string) => Record<string, string> {
  const claimed = useRef({ body: '', key: '' })
  return (body) => {
    if (claimed.current.body !== body) claimed.current = { body, key: crypto.randomUUID() }
    return { 'idempotency-key': claimed.current.key }
  }
}
