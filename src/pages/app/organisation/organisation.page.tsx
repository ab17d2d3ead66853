// The page that creates an organisation: the first step after signing up.
import { useState } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import type { OrganisationSchema } from '../../../accounts/organisation.schema.ts'
import type { Provider } from '../../../management/providers.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Checkbox, TextField } from '../../parts/fields.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Choices, MainAndSide, Stack } from '../../parts/layout.view.tsx'
import { Facts, Notice, Section } from '../../parts/page-blocks.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { placeNames, routesOf } from '../../text/id-labels.ts'
import { providerLabel } from '../../text/provider-label.ts'
import { openPage } from '../open-page.tsx'
import { callApi, session } from '../session.ts'

type Organisation = Infer<typeof OrganisationSchema>

function CreateOrganisation() {
  const { organisation: current } = session()
  const [name, setName] = useState('')
  const [providers, setProviders] = useState<Provider['id'][]>([])
  const [isByOperator, setByOperator] = useState(false)

  const create = async () => {
    const request = { body: { name, enabled_providers: providers }, organisation: null }
    const problem = await refusalOf(callApi<Organisation>('POST', '/api/organisations', request), ({ id }) =>
      location.replace(`/app?org=${id}`),
    )
    if (problem?.code !== 'role_required') return problem
    setByOperator(true)
    return null
  }

  if (isByOperator) {
    return (
      <Notice role="status" title="Organisations are created by the operator here">
        Ask them for one, or ask somebody to invite you to theirs.
      </Notice>
    )
  }
  return (
    <MainAndSide>
      <Stack isCard>
        {current !== null && (
          <p>
            A new organisation, apart from <strong>{current.name}</strong>: its members, keys, data and tier are its
            own.
          </p>
        )}
        <Form button="Create the organisation" ask={create}>
          {(faultOf) => (
            <>
              <TextField
                label="Name"
                fault={faultOf('name')}
                hint="Members and auditors see it, and it is in invitation e-mails. The public log does not have it."
                autocomplete="organization"
                value={name}
                onValue={setName}
              />
              <ProviderChoice chosen={providers} onChosen={setProviders} />
              <Remark>
                Records and your log are stored in the European Union. You become the owner, on the Free tier.
              </Remark>
            </>
          )}
        </Form>
      </Stack>
      <NextSteps />
    </MainAndSide>
  )
}

/** What follows, so that it is known how far the first record is away. */
const NextSteps = () => (
  <Section title="Then your first signed record" isCard>
    <Facts
      facts={[
        ['Organisation', 'Choose where your text may go.'],
        ['Key', 'Programs call models with it. It is shown once.'],
        ['First call', 'Paste the code that comes with the key, or use the playground.'],
        ['Record', 'Signed, and checked in your browser.'],
      ]}
    />
  </Section>
)

type ChoiceProps = { chosen: readonly Provider['id'][]; onChosen: (chosen: Provider['id'][]) => void }

/** The choice of the providers that may receive prompts, each with the places that text is routed to. */
function ProviderChoice({ chosen, onChosen }: ChoiceProps) {
  const answer = useAnswer<List<Provider>>(
    (signal) => callApi('GET', '/api/providers', { signal, organisation: null }),
    [],
  )
  return (
    <Answered answer={answer} lines={9}>
      {({ data }) => (
        <FieldGroup
          legend="Providers that may receive text"
          hint="Prompts go to the providers that you tick, and to no other. No call runs until one is chosen. You can choose later, in the settings."
        >
          <Choices isInTwos>
            {data.map((one) => (
              <Checkbox
                key={one.id}
                isChecked={chosen.includes(one.id)}
                onCheck={(isOn) => onChosen(isOn ? [...chosen, one.id] : chosen.filter((id) => id !== one.id))}
                about={<AboutProvider of={one} />}
              >
                {providerLabel(one.id)}
              </Checkbox>
            ))}
          </Choices>
        </FieldGroup>
      )}
    </Answered>
  )
}

/** Says where text is routed to, and which of its models the tier of a new organisation has. */
function AboutProvider({ of }: { of: Provider }) {
  const words = `Routed to ${placeNames(routesOf(of)).join(', or ')}`
  const models = of.models.filter(({ tiers }) => tiers.includes('free')).map(({ id }) => id)
  return (
    <>
      {routesOf(of).some(({ places }) => places === null) ? <Badge tone="warn">{words}</Badge> : words}
      <br />
      {models.length === 0 ? 'No model in the Free tier' : models.join(', ')}
    </>
  )
}

await openPage('/app/organisation', CreateOrganisation)
