// Two parts of the settings: the organisation's name and facts; and repeated calls: the first answer again, instructions that providers
// keep, parameters that a model does not take.
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import type { List } from '../../../platform/pagination.schema.ts'
import { formatDay, plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { askedText } from '../frame/lacking-cards.view.tsx'
import type { Member } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation, organisation, useApiIf } from '../session.ts'
import { Part, PartFields, type PartProps } from './part-frame.view.tsx'
import { SettingField, SettingFields } from './setting-fields.view.tsx'
import { membersShown } from './settings-members.ts'
import { CardBody } from '../../parts/surfaces.view.tsx'

/** The regions in which the platform can store the organisation's object. */
const REGIONS: Readonly<Record<string, string>> = { weur: 'western Europe', eeur: 'eastern Europe' }

function storagePlace({ jurisdiction, region }: Settings): string {
  const place = jurisdiction === 'eu' ? 'European Union' : 'No particular part of the world'
  return region === null ? place : `${place}, ${REGIONS[region] ?? region}`
}

export function OrganisationPart({ editing }: PartProps) {
  const { settings } = editing
  return (
    <Part id="organisation">
      <PartFields id="organisation" editing={editing}>
        <SettingField
          name="name"
          editing={editing}
          hint="The log says that the name was changed, and not what it is or was."
        />
      </PartFields>
      <CardBody>
        <Facts
          facts={[
            ['Created', formatDay(settings.created_at.slice(0, 'YYYY-MM-DD'.length))],
            ['Data is stored in', storagePlace(settings)],
            ['Data', settings.demo ? 'Invented, for a demonstration: its id says so for ever' : 'Real'],
            ['Tier', describeTier(settings.tier)],
            ['Id', <CopyableValue value={settings.id} what="the id of the organisation" />],
          ]}
        />
      </CardBody>
    </Part>
  )
}

function describeTier(tier: string): string {
  const { tier_request: request } = organisation()
  const assigned = `${tierName(tier)}, assigned by the operator`
  return request === null ? assigned : `${assigned}. ${askedText(request)}`
}

const MOST_COUNTED = 100

export function SecondFactorPart({ editing }: PartProps) {
  const [answer] = useApiIf<List<Member>>(hasPermission('members:manage'), '/api/members', {
    second_factor: 'none',
    limit: MOST_COUNTED,
  })
  const without = answer.state === 'answered' ? answer.body : null
  return (
    <Part
      id="second-factor"
      lead={
        without && (
          <>
            {without.has_more && 'More than '}
            {plural(without.data.length, 'member')} without a second factor:{' '}
            <a href={inOrganisation('/app/members?second_factor=none')}>see who</a>.
          </>
        )
      }
    >
      <PartFields id="second-factor" editing={editing}>
        {membersShown('second-factor', editing.values).map((name) => (
          <SettingField key={name} name={name} editing={editing} />
        ))}
      </PartFields>
    </Part>
  )
}

export const RepeatsPart = ({ editing }: PartProps) => (
  <Part id="repeats">
    <SettingFields part="repeats" editing={editing} />
  </Part>
)
