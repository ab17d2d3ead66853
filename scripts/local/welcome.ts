// What a newcomer reads once the Worker runs: addresses, keys, and one line to paste for each main job.
import { listExamples } from '../../src/referral/examples/examples.ts'
import type { Demo } from './demo.ts'
import type { LocalWitness } from './servers.ts'
import { notificationLines } from './welcome-notifications.ts'
import { policyLines, type ChatLine } from './welcome-policies.ts'
import { identityProviderLines, manageLines, peopleTable } from './welcome-people.ts'

/** `emulatorUrl` null: live readings go to the real providers. */
export type Local = {
  url: string
  /** What a request that changes something says it comes from. */
  origin: string
  emulatorUrl: string | null
  mailboxUrl: string
  webhookReceiverUrl: string
  /** Null: people sign in by those of .dev.vars. */
  identityProviderUrl: string | null
  /** Null: the witnesses of .dev.vars are asked, or the public log has no key. */
  witness: Pick<LocalWitness, 'url' | 'vkey' | 'logs'> | null
  /** Of the local timestamp authority. Null: that of .dev.vars is asked. */
  authorityCertificate: string | null
  /** The folder of its storage. */
  state: string
  /** Where the lines that sign in keep their session. */
  sessionFile: string
}

export function welcome(local: Local, demo: Demo): string {
  const { url, emulatorUrl, mailboxUrl, identityProviderUrl, witness, authorityCertificate, state } = local
  const { organisationId, sandboxKey, liveKey, tenants } = demo
  const gatewayKey = tenants.pro.key
  const get = (path: string, key = sandboxKey) => `curl -s '${url}${path}' -H 'authorization: Bearer ${key}'`
  const post = (path: string, key: string, body: object, headers: Record<string, string> = {}) => {
    const sent = Object.entries({ authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers })
    const named = sent.map(([name, value]) => `-H '${name}: ${value}'`).join(' ')
    return `curl -sN ${url}${path} ${named} -d '${forShell(body)}'`
  }
  const read = (body: object, key = sandboxKey) => post('/v1/referral/read', key, body)
  const chat: ChatLine = (body, headers) =>
    post('/v1/chat/completions', gatewayKey, { messages: MESSAGES, ...body }, headers)

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
  webhooks       ${local.webhookReceiverUrl} takes messages and shows them
  sign-in by     ${identityProviderUrl === null ? 'the identity providers of .dev.vars' : `an emulator that signs in anybody, ${identityProviderUrl}`}
  witness        ${witness === null ? 'those of .dev.vars, if any' : `a local one, ${witness.url}: on the machine of its log it watches nothing`}
  timestamps     ${authorityCertificate === null ? 'the authority of .dev.vars' : `a local authority with this machine’s time; its certificate is ${authorityCertificate}`}
  organisation   ${organisationId}

  gateway keys, by tier of their organisation
${tierLines(tenants)}

  who can sign in at ${url}/sign-in, as the owner of an organisation on each tier: e-mail, password
${peopleTable(tenants)}

Read a draft letter: both readers name the same specialty, so the decision is yes.

${read({ text: shortestLetter('yes') })}

Then fetch the published waiting lists of that specialty.

${get(`/v1/waiting-lists?specialty=${encodeURIComponent('Cardiology')}`)}

A letter for which the readers do not both name the same specialty: the decision is ask, and the clinician chooses.

${read({ text: shortestLetter('ask') })}

An action that the service never takes: it is held (409), and both the request and the refusal are recorded.

${read({ action: 'book_appointment' })}

Text that holds an identifier is refused before anything is read.

${read({ text: 'Please see this man, PPS number 1234567FA.' })}

A live reading: any invented letter, read by both readers five times each, with a record to keep. ${
    emulatorUrl === null ? 'It is sent to the providers and costs money.' : 'The emulator counts words; it is no model.'
  }

${read({ text: INVENTED_LETTER }, liveKey)}

All example letters, and the specialties a reading can name.

${get('/v1/examples')}
${get('/v1/specialties')}

A chat completion through the gateway, as any OpenAI client sends it; its trace and its cost in euro are in aqta.

${chat({ model: 'gpt-4.1-mini' })}

The same as a stream, from another provider; and the models that this key's tier may use.

${chat({ model: 'claude-haiku-4-5', stream: true })}
${get('/v1/models', gatewayKey)}

The same in OpenAI's Responses format, which some SDKs ask in by default.

${post('/v1/responses', gatewayKey, { model: 'gemini-3.7-flash', input: 'Say hello.' })}

Its record is a leaf of a log that anyone can read, without a key, some seconds later.

curl -s ${url}/v1/public/transparency/sth

${witness === null ? '' : checkpointLines(url, witness)}${manageLines(local, tenants.pro)}

${policyLines({ place: local, chat, emulatorUrl })}

${notificationLines(local, local.webhookReceiverUrl)}

${identityProviderUrl === null ? '' : identityProviderLines(local)}In a browser, for a first reading, and for an account of your own: what is mailed to you is printed here.

  ${url}/#key=${sandboxKey}
  ${url}/sign-up

Stop with Ctrl-C. The state stays in ${state}; npm run keys -- --help and npm run orgs -- --help manage keys.
`
}

const checkpointLines = (url: string, { vkey, logs }: Pick<LocalWitness, 'vkey' | 'logs'>): string => `\
The same head as a checkpoint: checks that the log's key has signed it and that the local witness has cosigned it.

npx countersign-verify ${url}/v1/public/transparency/checkpoint ${logs.map((log) => `--log ${log}`).join(' ')} --witness ${vkey}

`

const MESSAGES = [{ role: 'user', content: 'Say hello.' }]

const tierLines = (tenants: Demo['tenants']): string =>
  Object.entries(tenants)
    .map(([tier, { key }]) => `  ${tier.padEnd(13)}  ${key}`)
    .join('\n')

const INVENTED_LETTER =
  'Dear Doctor, please see this 58 year old man with palpitations on exertion. ECG normal. Many thanks.'

function shortestLetter(decision: 'yes' | 'ask'): string {
  const letters = listExamples().filter(({ action, expected }) => action === null && expected.decision === decision)
  return letters.map(({ text }) => text).toSorted((a, b) => a.length - b.length)[0] ?? ''
}

const forShell = (body: object): string => JSON.stringify(body).replaceAll("'", '\\u0027')
