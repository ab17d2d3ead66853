// The text that npm start prints: links, one line to paste for a reading and one for a chat, and where everything else is.
import { DEFAULT_STATE, environmentFile, letterFile, pathForShell, type LocalFacts } from './local-facts.ts'

/** `signInLink`: signs in the owner of `organisation`. `state`: the folder of the storage. `devVars`: the file of settings. */
type Started = { facts: LocalFacts; signInLink: string; organisation: string; state: string; devVars: string }

export function startMessage({ facts, signInLink, organisation, state, devVars }: Started): string {
  const folder = state === DEFAULT_STATE ? '' : ` --persist-to ${pathForShell(state)}`
  const options = folder === '' ? '' : ` --${folder}`
  const variables = `. ${pathForShell(environmentFile(state))}`
  // The policy of the demo organisation demands a use case.
  const chat = facts.demo
    ? `"authorization: Bearer $DEMO_KEY" -H 'x-aqta-use-case: triage-notes'`
    : '"authorization: Bearer $GATEWAY_KEY"'
  return `Countersign runs at ${facts.url}. Its waiting lists are invented.

  Try a reading  ${facts.url}
  Dashboard      ${signInLink} signs you in once, as the owner of ${organisation}
  API reference  ${facts.url}/reference
  Models         ${facts.emulator === null ? `the providers of ${devVars}; calls cost money` : `an emulator on this machine; a provider’s key in ${devVars} replaces it`}
  Mailbox        ${facts.mailbox} shows all mail; none leaves this machine

${variables}; curl -s "$URL/v1/referral/read" -H "authorization: Bearer $KEY" -H 'content-type: application/json' -d @${pathForShell(letterFile(state))}
${variables}; curl -s "$URL/v1/chat/completions" -H ${chat} -H 'content-type: application/json' -d '${CHAT}'

  npm run demo:keys${options}      all keys and people
  npm run tour${options}           more to try, by topic${facts.demo ? '' : `\n  npm start -- --demo${folder}    90 days of invented calls`}
Stop with Ctrl-C. The state stays in ${state}.`
}

const CHAT = JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Say hello.' }] })
