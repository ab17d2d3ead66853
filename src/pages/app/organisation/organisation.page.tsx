// The page that creates an organisation: the first step after signing up.
import { useState } from 'preact/hooks'
import type * as z from 'zod'
import type { OrganisationSchema } from '../../../accounts/organisation.schema.ts'
import type { Provider } from '../../../management/providers.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import type { Problem } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Checkboxes, TextField } from '../../parts/fields.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { providerLabel } from '../../../providers/provider-registry.ts'
import { openPage } from '../open-page.tsx'
import { callApi } from '../session.ts'

type Organisation = z.infer<typeof OrganisationSchema>

function CreateOrganisation() {
  const [name, setName] = useState('')
  const [providers, setProviders] = useState<Provider['id'][]>([])
  const [isByOperator, setByOperator] = useState(false)

  const create = async (): Promise<Problem | null> => {
    const body = { name, enabled_providers: providers }
    const answer = await callApi<Organisation>('POST', '/api/organisations', { body, organisation: null })
    if (answer.outcome === 'answered') {
      location.replace(`/app?org=${answer.body.id}`)
      return null
    }
    if (answer.problem.code !== 'role_required') return answer.problem
    setByOperator(true)
    return null
  }

  if (isByOperator) {
    return (
      <div class="slim notice" role="status">
        <p>Organisations are founded by the operator here</p>
        <p>Ask them for one, or ask somebody to invite you to theirs.</p>
      </div>
    )
  }
  return (
    <div class="slim card">
      <Form button="Found the organisation" ask={create}>
        {(faultOf) => (
          <>
            <p>
              Keys, policies, approvals and evidence belong to an organisation. You become its owner, on the tier free;
              its data is kept in the European Union.
            </p>
            <TextField
              label="Its name"
              fault={faultOf('name')}
              hint="Members see it, and it is in the mails of invitations."
              autocomplete="organization"
              value={name}
              onValue={setName}
            />
            <ProviderChoice chosen={providers} onChosen={setProviders} />
          </>
        )}
      </Form>
    </div>
  )
}

const REGIONS: Readonly<Record<string, string>> = {
  us: 'in the United States',
  eu: 'in the European Union',
  global: 'anywhere',
}

type ChoiceProps = { chosen: readonly Provider['id'][]; onChosen: (chosen: Provider['id'][]) => void }

/** The choice of the providers that may receive prompts, each with its regions. */
function ProviderChoice({ chosen, onChosen }: ChoiceProps) {
  const answer = useAnswer<List<Provider>>(
    (signal) => callApi('GET', '/api/providers', { signal, organisation: null }),
    [],
  )
  return (
    <Answered answer={answer} lines={9}>
      {({ data }) => (
        <fieldset class="stack">
          <legend>Providers that prompts may go to</legend>
          <p class="soft">
            None has to be chosen now. Nothing is sent to one that is not; the settings change it later.
          </p>
          <Checkboxes options={data.map(({ id }) => id)} chosen={chosen} onChosen={onChosen}>
            {(id) => (
              <span>
                {providerLabel(id)}
                <span class="soft">
                  , processes{' '}
                  {data
                    .find((one) => one.id === id)
                    ?.regions.map((region) => REGIONS[region] ?? region)
                    .join(' or ')}
                </span>
              </span>
            )}
          </Checkboxes>
        </fieldset>
      )}
    </Answered>
  )
}

await openPage('/app/organisation', CreateOrganisation)
