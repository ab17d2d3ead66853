// npm run keys: the operator issues, lists, shows and revokes keys.
import { callOperator, UsageError } from './operator/client.ts'
import { CreatedKeySchema, KeySchema, RevokedKeySchema } from '../src/keys/key.schema.ts'
import { listOf } from '../src/platform/list.schema.ts'
import { need, optionalNumber, runCommand, type Flags } from './operator/command.ts'

const HELP = `npm run keys -- VERB --org ID [options]

  create --org ID --prefix PREFIX --name NAME [--expires-at TIME] [--scopes LIST] [--per-minute N] [--per-day N]
  list --org ID [--cursor ID]   newest first, 50 a page
  show --org ID KEY_ID
  revoke --org ID KEY_ID        and the keys that it made (also_revoked), from their next request on

  PREFIX is vk_test_ (sandbox), vk_live_ (live), aqta_ or sk-aqta- (gateway). The full key is printed once, by create.
  TIME is RFC 3339 in UTC, such as 2027-01-31T00:00:00Z. LIST is comma-separated, such as referral:read.
  --remote      a deployment: its address from --url or COUNTERSIGN_URL, its OPERATOR_TOKEN from the environment
  --url URL     another address than http://127.0.0.1:8787
  --json        the answer as JSON`

const keysOf = (flags: Flags): string => `/organisations/${encodeURIComponent(need(flags, 'org'))}/keys`

await runCommand({
  help: HELP,
  options: ['org', 'cursor', 'prefix', 'name', 'expires-at', 'scopes', 'per-minute', 'per-day'],
  verbs: {
    create: ({ target, flags }) => callOperator(target, CreatedKeySchema, 'POST', keysOf(flags), newKey(flags)),
    list: ({ target, flags }) =>
      callOperator(target, listOf(KeySchema), 'GET', `${keysOf(flags)}?${pageOf(flags).toString()}`),
    show: ({ target, flags, arguments: [id] }) =>
      callOperator(target, KeySchema, 'GET', `${keysOf(flags)}/${given(id)}`),
    revoke: ({ target, flags, arguments: [id] }) =>
      callOperator(target, RevokedKeySchema, 'DELETE', `${keysOf(flags)}/${given(id)}`),
  },
})

function pageOf({ cursor }: Flags): URLSearchParams {
  return new URLSearchParams(cursor === undefined ? {} : { cursor })
}

function newKey(flags: Flags): object {
  return {
    prefix: need(flags, 'prefix'),
    name: need(flags, 'name'),
    expires_at: flags['expires-at'],
    scopes: flags['scopes']?.split(','),
    requests_per_minute: optionalNumber(flags, 'per-minute'),
    requests_per_day: optionalNumber(flags, 'per-day'),
  }
}

function given(id: string | undefined): string {
  if (id === undefined) throw new UsageError('Say which key: its id, key_…')
  return encodeURIComponent(id)
}
