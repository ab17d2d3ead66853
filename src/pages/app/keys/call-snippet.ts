// A call with a key as code in curl, Python and Node. It runs as it is, where the key is filled in.
import type { Key } from '../../../keys/key.schema.ts'
import type { CodeTab } from '../../parts/code-tabs.view.tsx'
import type { AllowedCall } from './allowed-call.ts'

const USE_CASE_HEADER = 'x-aqta-use-case'
const HELLO = 'Say hello.'

/** Where the key is read from if it is not shown. */
const VARIABLE = 'GATEWAY_KEY'

/** @param secret the whole key, or null for an environment variable that holds it */
export function tabsFor({ scopes }: Pick<Key, 'scopes'>, call: AllowedCall | null, secret: string | null): CodeTab[] {
  if (!scopes.includes('chat')) return scopes.includes('manage') ? [curl([`${location.origin}/api/keys`], secret)] : []
  if (call === null) return []
  return [chatWithCurl(call, secret), chatWithPython(call, secret), chatWithNode(call, secret)]
}

const curl = ([address, ...others]: readonly string[], secret: string | null): CodeTab => ({
  name: 'curl',
  language: 'sh',
  text: [`curl ${address}`, `-H "authorization: Bearer ${secret ?? `$${VARIABLE}`}"`, ...others].join(' \\\n  '),
})

function chatWithCurl({ model, useCase }: AllowedCall, secret: string | null): CodeTab {
  const body = `{"model": ${JSON.stringify(model)},\n    "messages": [{"role": "user", "content": "${HELLO}"}]}`
  return curl(
    [
      `${location.origin}/v1/chat/completions`,
      ...(useCase === null ? [] : [`-H "${USE_CASE_HEADER}: ${useCase}"`]),
      '-H "content-type: application/json"',
      `-d '${body}'`,
    ],
    secret,
  )
}

const chatWithPython = ({ model, useCase }: AllowedCall, secret: string | null): CodeTab => ({
  name: 'Python',
  language: 'python',
  text: [
    ...(secret === null ? ['import os', ''] : []),
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url="${location.origin}/v1",`,
    `    api_key=${secret === null ? `os.environ["${VARIABLE}"]` : `"${secret}"`},`,
    ')',
    'answer = client.chat.completions.create(',
    `    model="${model}",`,
    `    messages=[{"role": "user", "content": "${HELLO}"}],`,
    ...(useCase === null ? [] : [`    extra_headers={"${USE_CASE_HEADER}": "${useCase}"},`]),
    ')',
    'print(answer.choices[0].message.content)',
  ].join('\n'),
})

const chatWithNode = ({ model, useCase }: AllowedCall, secret: string | null): CodeTab => ({
  name: 'Node',
  language: 'js',
  text: [
    `import OpenAI from 'openai'`,
    '',
    'const client = new OpenAI({',
    `  baseURL: '${location.origin}/v1',`,
    `  apiKey: ${secret === null ? `process.env.${VARIABLE}` : `'${secret}'`},`,
    '})',
    'const answer = await client.chat.completions.create(',
    `  { model: '${model}', messages: [{ role: 'user', content: '${HELLO}' }] },`,
    ...(useCase === null ? [] : [`  { headers: { '${USE_CASE_HEADER}': '${useCase}' } },`]),
    ')',
    'console.log(answer.choices[0].message.content)',
  ].join('\n'),
})
