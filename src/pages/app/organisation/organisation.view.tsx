// Founding an organisation: the first thing after signing up.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { OrganisationSchema } from '../../../accounts/organisation.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { Form } from '../../parts/form.view.tsx'
import { TextField } from '../../parts/text-field.view.tsx'
import { callIn } from '../call-in.ts'
import { ProviderChoice } from './provider-choice.view.tsx'

type Organisation = z.infer<typeof OrganisationSchema>

export function FoundOrganisation({ session }: { session: Session }) {
  const [name, setName] = useState('')
  const [providers, setProviders] = useState<readonly string[]>([])
  const [isByOperator, setByOperator] = useState(false)

  const found = async (): Promise<Problem | null> => {
    const asked = { body: { name, enabled_providers: providers } }
    const answer = await callIn<Organisation>({ ...session, organisation: null }, 'POST', '/api/organisations', asked)
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
      <Form button="Found the organisation" ask={found}>
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
            <ProviderChoice session={session} chosen={providers} onChosen={setProviders} />
          </>
        )}
      </Form>
    </div>
  )
}
