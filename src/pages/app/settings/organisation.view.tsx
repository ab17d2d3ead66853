// Settings sections: the organisation itself, and cached or replayed answers.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/settings'
import { Exact } from '../../parts/copy.view.tsx'
import { Check, InputField } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { tierName } from '../../text/words.ts'
import { inOrganisation } from '../session.ts'
import { SettingsForm, type SectionGiven, SettingsSection } from './settings-form.view.tsx'

/** The regions in which the platform can store the organisation's object. */
const REGIONS: Readonly<Record<string, string>> = { weur: 'western Europe', eeur: 'eastern Europe' }

export function OrganisationSection({ state }: SectionGiven) {
  const { settings } = state
  const [name, setName] = useState(settings.name)
  const { jurisdiction, region } = settings
  const place = jurisdiction === 'eu' ? 'the European Union' : 'no particular part of the world'
  return (
    <SettingsSection id="organisation">
      <Facts
        facts={[
          ['Tier', `${tierName(settings.tier)}, assigned by the operator`],
          ['Data is stored in', region === null ? place : `${place}, ${REGIONS[region] ?? region}`],
          ['Founded', <Moment at={settings.created_at} />],
          ['Data', settings.demo ? 'invented, for a demonstration: its id says so for ever' : 'real'],
          ['Id', <Exact value={settings.id} what="the id of the organisation" />],
          ['Version of the settings', settings.version],
        ]}
      />
      <SettingsForm id="organisation" state={state} values={{ name }}>
        {(faultOf) => (
          <InputField
            label="Name"
            hint="The ledger says that the name was changed, and not what it is or was."
            fault={faultOf('name')}
            required
            maxLength={SCHEMA.name.maxLength}
            value={name}
            onValue={setName}
          />
        )}
      </SettingsForm>
    </SettingsSection>
  )
}

/** Sets the stored answers and cached instructions, which avoid paying twice. */
export function RepeatsSection({ state }: SectionGiven) {
  const { settings } = state
  const [marks, setMarks] = useState(settings.cache_instructions)
  const [replays, setReplays] = useState(settings.idempotent_replays)
  const [unsupported, setUnsupported] = useState(settings.unsupported)
  return (
    <SettingsSection id="repeats">
      <SettingsForm
        id="repeats"
        state={state}
        values={{ cache_instructions: marks, idempotent_replays: replays, unsupported }}
      >
        {() => (
          <>
            <Check isChecked={marks} onCheck={setMarks}>
              <Explained
                label="Have providers keep long instructions for five minutes"
                hint="Long system messages are marked for providers that want to be told what to keep. Keeping them costs more than sending them, and reading them again less."
              />
            </Check>
            <Check isChecked={replays} onCheck={setReplays}>
              <Explained
                label="Give the first answer again to a call that is sent again"
                hint="The answer to a call with an Idempotency-Key is kept for a day, sealed. Without this such a call is refused and never run twice. Switched off, no answer is given again, those that are kept included."
              />
            </Check>
            <Check
              isChecked={unsupported === 'refuse'}
              onCheck={(refuses) => setUnsupported(refuses ? 'refuse' : 'drop')}
            >
              <Explained
                label="Refuse sampling parameters that a model does not take"
                hint="Temperature, top_p, penalties and seed. Without this they are left out, and the answer names them in x-aqta-dropped. With it the request is refused."
              />
            </Check>
          </>
        )}
      </SettingsForm>
      <p class="soft">
        Whether answers are given again to other calls that ask the same is said by <code>cache.ttl_seconds</code> of
        the <a href={inOrganisation('/app/policies')}>policy</a>.
      </p>
    </SettingsSection>
  )
}

export const Explained = ({ label, hint }: { label: string; hint: string }) => (
  <span>
    <strong>{label}</strong>
    <br />
    <span class="soft">{hint}</span>
  </span>
)
