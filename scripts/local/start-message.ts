// The text that npm start prints: URLs, keys, and one command to paste for each main job.
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { listExamples } from '../../src/referral/examples/examples.ts'
import { curlWithKey, curlWithSession, quoteForShell, type SignedIn } from './curl-lines.ts'
import type { LocalOrganisations } from './local-organisations.ts'
import type { LocalWitness } from './local-servers.ts'

/** The addresses and files that the text names. Null: .dev.vars names a real server. `state`: the folder of the storage. */
export type MessageFacts = SignedIn & {
  emulatorUrl: string | null
  mailboxUrl: string
  webhookReceiverUrl: string
  identityProviderUrl: string | null
  witness: Pick<LocalWitness, 'url' | 'vkey' | 'logs'> | null
  authorityCertificate: string | null
  state: string
}

export function startMessage(local: MessageFacts, demo: LocalOrganisations): string {
  const { url, emulatorUrl, mailboxUrl, webhookReceiverUrl, identityProviderUrl, witness, state } = local
  const { organisationId, sandboxKey, liveKey, tenants } = demo
  const sandbox = curlWithKey(url, sandboxKey)
  const gateway = curlWithKey(url, tenants.pro.key)
  const read = (body: object): string => sandbox.post('/v1/referral/read', body)

  return `
Countersign is running. Its figures are invented until you publish a real file: npm run data:publish -- --help

Try it in a browser: choose a letter and have it read. The link holds the sandbox key.

  ${url}/#key=${sandboxKey}

  address        ${url}
  description    ${url}/v1/openapi.json
  sandbox key    ${sandboxKey}
  live key       ${liveKey}
  providers      ${emulatorUrl === null ? 'the real ones, with the keys of .dev.vars' : `the model emulator, ${emulatorUrl}`}
  mailbox        ${mailboxUrl} shows what is mailed; nothing leaves this machine
  webhooks       ${webhookReceiverUrl} takes messages and shows them
  sign-in by     ${identityProviderUrl === null ? 'the identity providers of .dev.vars' : `an emulator that signs in anybody, ${identityProviderUrl}`}
  witness        ${witness === null ? 'those of .dev.vars, if any' : `a local one, ${witness.url}: on the machine of its log it watches nothing`}
  timestamps     ${local.authorityCertificate === null ? 'the authority of .dev.vars' : `a local authority with this machine’s time; its certificate is ${local.authorityCertificate}`}
  organisation   ${organisationId}

  gateway keys, by tier of their organisation
${tableOf(tenants, ({ key }) => key)}

  who can sign in at ${url}/sign-in, as the owner of an organisation on each tier: e-mail, password
${tableOf(tenants, ({ email, password }) => `${email}  ${password}`)}

Read a draft letter: both readers name the same specialty, so the decision is yes.

${read({ text: shortestLetter('yes') })}

Then fetch the published waiting lists of that specialty.

${sandbox.get(`/v1/waiting-lists?specialty=${encodeURIComponent('Cardiology')}`)}

A letter for which the readers do not both name the same specialty: the decision is ask, and the clinician chooses.

${read({ text: shortestLetter('ask') })}

An action that the service never takes: it is held (409), and both the request and the refusal are recorded.

${read({ action: 'book_appointment' })}

Text that holds an identifier is refused before anything is read.

${read({ text: 'Please see this man, PPS number 1234567FA.' })}

A live reading: any invented letter, read by both readers five times each, with a record to keep. ${
    emulatorUrl === null ? 'It is sent to the providers and costs money.' : 'The emulator counts words; it is no model.'
  }

${curlWithKey(url, liveKey).post('/v1/referral/read', { text: INVENTED_LETTER })}

All example letters, and the specialties a reading can name.

${sandbox.get('/v1/examples')}
${sandbox.get('/v1/specialties')}

A chat completion through the gateway, as any OpenAI client sends it; its trace and its cost in euro are in aqta.

${chatLine(gateway, {})}

The same as a stream, from another provider; and the models that this key's tier may use.

${chatLine(gateway, { model: 'claude-haiku-4-5', stream: true })}
${gateway.get('/v1/models')}

The same in OpenAI's Responses format, which some SDKs ask in by default.

${gateway.post('/v1/responses', { model: 'gemini-3.7-flash', input: 'Say hello.' })}

Its record is a leaf of a log that anyone can read, without a key, within a minute.

curl -s ${url}/v1/public/transparency/sth

${witness === null ? '' : checkpointLines(url, witness)}${peopleLines(local, tenants.pro)}

${policyLines(local, gateway)}

${notificationLines(local, webhookReceiverUrl)}

${identityProviderUrl === null ? '' : identityProviderLines(local)}In a browser, for a first reading, and for an account of your own: what is mailed to you is printed here.

  ${url}/#key=${sandboxKey}
  ${url}/sign-up

Stop with Ctrl-C. The state stays in ${state}; npm run keys -- --help and npm run orgs -- --help manage keys.
`
}

type Gateway = ReturnType<typeof curlWithKey>

const MODEL = 'gpt-4.1-mini'
const MESSAGES = [{ role: 'user', content: 'Say hello.' }]

const chatLine = (gateway: Gateway, body: object, headers: Readonly<Record<string, string>> = {}): string =>
  gateway.post('/v1/chat/completions', { messages: MESSAGES, model: MODEL, ...body }, headers)

const tableOf = (
  tenants: LocalOrganisations['tenants'],
  cell: (tenant: LocalOrganisations['tenants']['pro']) => string,
): string =>
  Object.entries(tenants)
    .map(([tier, tenant]) => `  ${tier.padEnd(13)}  ${cell(tenant)}`)
    .join('\n')

const INVENTED_LETTER =
  'Dear Doctor, please see this 58 year old man with palpitations on exertion. ECG normal. Many thanks.'

function shortestLetter(decision: 'yes' | 'ask'): string {
  const letters = listExamples().filter(({ action, expected }) => action === null && expected.decision === decision)
  return letters.map(({ text }) => text).toSorted((a, b) => a.length - b.length)[0] ?? ''
}

const checkpointLines = (url: string, { vkey, logs }: Pick<LocalWitness, 'vkey' | 'logs'>): string => `\
The same head as a checkpoint: checks that the log's key has signed it and that the local witness has cosigned it.

npx countersign-verify ${url}/v1/public/transparency/checkpoint ${logs.map((log) => `--log ${log}`).join(' ')} --witness ${vkey}

`

/** Returns commands that work in this order, after the owner has signed in. */
function peopleLines(local: MessageFacts, { email, password }: LocalOrganisations['tenants']['pro']): string {
  const owner = curlWithSession(local)
  return `Sign in as the owner of the organisation on the tier pro, and see who you are. A request that changes something says where it
comes from, in the header origin, as browsers do by themselves.

${owner.post('/api/auth/login', { email, password })}
${owner.get('/api/auth/me')}

Make a key of the organisation (it is shown this once), and export all its data.

${owner.post('/api/keys', { name: 'My first key' })}
${owner.get('/api/settings/export?format=json')}`
}

const identityProviderLines = (local: MessageFacts): string => `\
Begin to sign in by the emulated identity provider: the answer says where a page sends the browser. docs/local.md goes on.

${curlWithSession(local).post('/api/auth/oauth-signin', { provider: 'local' })}

`

function notificationLines(local: MessageFacts, receiverUrl: string): string {
  const owner = curlWithSession(local)
  return `Have the organisation told of loops, budgets and approvals: the answer has the secret that signs (it is shown this once). Then send a
test, which is printed here. docs/notifications.md has a receiver in twenty lines.

${owner.send('PUT', '/api/notifications', { url: `${receiverUrl}/hooks` })}
${owner.post('/api/notifications/test', {})}
curl -s ${receiverUrl}/messages`
}

const POLICY = {
  use_case_guard: { allow: ['triage-notes', 'discharge-letters'] },
  human_approval: { when: [{ use_cases: ['discharge-letters'] }] },
  cache: { ttl_seconds: 600 },
  pii_scan: { default: 'report', shapes: { phone_number: 'redact' } },
}

function policyLines(local: MessageFacts, gateway: Gateway): string {
  const owner = curlWithSession(local)
  const repeated = chatLine(gateway, {}, { 'idempotency-key': randomUUID() })
  const cached = chatLine(gateway, { temperature: 0 })
  return `Give the organisation a policy: what its calls must keep to. docs/policies.md tells the rules.

${owner.send('PUT', '/api/policies', POLICY)}

A use case that the policy does not name is refused, and no provider sees the request.

${chatLine(gateway, {}, { 'x-aqta-use-case': 'marketing' })}

${redactionLines(gateway, local.emulatorUrl)}

${approvalLines(local, gateway)}

A paid call that is sent again under its idempotency key gets its first answer, with the same trace, and costs nothing.

${owner.send('PATCH', '/api/settings', { idempotent_replays: true })}
${repeated}
${repeated}

The same question twice: the second answer is the first one’s, from the cache. Where the first was asked with a temperature above 0 it
is not kept.

${cached}
${cached}`
}

function redactionLines(gateway: Gateway, emulatorUrl: string | null): string {
  const withNumber = [{ role: 'user', content: 'Ring the invented practice at 087 123 4567.' }]
  const ask = chatLine(gateway, { messages: withNumber })
  if (emulatorUrl === null)
    return `A telephone number goes to the provider as a placeholder, and is put back in the answer.\n\n${ask}`
  const queued = { provider: 'openai', behaviours: ['echo'] }
  return `A telephone number goes to the provider as a placeholder, and is put back in the answer: the emulator is told to repeat what
it was sent, the answer has the number, and what the emulator was sent has not.

curl -s ${emulatorUrl}/_emulator/behave -H 'content-type: application/json' -d '${JSON.stringify(queued)}'
${ask}
curl -s '${emulatorUrl}/_emulator/requests?last=1'`
}

/** Returns the commands of an approval. The first stores its answer in a file, because the next ones read the approval's id. */
function approvalLines(local: MessageFacts, gateway: Gateway): string {
  const file = quoteForShell(join(dirname(local.sessionFile), 'demo-approval.json'))
  const id = String.raw`"$(sed -n 's/.*"approval_id":"\([^"]*\)".*/\1/p' ${file})"`
  const ask = chatLine(gateway, {}, { 'x-aqta-use-case': 'discharge-letters' })
  const decision = { decision: 'approve', reason: 'Seen, and as it should be.' }
  return `A request that people must approve first: it is refused, the owner approves it, and the same request passes once.

${ask} | tee ${file}
${curlWithSession(local).post(`/api/approvals/${id}/decision`, decision)}
${ask} -H "x-aqta-approval: "${id}`
}
