// Playground: a call as code in curl, Python and Node. Only the key is left to a variable.
import type { CodeTab } from '../../parts/code-tabs.view.tsx'
import { pythonValue, quoted } from '../../text/code-values.ts'
import { USE_CASE_HEADER, type CallRequest } from './call-request.ts'

const ORIGIN = location.origin

export const codeOf = (request: CallRequest): readonly CodeTab[] => [
  { name: 'curl', language: 'sh', text: curlLines(request) },
  { name: 'Python', language: 'python', text: pythonLines(request) },
  { name: 'Node', language: 'js', text: nodeLines(request) },
]

const curlLines = ({ body, useCase }: CallRequest): string =>
  [
    `curl -s ${ORIGIN}/v1/chat/completions`,
    '-H "authorization: Bearer $GATEWAY_KEY"',
    ...(useCase === '' ? [] : [`-H ${quoted(`${USE_CASE_HEADER}: ${useCase}`)}`]),
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
  ].join(' \\\n  ')

const pythonLines = ({ body, useCase }: CallRequest): string =>
  [
    'import os',
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url="${ORIGIN}/v1",`,
    '    api_key=os.environ["GATEWAY_KEY"],',
    ')',
    'answer = client.chat.completions.create(',
    ...Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, '    ')},`),
    ...(useCase === '' ? [] : [`    extra_headers={"${USE_CASE_HEADER}": ${JSON.stringify(useCase)}},`]),
    ')',
    ...(body.stream === true
      ? ['for chunk in answer:', '    if chunk.choices:', '        print(chunk.choices[0].delta.content or "", end="")']
      : ['print(answer.choices[0].message.content)', 'print(answer.aqta["attestation"])  # the signed record']),
  ].join('\n')

const nodeLines = ({ body, useCase }: CallRequest): string =>
  [
    `import OpenAI from 'openai'`,
    '',
    'const client = new OpenAI({',
    `  baseURL: '${ORIGIN}/v1',`,
    '  apiKey: process.env.GATEWAY_KEY,',
    '})',
    `const answer = await client.chat.completions.create(${JSON.stringify(body, null, 2)}${
      useCase === '' ? '' : `, {\n  headers: { '${USE_CASE_HEADER}': ${JSON.stringify(useCase)} },\n}`
    })`,
    ...(body.stream === true
      ? ['for await (const { choices } of answer)', `  process.stdout.write(choices[0]?.delta.content ?? '')`]
      : [
          'console.log(answer.choices[0].message.content)',
          'console.log(answer.aqta.attestation) // the signed record',
        ]),
  ].join('\n')
