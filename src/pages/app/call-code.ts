// A call as code in curl, Python and Node. It runs as it is, where the key is filled in; else the key is left to a variable.
import type { CodeTab } from '../parts/code-tabs.view.tsx'
import { nodeClient, pythonClient, pythonValue, quoted } from '../text/code-values.ts'
import { USE_CASE_HEADER, type CallRequest } from './playground/call-request.ts'

const ORIGIN = location.origin

/** The environment variable that the key is read from, if it is not shown. */
const VARIABLE = 'GATEWAY_KEY'

/** @param secret the whole key, or null for the variable that holds it */
export const codeOf = (request: CallRequest, secret: string | null = null): readonly CodeTab[] => [
  { name: 'curl', language: 'sh', text: curlLines(request, secret) },
  { name: 'Python', language: 'python', text: pythonLines(request, secret) },
  { name: 'Node', language: 'js', text: nodeLines(request, secret) },
]

/** The header with the key. The shell fills in the variable. */
export const keyHeader = (secret: string | null): string => `-H "authorization: Bearer ${secret ?? `$${VARIABLE}`}"`

const curlLines = ({ body, useCase }: CallRequest, secret: string | null): string =>
  [
    `curl -s ${ORIGIN}/v1/chat/completions`,
    keyHeader(secret),
    ...(useCase === '' ? [] : [`-H ${quoted(`${USE_CASE_HEADER}: ${useCase}`)}`]),
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
  ].join(' \\\n  ')

const pythonLines = ({ body, useCase }: CallRequest, secret: string | null): string =>
  pythonClient({
    origin: ORIGIN,
    key: secret === null ? `os.environ["${VARIABLE}"]` : `"${secret}"`,
    given: [
      ...Object.entries(body).map(([name, value]) => `${name}=${pythonValue(value, '    ')}`),
      ...(useCase === '' ? [] : [`extra_headers={"${USE_CASE_HEADER}": ${JSON.stringify(useCase)}}`]),
    ],
    after:
      body.stream === true
        ? [
            'for chunk in answer:',
            '    if chunk.choices:',
            '        print(chunk.choices[0].delta.content or "", end="")',
          ]
        : ['print(answer.choices[0].message.content)', 'print(answer.aqta["attestation"])  # the signed record'],
  })

const nodeLines = ({ body, useCase }: CallRequest, secret: string | null): string =>
  nodeClient({
    origin: ORIGIN,
    key: secret === null ? `process.env.${VARIABLE}` : `'${secret}'`,
    given: [
      JSON.stringify(body, null, 2),
      ...(useCase === '' ? [] : [`{\n  headers: { '${USE_CASE_HEADER}': ${JSON.stringify(useCase)} },\n}`]),
    ],
    after:
      body.stream === true
        ? ['for await (const { choices } of answer)', `  process.stdout.write(choices[0]?.delta.content ?? '')`]
        : [
            'console.log(answer.choices[0].message.content)',
            'console.log(answer.aqta.attestation) // the signed record',
          ],
  })
