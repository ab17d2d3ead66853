// npm run orgs: the operator founds, lists, shows and changes organisations.
import { callOperator, OperatorError } from './operator/client.ts'
import { need, runCommand, type Flags } from './operator/command.ts'
import { OrganisationSchema } from '../src/accounts/organisation.schema.ts'
import { listOf } from '../src/platform/list.schema.ts'

const HELP = `npm run orgs -- VERB [options]

  create --name NAME [--tier TIER] [--jurisdiction eu|global]   found an organisation (tier free, jurisdiction eu)
  list [--cursor ID]                                            newest first, 50 a page
  show ID
  set ID [--name NAME] [--tier TIER]

  TIER is free, starter, pro, healthcare or enterprise.
  --remote      a deployment: its address from --url or COUNTERSIGN_URL, its OPERATOR_TOKEN from the environment
  --url URL     another address than http://127.0.0.1:8787
  --json        the answer as JSON`

await runCommand({
  help: HELP,
  options: ['name', 'tier', 'jurisdiction', 'cursor'],
  verbs: {
    create: ({ target, flags }) =>
      callOperator(target, OrganisationSchema, 'POST', '/organisations', {
        name: need(flags, 'name'),
        ...pick(flags, ['tier', 'jurisdiction']),
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
    set: ({ target, arguments: [id], flags }) =>
      callOperator(target, OrganisationSchema, 'PATCH', `/organisations/${given(id)}`, pick(flags, ['name', 'tier'])),
  },
})

function pick(flags: Flags, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])))
}

function given(id: string | undefined): string {
  if (id === undefined) throw new OperatorError('Say which organisation: its id, org_…')
  return encodeURIComponent(id)
}
