// npm run orgs: creates, lists, shows and changes organisations, and invites people to them.
import { AUDITOR_DAYS, ROLES } from '../../src/accounts/access/roles.policy.ts'
import { CreatedInvitationSchema } from '../../src/accounts/members/members.schema.ts'
import { ChangedOrganisationSchema, OrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import { listSchema } from '../../src/platform/pagination.schema.ts'
import { EUROPEAN_REGIONS, REGIONS } from '../../src/platform/config.ts'
import { namePlaces } from '../../src/platform/data-region.ts'
import { catalogueRoutes } from '../../src/providers/model-catalogue.ts'
import { PROVIDER_IDS } from '../../src/providers/provider-registry.ts'
import {
  requireId,
  requireOption,
  pageQuery,
  callRoute,
  OPERATOR_EXIT_CODES,
  TARGET_HELP,
  type Command,
  type CommandCall,
  type Flags,
} from './command.ts'
import { endOfDay, settingOptions, yesOrNo, type OptionReader } from './setting-options.ts'

/** Each provider with the places that prompts are routed to. */
const places = PROVIDER_IDS.map((provider) => {
  const routes = catalogueRoutes().filter((model) => model.gateway && model.provider === provider)
  const names = [...new Set(routes.map((route) => namePlaces(route.places)))]
  return `  ${provider.padEnd(11)} ${names.join('; ')}`
})

const asText: OptionReader = (text) => text

/** An option's member of the request, and the reader of its text. */
type Reading = { member: string; read: OptionReader }

const SETTINGS = settingOptions()

const SETTINGS_BY_NAME: Readonly<Record<string, Reading>> = Object.fromEntries(SETTINGS.map((one) => [one.name, one]))

const HELP_COLUMN = 27

function settingsHelp(): string {
  const lines = SETTINGS.map(({ name, value, help }) => {
    const option = `  --${name} ${value}`
    const isShort = option.length < HELP_COLUMN - 1
    return isShort ? option.padEnd(HELP_COLUMN) + help : `${option}\n${' '.repeat(HELP_COLUMN)}${help}`
  })
  return lines.join('\n')
}

/** Options that only `create` takes. */
const CREATE_OPTIONS: Readonly<Record<string, Reading>> = {
  jurisdiction: { member: 'jurisdiction', read: asText },
  region: { member: 'region', read: asText },
  demo: { member: 'demo', read: yesOrNo },
}

/** Options that only `invite` takes. */
const INVITE_OPTIONS: Readonly<Record<string, Reading>> = { ends: { member: 'ends_at', read: endOfDay } }

const HELP = `Usage: npm run orgs -- VERB [options]

Creates, lists, shows and changes organisations, and invites people to them.

  create --name NAME [options]
  list [--cursor ID]       newest first, 50 per page
  show ID
  set ID [--name NAME] [settings]
  invite --org ID --email ADDRESS --role ROLE [--ends DAY]
                           prints the link if the deployment sends no mail

  --role ROLE              ${ROLES.join(', ')}
  --ends DAY               the last day of an auditor’s access, YYYY-MM-DD in UTC
                           (default ${AUDITOR_DAYS} days from the acceptance)
  --jurisdiction PLACE     eu or global; cannot be changed later (default eu)
  --region REGION          preferred location of the data; cannot be changed later (default ${EUROPEAN_REGIONS[0]}):
                           ${REGIONS.join(', ')}; in eu ${EUROPEAN_REGIONS.join(' or ')}
  --demo yes|no            marks every answer as invented data; cannot be changed later (default no)

Settings, for create and set:
${settingsHelp()}

Prompts are routed to:
${places.join('\n')}

${TARGET_HELP}

Examples:
  npm run orgs -- create --name "St Example" --providers openai,anthropic
  npm run orgs -- list

${OPERATOR_EXIT_CODES}`

const ID_HINT = 'the organisation’s id, org_…'

const organisationOf = ({ id }: CommandCall): string => `/organisations/${requireId(id, ID_HINT)}`

export const organisations: Command = {
  help: HELP,
  options: [
    'name',
    ...Object.keys(SETTINGS_BY_NAME),
    ...Object.keys(CREATE_OPTIONS),
    'cursor',
    'org',
    'email',
    'role',
    ...Object.keys(INVITE_OPTIONS),
  ],
  verbs: {
    create: callRoute(
      'POST',
      () => '/organisations',
      OrganisationSchema(),
      (flags) => ({ name: requireOption(flags, 'name'), ...read(flags, { ...CREATE_OPTIONS, ...SETTINGS_BY_NAME }) }),
    ),
    list: callRoute('GET', ({ flags }) => `/organisations${pageQuery(flags)}`, listSchema(OrganisationSchema())),
    show: callRoute('GET', organisationOf, OrganisationSchema()),
    invite: callRoute(
      'POST',
      ({ flags }) => `/organisations/${requireId(flags['org'], ID_HINT)}/invitations`,
      CreatedInvitationSchema(),
      (flags) => ({
        email: requireOption(flags, 'email'),
        role: requireOption(flags, 'role'),
        ...read(flags, INVITE_OPTIONS),
      }),
    ),
    set: callRoute('PATCH', organisationOf, ChangedOrganisationSchema(), (flags) =>
      read(flags, { name: { member: 'name', read: asText }, ...SETTINGS_BY_NAME }),
    ),
  },
}

/** Returns the request's members for the given options. Throws UsageError. */
const read = (flags: Flags, settings: Readonly<Record<string, Reading>>): object =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, { member, read: readText }]) => {
      const text = flags[name]
      return text === undefined ? [] : [[member, readText(text, name)]]
    }),
  )
