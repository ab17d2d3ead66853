// npm run orgs: the operator founds, lists, shows and changes organisations, and invites people to them.
import { callOperator, UsageError } from './operator/client.ts'
import { need, optionalNumber, runCommand, type Flags } from './operator/command.ts'
import { ROLES } from '../src/accounts/access/roles.policy.ts'
import { CreatedInvitationSchema } from '../src/accounts/members/members.schema.ts'
import { OrganisationSchema } from '../src/accounts/organisation.schema.ts'
import { listOf } from '../src/platform/list.schema.ts'
import { EUROPEAN_REGIONS, REGIONS } from '../src/platform/config.ts'
import { TIERS } from '../src/policies/tier.policy.ts'
import { catalogueModels } from '../src/providers/catalogue.ts'
import { PROVIDER_IDS } from '../src/providers/registry.ts'

const regions = PROVIDER_IDS.map((provider) => {
  const places = catalogueModels()
    .filter((model) => model.gateway && model.provider === provider)
    .map(({ region }) => region)
  return `${provider} (${[...new Set(places)].join(', ')})`
})

const LOOP_FLAGS = {
  'loop-repeats': 'loop_repeats',
  'loop-window': 'loop_window_seconds',
  'loop-rounds': 'loop_cycle_rounds',
  'loop-cycle-window': 'loop_cycle_window_seconds',
}

const HELP = `npm run orgs -- VERB [options]

  create --name NAME [--jurisdiction eu|global] [--region REGION] [--demo yes] [SETTINGS]
                                                             found an organisation (tier free, jurisdiction eu)
  list [--cursor ID]                                         newest first, 50 a page
  show ID
  set ID [--name NAME] [SETTINGS]
  invite --org ID --email ADDRESS --role ROLE               such as its first owner; prints the link where this deployment
                                                             sends no mail

ROLE: ${ROLES.join(', ')}

SETTINGS
  --tier TIER       one of ${TIERS.join(', ')}
  --providers LIST  where the gateway may send prompts: a list with commas, all, or none (none until chosen), and
                    where each processes them: ${regions.join(', ')}
  --rate N          requests a minute of its own (pro, enterprise), or none for the tier’s
  --quota N         requests a month of its own (enterprise), or none for the tier’s
  --budget EUR      the most that models may cost in a month, or none
  --max-tokens N    how many tokens a model may write where a request does not say (16384)
  --cache-instructions yes|no
                    whether long system messages are marked to be kept by Anthropic where a request marks nothing (no)
  --idempotent-replays yes|no
  --unsupported drop|refuse
                    whether a call that is sent again under its idempotency key gets its first answer (no)
  --retention N     for how many days details of decisions are kept from then on, or none for the tier’s
  --content-logging N
                    for how many days prompts and answers are kept, sealed, of calls from then on; or none (none)
  --loop-repeats N, --loop-window SECONDS
                    the same request of a key so often within so long is a loop (5, 60)
  --loop-rounds N, --loop-cycle-window SECONDS
                    two to four requests in turn, so many rounds within so long, are one too (5, 300)

--demo yes: its data is to be invented, and every answer says so; chosen once and never changed.

REGION: where its object is asked to be, once, when it is founded: ${REGIONS.join(', ')}.
  In the jurisdiction eu one of ${EUROPEAN_REGIONS.join(', ')} (${EUROPEAN_REGIONS[0]} where you do not say).

  --remote      a deployment: its address from --url or COUNTERSIGN_URL, its OPERATOR_TOKEN from the environment
  --url URL     another address than http://127.0.0.1:8787
  --json        the answer as JSON`

await runCommand({
  help: HELP,
  options: [
    'name',
    'tier',
    'jurisdiction',
    'region',
    'demo',
    'providers',
    'rate',
    'quota',
    'budget',
    'max-tokens',
    'cache-instructions',
    'idempotent-replays',
    'unsupported',
    'retention',
    'content-logging',
    ...Object.keys(LOOP_FLAGS),
    'cursor',
    'org',
    'email',
    'role',
  ],
  verbs: {
    create: ({ target, flags }) =>
      callOperator(target, OrganisationSchema, 'POST', '/organisations', {
        name: need(flags, 'name'),
        ...pick(flags, ['tier', 'jurisdiction', 'region']),
        ...(flags['demo'] !== undefined && { demo: yesOrNo('demo', flags['demo']) }),
        ...settings(flags),
      }),
    list: ({ target, flags }) =>
      callOperator(
        target,
        listOf(OrganisationSchema),
        'GET',
        `/organisations?${new URLSearchParams(pick(flags, ['cursor'])).toString()}`,
      ),
    show: ({ target, arguments: [id] }) =>
      callOperator(target, OrganisationSchema, 'GET', `/organisations/${given(id)}`),
    invite: ({ target, flags }) =>
      callOperator(target, CreatedInvitationSchema, 'POST', `/organisations/${given(flags['org'])}/invitations`, {
        email: need(flags, 'email'),
        role: need(flags, 'role'),
      }),
    set: ({ target, arguments: [id], flags }) =>
      callOperator(target, OrganisationSchema, 'PATCH', `/organisations/${given(id)}`, {
        ...pick(flags, ['name', 'tier']),
        ...settings(flags),
      }),
  },
})

function pick(flags: Flags, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])))
}

function settings(flags: Flags): object {
  const { providers, rate, quota, budget, retention } = flags
  const maxTokens = optionalNumber(flags, 'max-tokens')
  const cached = flags['cache-instructions']
  const replays = flags['idempotent-replays']
  const contentLogging = flags['content-logging']
  return {
    ...(providers !== undefined && { enabled_providers: listProviders(providers) }),
    ...(rate !== undefined && { requests_per_minute: numberOrNone('rate', rate) }),
    ...(quota !== undefined && { requests_per_month: numberOrNone('quota', quota) }),
    ...(budget !== undefined && { monthly_budget_eur: numberOrNone('budget', budget) }),
    ...(maxTokens !== undefined && { default_max_tokens: maxTokens }),
    ...(cached !== undefined && { cache_instructions: yesOrNo('cache-instructions', cached) }),
    ...(replays !== undefined && { idempotent_replays: yesOrNo('idempotent-replays', replays) }),
    ...pick(flags, ['unsupported']),
    ...(retention !== undefined && { retention_days: numberOrNone('retention', retention) }),
    ...(contentLogging !== undefined && { content_logging: contentLoggingFor(contentLogging) }),
    ...Object.fromEntries(
      Object.entries(LOOP_FLAGS).flatMap(([flag, member]) => {
        const number = optionalNumber(flags, flag)
        return number === undefined ? [] : [[member, number]]
      }),
    ),
  }
}

function listProviders(text: string): readonly string[] {
  if (text === 'all') return PROVIDER_IDS
  return text === 'none' ? [] : text.split(',').map((provider) => provider.trim())
}

function yesOrNo(name: string, text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new UsageError(`--${name} takes yes or no.`)
  return text === 'yes'
}

function numberOrNone(name: string, text: string): number | null {
  if (text === 'none') return null
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`--${name} takes a number, or none.`)
  return Number(text)
}

function contentLoggingFor(text: string): object | null {
  const days = numberOrNone('content-logging', text)
  return days === null ? null : { retention_days: days }
}

function given(id: string | undefined): string {
  if (id === undefined) throw new UsageError('Say which organisation: its id, org_…')
  return encodeURIComponent(id)
}
