// Two sections of the settings: the organisation's name and facts; and cached instructions, replayed answers and unsupported
// parameters. Also the label with a hint that checkboxes of other sections use.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/settings'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Checkbox, InputField } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { tierName } from '../../text/id-labels.ts'
import { askedText } from '../frame/lacking.view.tsx'
import { inOrganisation, organisation } from '../session.ts'
import { SettingsForm, type SectionProps, SettingsSection } from './settings-form.view.tsx'

/** The regions in which the platform can store the organisation's object. */
const REGIONS: Readonly<Record<string, string>> = { weur: 'western Europe', eeur: 'eastern Europe' }

export function OrganisationSection({ state }: SectionProps) {
  const { settings } = state
  const [name, setName] = useState(settings.name)
  const { jurisdiction, region } = settings
  const { tier_request: request } = organisation()
  const place = jurisdiction === 'eu' ? 'the European Union' : 'no particular part of the world'
  return (
    <SettingsSection id="organisation">
      <Facts
        facts={[
          [
            'Tier',
            [`${tierName(settings.tier)}, assigned by the operator`, request && askedText(request)]
              .filter((part) => part !== null)
              .join('. '),
          ],
          ['Data is stored in', region === null ? place : `${place}, ${REGIONS[region] ?? region}`],
          ['Founded', <Moment at={settings.created_at} />],
          ['Data', settings.demo ? 'invented, for a demonstration: its id says so for ever' : 'real'],
          ['Id', <CopyableValue value={settings.id} what="the id of the organisation" />],
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

/** Sets whether instructions are cached, answers are replayed, and unsupported parameters are refused. */
export function CacheAndReplaysSection({ state }: SectionProps) {
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
            <Checkbox isChecked={marks} onCheck={setMarks}>
              <LabelWithHint
                label="Have providers keep long instructions for five minutes"
                hint="Long system messages are marked for providers that want to be told what to keep. Keeping them costs more than sending them, and reading them again less."
              />
            </Checkbox>
            <Checkbox isChecked={replays} onCheck={setReplays}>
              <LabelWithHint
                label="Give the first answer again to a call that is sent again"
                hint="The answer to a call with an Idempotency-Key is kept for a day, sealed. Without this such a call is refused and never run twice. Switched off, no answer is given again, those that are kept included."
              />
            </Checkbox>
            <Checkbox
              isChecked={unsupported === 'refuse'}
              onCheck={(refuses) => setUnsupported(refuses ? 'refuse' : 'drop')}
            >
              <LabelWithHint
                label="Refuse parameters that a model does not take"
                hint="Temperature, top_p, penalties and seed, and a higher output limit. Without this they are left out or lowered, and the answer names them in x-aqta-dropped. With it the request is refused."
              />
            </Checkbox>
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

export const LabelWithHint = ({ label, hint }: { label: string; hint: string }) => (
  <span>
    <strong>{label}</strong>
    <br />
    <span class="soft">{hint}</span>
  </span>
)
