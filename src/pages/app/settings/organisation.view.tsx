// Two parts of the settings: the organisation's name and facts; and repeated calls: the first answer again, instructions that providers
// keep, parameters that a model does not take.
import SCHEMA from 'virtual:form-schema/settings'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { formatDay } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { askedText } from '../frame/lacking.view.tsx'
import { inOrganisation, organisation } from '../session.ts'
import { changedMark, Part, PartFields, type PartProps } from './part-frame.view.tsx'
import { SwitchSetting } from './switch-setting.view.tsx'

/** The regions in which the platform can store the organisation's object. */
const REGIONS: Readonly<Record<string, string>> = { weur: 'western Europe', eeur: 'eastern Europe' }

export function storagePlace({ jurisdiction, region }: Settings): string {
  const place = jurisdiction === 'eu' ? 'European Union' : 'No particular part of the world'
  return region === null ? place : `${place}, ${REGIONS[region] ?? region}`
}

export function OrganisationPart({ editing }: PartProps) {
  const { settings, values, edit, faultOf } = editing
  return (
    <Part
      id="organisation"
      title="Organisation"
      lead="The log says that the name was changed, and not what it is or was."
    >
      <PartFields id="organisation" editing={editing}>
        <InputField
          label="Name"
          mark={changedMark(editing, 'name')}
          fault={faultOf('name')}
          required
          autocomplete="off"
          maxLength={SCHEMA.name.maxLength}
          value={values.name}
          onValue={(name) => edit({ name })}
        />
      </PartFields>
      <div class="body">
        <Facts
          facts={[
            ['Created', formatDay(settings.created_at.slice(0, 'YYYY-MM-DD'.length))],
            ['Data is stored in', storagePlace(settings)],
            ['Data', settings.demo ? 'Invented, for a demonstration: its id says so for ever' : 'Real'],
            ['Tier', describeTier(settings.tier)],
            ['Id', <CopyableValue value={settings.id} what="the id of the organisation" />],
          ]}
        />
      </div>
    </Part>
  )
}

function describeTier(tier: string): string {
  const { tier_request: request } = organisation()
  const assigned = `${tierName(tier)}, assigned by the operator`
  return request === null ? assigned : `${assigned}. ${askedText(request)}`
}

export function RepeatsPart({ editing }: PartProps) {
  const { values, edit } = editing
  return (
    <Part
      id="repeats"
      title="Repeated calls"
      lead={
        <>
          For calls that a program sends again. “Stored answers”, for other calls that ask the same, are a rule of the{' '}
          <a href={inOrganisation('/app/policies#cache')}>policy</a>.
        </>
      }
    >
      <PartFields id="repeats" editing={editing}>
        <SwitchSetting
          label="Give the first answer again to a call that is sent again"
          mark={changedMark(editing, 'idempotent_replays')}
          hint="The answer to a call with an Idempotency-Key is kept for a day, sealed. Without this such a call is refused and never run twice. Once it is off, kept answers are not given again either."
          isOn={values.idempotent_replays}
          onSwitch={(isOn) => edit({ idempotent_replays: isOn })}
        />
        <SwitchSetting
          label="Have providers keep long instructions for five minutes"
          mark={changedMark(editing, 'cache_instructions')}
          hint="Long system messages are marked for providers that want to be told what to keep. Keeping them costs more than sending them, and reading them again less."
          isOn={values.cache_instructions}
          onSwitch={(isOn) => edit({ cache_instructions: isOn })}
        />
        <SwitchSetting
          label="Refuse parameters that a model does not take"
          mark={changedMark(editing, 'unsupported')}
          hint="Temperature, top_p, penalties and seed, and a higher output limit. Without this they are left out or lowered, and the answer names them in x-aqta-dropped."
          isOn={values.unsupported === 'refuse'}
          onSwitch={(isOn) => edit({ unsupported: isOn ? 'refuse' : 'drop' })}
        />
      </PartFields>
    </Part>
  )
}
