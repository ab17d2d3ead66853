// What the organisation is: its name, and what was settled when it was founded.
import { useState } from 'preact/hooks'
import { Exact } from '../../parts/exact.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import type { Room } from './room.ts'
import { SettingsForm } from './saving.view.tsx'
import { Section } from './section.view.tsx'
import { regionName, tierName } from './words.ts'

export function OrganisationSection({ room }: { room: Room }) {
  const { settings } = room
  const [name, setName] = useState(settings.name)
  return (
    <Section id="organisation">
      <dl class="facts">
        <dt>Tier</dt>
        <dd>{tierName(settings.tier)}, assigned by the operator</dd>
        <dt>Data is stored in</dt>
        <dd>
          {settings.jurisdiction === 'eu' ? 'the European Union' : 'no particular part of the world'}
          {settings.region !== null && `, ${regionName(settings.region)}`}
        </dd>
        <dt>Founded</dt>
        <dd>
          <Moment at={settings.created_at} />
        </dd>
        <dt>Data</dt>
        <dd>{settings.demo ? 'invented, for a demonstration: its id says so for ever' : 'real'}</dd>
        <dt>Id</dt>
        <dd>
          <Exact value={settings.id} what="the id of the organisation" />
        </dd>
        <dt>Version of the settings</dt>
        <dd>{settings.version}</dd>
      </dl>
      <SettingsForm room={room} wanted={{ name }}>
        {(faultOf) => (
          <Field
            label="Name"
            hint="The ledger says that the name was changed, and not what it is or was."
            fault={faultOf('name')}
          >
            {(control) => (
              <input
                {...control}
                required
                maxLength={200}
                value={name}
                onInput={({ currentTarget: { value } }) => setName(value)}
              />
            )}
          </Field>
        )}
      </SettingsForm>
    </Section>
  )
}
